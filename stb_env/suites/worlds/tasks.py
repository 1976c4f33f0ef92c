"""Tasks of generated worlds as a source; an id is all that it takes to make one again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import get_args

from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.seeding import mix, rng
from stb_env.suites.worlds.answer_fields import answer_schema
from stb_env.suites.worlds.costs import Costs
from stb_env.suites.worlds.draw_goal import CALLS, Drawn, GoalDrawer, decided, fits
from stb_env.suites.worlds.judge import goal_record
from stb_env.suites.worlds.kit import KITS
from stb_env.suites.worlds.oracle import Solved, solve
from stb_env.suites.worlds.pairs import Member, PairDrawer, evidence
from stb_env.suites.worlds.refusals import Missing, Refusal, reasons_of, refusal_of
from stb_env.suites.worlds.requests import Memory, Request
from stb_env.suites.worlds.settings import Group, Split
from stb_env.suites.worlds.words import query
from stb_env.suites.worlds.world import VERSION, Built, built
from stb_env.tasks import Task
from stb_env.tools import ToolCall

LEVELS = range(1, 7)
HELD_OUT = ("museum_loans", "vineyard")
"""Kits that training never shows."""
TEST_GROUP, VAL_GROUP = 60, 30
"""Tasks of each group in the fixed splits."""
WORLDS = {"train": range(10_000, 10_000 + 2**20), "val": range(1_000, 2_000), "test": range(1_000)}
"""Seeds of the worlds of each split."""
_NEW_TASKS = {"val": 1_000_000, "test": 2_000_000}
"""Where the numbers of tasks begin that are new ones in worlds of training."""
_ATTEMPTS = 24
"""Draws in one world before the next world is tried."""
_WORLDS_TRIED = 40
TASKS_A_WORLD = 10
"""Consecutive tasks that share a world, so that it is built once for all of them."""

_ID = re.compile(r"([a-z][a-z0-9_]*-(?:0|[1-9]\d{0,8}))\.([1-6])\.(0|[1-9]\d{0,8})(?:\.([abo]))?")
_PAIR = 2
"""Tasks of a pair; one that stands alone where some can be refused has the third of the suffixes."""


@dataclass(frozen=True, eq=False)
class WorldTask:
    """A task with what it was made of.

    Attributes:
        world: The world.
        drawn: The goal, and what solves it.
        solved: The oracle's plan.
        task: The task.
        paired: Whether it is one of a pair, of which one cannot be met.
        refusal: Why it cannot be met; None where it can.
        missing: The name in it that is no row's, if there is one.
    """

    world: Built
    drawn: Drawn
    solved: Solved
    task: Task
    paired: bool = False
    refusal: Refusal | None = None
    missing: Missing | None = None


class WorldTasks:
    """A `TaskSource` of tasks in generated worlds.

    Args:
        split: ``train`` (endless), ``val`` or ``test`` (fixed lists).
        group: ``I1-Instruction`` has new tasks in worlds of training, ``I1-Tool`` worlds and tools that
            training never shows, ``I1-Category`` kits that it never shows; None is all. All training tasks
            are of group ``I1-Instruction``.
        level: From 1 (one or two calls) to 6 (41 to 80 calls); two levels are the first and last of a range;
            None is all.
        kit: Only worlds of this kit.
        worlds: Only ten tasks of each of so many worlds, which makes training finite, too.
        policies: Whether worlds have policies, and requests can be refused: because a policy forbids them,
            because a state does not allow them, or because a name in them is no row's.
        pairs: Share of tasks in pairs then: of each pair one cannot be met, and its twin can.

    Raises:
        ConfigError: A setting is unknown, or no task meets them all.

    Examples:
        >>> tasks = WorldTasks("train", level=1)
        >>> tasks.get(tasks.at(7).id).key == tasks.at(7).key, tasks.size
        (True, None)
    """

    def __init__(
        self,
        split: Split = "train",
        group: Group | None = None,
        level: int | tuple[int, int] | None = None,
        kit: str | None = None,
        worlds: int | None = None,
        policies: bool = False,
        pairs: float = 0.5,
    ) -> None:
        _check("split", split, get_args(Split))
        if group is not None:
            _check("group", group, get_args(Group))
        known = kits()
        if kit is not None:
            _check("kit", kit, known)
        self.name = "Worlds"
        self._split: Split = split
        self._levels = _levels(level)
        self._kits = {
            each: tuple(name for name in known if (name in HELD_OUT) == (each == "I1-Category"))
            for each in get_args(Group)
        }
        if kit is not None:
            self._kits = {
                each: tuple(name for name in names if name == kit) for each, names in self._kits.items()
            }
        wanted = ("I1-Instruction",) if split == "train" else get_args(Group)
        self._groups: list[Group] = [each for each in wanted if group in (None, each) and self._kits[each]]
        if not self._groups:
            raise ConfigError(
                f"split {split!r} has no task with {group=} and {kit=}; training has group 'I1-Instruction' "
                f"alone, and the kits of group 'I1-Category' are {', '.join(HELD_OUT)}"
            )
        self._worlds = worlds
        self._settings = f"{split} {group} {level} {kit} {worlds}"
        self._pairs = pairs if policies else None
        if policies:
            self._settings += f" policies {pairs}"

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where there is no end."""
        if self._worlds is not None:
            return TASKS_A_WORLD * self._worlds
        match self._split:
            case "train":
                return None
            case "val":
                return VAL_GROUP * len(self._groups)
            case "test":
                return TEST_GROUP * len(self._groups)

    @property
    def hash(self) -> str:
        """SHA-256 hex digest of what tasks are made from: the kits, the version and the settings."""
        digest = hashlib.sha256(f"worlds {VERSION} {self._settings}".encode())
        for name in kits():
            digest.update((KITS / f"{name}.toml").read_bytes())
        return digest.hexdigest()

    def endless(self) -> WorldTasks:
        """Return the training tasks, of which there are as many as anyone wants to draw."""
        return WorldTasks("train", level=(self._levels[0], self._levels[-1]))

    def at(self, index: int) -> Task:
        """Return the task of an index from 0; past the end it starts over."""
        if self.size is not None:
            index %= self.size
        block, number = divmod(index, TASKS_A_WORLD)
        turn, which = divmod(block, len(self._groups))
        return self._task(self._groups[which], turn, number)

    def get(self, task_id: str) -> Task:
        """Return the task of this id, whatever the filters of this source.

        Raises:
            DataError: There is none.
        """
        return task_of(task_id).task

    def _task(self, group: Group, turn: int, number: int) -> Task:
        """Return a task of a group: of the next world that has one, where a world has none of the level."""
        level, form = self._level_and_form(turn, number)
        names = self._kits[group]
        first, which = divmod(turn, len(names))
        seeds = WORLDS["train" if group == "I1-Instruction" else self._split]
        start = _NEW_TASKS.get(self._split, 0) if group == "I1-Instruction" else 0
        for tried in range(_WORLDS_TRIED):
            # Worlds from anywhere in the split stand in for one that has no such task.
            seed = seeds[(first + (mix(first, tried) if tried else 0)) % len(seeds)]
            made = _formed(f"{names[which]}-{seed}", level, start + number, form)
            if made is not None:
                return made.task
        raise DataError(f"no world of {names[which]} has a task of level {level} in {_WORLDS_TRIED} tries")

    def _level_and_form(self, turn: int, number: int) -> tuple[int, str]:
        """Return the level of a task, and the suffix of its id; the two of a pair share the level."""
        if self._pairs is None:
            return self._levels[(turn * TASKS_A_WORLD + number) % len(self._levels)], ""
        place, member = divmod(number, _PAIR)
        level = self._levels[(turn * TASKS_A_WORLD // _PAIR + place) % len(self._levels)]
        paired = rng("paired", self._split, turn, place).random() < self._pairs
        return level, "ab"[member] if paired else "o"


def task_in(key: str, level: int) -> Task | None:
    """Return the first task of a level in a world, or None where there is none among a few draws."""
    made = _made(key, level, 0)
    return None if made is None else made.task


def task_of(task_id: str) -> WorldTask:
    """Return the task of an id with what it was made of.

    Raises:
        DataError: There is none.
    """
    found = _ID.fullmatch(task_id)
    if found is None or found[1].rpartition("-")[0] not in kits():
        raise DataError(
            f"no task {task_id!r:.80} in generated worlds; an id is kit-seed.level.number, such as "
            f"{kits()[0]}-17.3.0"
        )
    made = _formed(found[1], int(found[2]), int(found[3]), found[4] or "")
    if made is None:
        raise DataError(f"the world {found[1]} has no task {found[3]} of level {found[2]}")
    return made


@lru_cache(maxsize=1)
def kits() -> tuple[str, ...]:
    """Return the names of the kits that come with the package."""
    return tuple(sorted(path.stem for path in KITS.glob("*.toml")))


@lru_cache(maxsize=512)
def drawer(key: str) -> GoalDrawer:
    """Return what draws the goals of a world."""
    world = built(key)
    return GoalDrawer(world.blueprint, Costs(world))


@lru_cache(maxsize=4)
def memory(key: str) -> Memory:
    """Return what the oracle's plans have read in a world, for the worlds in which tasks are drawn now."""
    del key
    return Memory()


def _formed(key: str, level: int, number: int, form: str) -> WorldTask | None:
    """Return a task of a world by the suffix of its id, or None where the world has none of the level."""
    if form in ("", "o"):
        return _made(key, level, number, refusable=form == "o")
    pair = _pair(key, level, number - number % _PAIR)
    return None if pair is None else pair[number % _PAIR]


# Runs play a task once a trial, and drawing it costs much more than the rest of a reset.
@lru_cache(maxsize=2048)
def _made(key: str, level: int, number: int, *, refusable: bool = False) -> WorldTask | None:
    """Draw a task of a world, or return None where it has none of the level."""
    world = built(key)
    for attempt in range(_ATTEMPTS):
        drawn = drawer(key).draw(level, rng("goal", key, level, number, attempt))
        if drawn is None or (refusable and refusal_of(drawn.goal, world.blueprint) is not None):
            continue
        solved = solve(world, drawn.goal, *CALLS[level], memory(key))
        if solved is None:
            continue
        drawn = decided(drawn, solved, world.blueprint)
        if not fits(level, solved.calls, drawn.decisions):
            continue
        said = query(drawn.goal, world.blueprint, rng("words", key, level, number))
        task = _task(world, drawn, solved.requests, said, level, number)
        if refusable:
            task = _refusable(task, world, None, None, "o")
        return WorldTask(world, drawn, solved, task)
    return None


@lru_cache(maxsize=1024)
def _pair(key: str, level: int, number: int) -> tuple[WorldTask, ...] | None:
    """Draw a pair of tasks of a world, or return None where it has none of the level."""
    world = built(key)
    pairs = PairDrawer(world, drawer(key), memory(key))
    for attempt in range(_ATTEMPTS):
        pair = pairs.draw(level, rng("pair", key, level, number, attempt))
        made = [] if pair is None else [_member(world, each, level, number) for each in pair]
        if made and None not in made:
            # Which of them can be met follows from no part of an id.
            place = rng("which", key, level, number).randrange(_PAIR)
            one, other = made[place], made[1 - place]
            return tuple(
                replace(each, task=replace(each.task, id=f"{key}.{level}.{number + at}.{'ab'[at]}"))
                for at, each in enumerate((one, other))
                if each is not None
            )
    return None


def _member(world: Built, member: Member, level: int, number: int) -> WorldTask | None:
    """Return the task of one of a pair, or None where its words do not name what is missing exactly once."""
    said = query(member.drawn.goal, world.blueprint, rng("words", world.key, level, number))
    if member.missing is not None:
        if said.count(member.missing.label) != 1:
            return None
        said = said.replace(member.missing.label, member.missing.text)
    task = _task(world, member.drawn, member.ended.requests, said, level, number)
    task = _refusable(task, world, member.refusal, member.missing, "a")
    return WorldTask(world, member.drawn, member.solved, task, True, member.refusal, member.missing)


def _task(
    world: Built, drawn: Drawn, requests: Sequence[Request], said: str, level: int, number: int
) -> Task:
    """Return a task that cannot be refused."""
    return Task(
        id=f"{world.key}.{level}.{number}",
        query=said,
        tools=tuple(tool.tool for tool in world.tools.values() if tool.kind != "policies"),
        suite="worlds",
        group=_group_of(world.key),
        split=_split_of(world.key, number),
        gold=tuple(ToolCall(each.tool.tool.name, each.arguments) for each in requests),
        goal=dict(goal_record(world.blueprint, drawn.expected)),
        record={"world": world.key, "level": level, "calls": len(requests), "decisions": drawn.decisions},
        answer=answer_schema(drawn.goal, world.blueprint),
    )


def _refusable(
    task: Task, world: Built, refusal: Refusal | None, missing: Missing | None, suffix: str
) -> Task:
    """Return a task as it is where requests can be refused: with policies, and with ``cannot``."""
    return replace(
        task,
        id=f"{task.id}.{suffix}",
        tools=tuple(tool.tool for tool in world.tools.values()),
        goal={**task.goal, **evidence(world, refusal, missing)},
        cannot=reasons_of(world.blueprint),
    )


def _group_of(key: str) -> Group:
    name, _, seed = key.rpartition("-")
    if name in HELD_OUT:
        return "I1-Category"
    return "I1-Instruction" if int(seed) in WORLDS["train"] else "I1-Tool"


def _split_of(key: str, number: int) -> Split:
    seed = int(key.rpartition("-")[2])
    if seed in WORLDS["val"]:
        return "val"
    if seed in WORLDS["test"]:
        return "test"
    if number >= _NEW_TASKS["test"]:
        return "test"
    return "val" if number >= _NEW_TASKS["val"] else "train"


def _levels(level: int | tuple[int, int] | None) -> range:
    first, last = (
        (LEVELS[0], LEVELS[-1]) if level is None else (level, level) if isinstance(level, int) else level
    )
    if not LEVELS[0] <= first <= last <= LEVELS[-1]:
        raise ConfigError(f"level is one from 1 to 6, or the first and last of a range, got {level!r}")
    return range(first, last + 1)


def _check(what: str, got: str, known: tuple[str, ...]) -> None:
    if got not in known:
        raise ConfigError(f"unknown {what} {got!r}; known: {', '.join(known)}.{did_you_mean(got, known)}")
