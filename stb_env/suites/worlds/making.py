"""Makes the tasks of generated worlds; an id is all that it takes to make one again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from stb_env.errors import DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.answer_fields import answer_schema
from stb_env.suites.worlds.apply_dials import apply_dials
from stb_env.suites.worlds.costs import Costs
from stb_env.suites.worlds.crossing import crosses, is_joined
from stb_env.suites.worlds.dials import PLAIN, Dials
from stb_env.suites.worlds.draw_goal import CALLS, Drawn, GoalDrawer, decided, fits
from stb_env.suites.worlds.evidence import evidence
from stb_env.suites.worlds.judge import goal_record
from stb_env.suites.worlds.kit import KITS
from stb_env.suites.worlds.oracle import solve
from stb_env.suites.worlds.pairs import Member, PairDrawer
from stb_env.suites.worlds.refusals import Missing, Refusal, reasons_of, refusal_of
from stb_env.suites.worlds.requests import Memory, Request
from stb_env.suites.worlds.settings import WORLDS, Group, Split
from stb_env.suites.worlds.traits import KEY, Key
from stb_env.suites.worlds.words import query
from stb_env.suites.worlds.world import Built, built
from stb_env.suites.worlds.world_task import WorldTask
from stb_env.tasks import Task
from stb_env.tools import ToolCall

HELD_OUT = ("museum_loans", "vineyard")
"""Kits that training never shows."""
NEW_TASKS = {"val": 1_000_000, "test": 2_000_000}
"""First number of the tasks that are new ones in worlds of training."""
SPREAD = 10_000_000
"""From this number on, tasks are over several services of one kit."""
_ATTEMPTS = 24
"""Draws in one world before the next world is tried."""
_CROSSING, _FIRST_CROSSING, _STAYING = 10, 2, 6
"""Of them those that must cross in a joined world, from this level on; one in so many tasks need not."""
_WORLDS_IN_USE = 16
"""Worlds whose results of calls are kept while tasks are drawn in them."""

_ID = re.compile(rf"({KEY})\.([1-6])\.(0|[1-9]\d{{0,8}})(?:\.([abo]))?(?:\.([a-z0-9]+))?")
PAIR = 2
"""Tasks of a pair; one that stands alone where some can be refused has the third of the suffixes."""


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
    if found is None or not set(Key.of(found[1]).kits) <= set(kits()):
        raise DataError(
            f"no task {task_id!r:.80} in generated worlds; an id is kit-seed.level.number, such as "
            f"{kits()[0]}-17.3.0"
        )
    dials = Dials.of(found[5] or "")
    if dials is None:
        raise DataError(f"task {task_id!r:.80}: {found[5]!r} is no part of an id that tells dials")
    made = formed(found[1], int(found[2]), int(found[3]), found[4] or "", dials)
    if made is None:
        raise DataError(f"the world {found[1]} has no task {found[3]} of level {found[2]}")
    return made


@lru_cache(maxsize=1)
def kits() -> tuple[str, ...]:
    """Return the names of the kits that come with the package."""
    return tuple(sorted(path.stem for path in KITS.glob("*.toml")))


@lru_cache(maxsize=32)
def drawer(key: str) -> GoalDrawer:
    """Return what draws the goals of a world."""
    world = built(key)
    return GoalDrawer(world.blueprint, Costs(world))


@lru_cache(maxsize=_WORLDS_IN_USE)
def memory(key: str) -> Memory:
    """Return what the oracle's plans have read in a world, for the worlds in which tasks are drawn now."""
    del key
    return Memory()


def formed(key: str, level: int, number: int, form: str, dials: Dials = PLAIN) -> WorldTask | None:
    """Return a task of a world, or None where the world has none of the level.

    Args:
        key: The world's key.
        level: The task's level.
        number: Its number among those of the level.
        form: ``a`` or ``b`` for one of a pair, ``o`` for one that stands alone among pairs; else empty.
        dials: The conditions of its episodes.
    """
    if form in ("", "o"):
        made = _made(key, level, number, refusable=form == "o")
    else:
        pair = _pair(key, level, number - number % PAIR)
        made = None if pair is None else pair[number % PAIR]
    return made if made is None or dials == PLAIN else apply_dials(made, dials)


# Runs play a task once a trial, and drawing it costs much more than the rest of a reset.
@lru_cache(maxsize=1024)
def _made(key: str, level: int, number: int, *, refusable: bool = False) -> WorldTask | None:
    """Draw a task of a world, or return None where it has none of the level."""
    world, part = built(key), _part_of(key, number)
    can_cross = level >= _FIRST_CROSSING and is_joined(world.blueprint) and number % _STAYING > 0
    for attempt in range(_ATTEMPTS):
        crossing = can_cross and attempt < _CROSSING
        pick = rng("goal", key, level, number, attempt)
        drawn = drawer(key).draw(level, pick, part, crossing=crossing)
        if drawn is None or (refusable and refusal_of(drawn.goal, world.blueprint) is not None):
            continue
        solved = solve(world, drawn.goal, *CALLS[level], memory(key))
        if solved is None or not _is_spread(world, solved.requests, number):
            continue
        if crossing and not crosses(world.blueprint, _used(solved.requests)):
            continue
        drawn = decided(drawn, solved, world.blueprint)
        if not fits(level, solved.calls, drawn.decisions):
            continue
        said = query(drawn.goal, world.blueprint, rng("words", key, level, number))
        task = _task(world, drawn, solved.requests, said, level, number)
        if refusable:
            task = _refusable(task, world, None, None, "o")
        return WorldTask(key, drawn, replace(solved, requests=()), task)
    return None


def _used(requests: Sequence[Request]) -> set[str]:
    """Return the entities whose tools some requests use."""
    return {each.tool.entity for each in requests if each.tool.entity}


def _is_spread(world: Built, requests: Sequence[Request], number: int) -> bool:
    """Return whether requests use several services, where the number of their task asks for it."""
    entities = world.blueprint.entities
    return number < SPREAD or len({entities[each].service for each in _used(requests)}) > 1


@lru_cache(maxsize=1024)
def _pair(key: str, level: int, number: int) -> tuple[WorldTask, ...] | None:
    """Draw a pair of tasks of a world, or return None where it has none of the level."""
    world = built(key)
    pairs = PairDrawer(world, drawer(key), memory(key))
    for attempt in range(_ATTEMPTS):
        pair = pairs.draw(level, rng("pair", key, level, number, attempt))
        if pair is None or not _is_spread(world, pair[1].ended.requests, number):
            continue
        made = [_member(world, each, level, number) for each in pair]
        if None not in made:
            # Which of them can be met follows from no part of an id.
            place = rng("which", key, level, number).randrange(PAIR)
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
    solved = replace(member.solved, requests=())
    return WorldTask(world.key, member.drawn, solved, task, True, member.refusal, member.missing)


def _task(
    world: Built, drawn: Drawn, requests: Sequence[Request], said: str, level: int, number: int
) -> Task:
    """Return a task that cannot be refused."""
    return Task(
        id=f"{world.key}.{level}.{number}",
        query=said,
        tools=tuple(tool.tool for tool in world.tools.values() if tool.kind != "policies"),
        suite="worlds",
        group=_group_of(world.key, number),
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


def _group_of(key: str, number: int) -> Group:
    parts = Key.of(key)
    if set(parts.kits) & set(HELD_OUT):
        groups: tuple[Group, Group, Group] = ("I1-Category", "I2-Category", "I3-Category")
    elif parts.seed in WORLDS["train"]:
        groups = ("I1-Instruction", "I2-Instruction", "I3-Instruction")
    else:
        groups = ("I1-Tool", "I2-Tool", "I3-Tool")
    return groups[2 if len(parts.kits) > 1 else number >= SPREAD]


def _part_of(key: str, number: int) -> Split | None:
    """Return the part of a world's goals that a task is of, where splits share the world."""
    return _split_of(key, number) if Key.of(key).seed in WORLDS["train"] else None


def _split_of(key: str, number: int) -> Split:
    seed = Key.of(key).seed
    if seed in WORLDS["val"]:
        return "val"
    if seed in WORLDS["test"]:
        return "test"
    place = number % SPREAD
    if place >= NEW_TASKS["test"]:
        return "test"
    return "val" if place >= NEW_TASKS["val"] else "train"
