"""Makes the tasks of generated worlds; an id is all that it takes to make one again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from random import Random

from stb_env.errors import DataError
from stb_env.seeding import rng
from stb_env.suites.worlds.data.traits import KEY, Key
from stb_env.suites.worlds.drawing.costs import Costs
from stb_env.suites.worlds.drawing.crossing import crosses, is_joined
from stb_env.suites.worlds.drawing.draw_goal import CALLS, Drawn, GoalDrawer, decided, fits, part_of
from stb_env.suites.worlds.drawing.pairs import Member, PairDrawer
from stb_env.suites.worlds.goals.answer_fields import answer_schema
from stb_env.suites.worlds.goals.goal import Goal
from stb_env.suites.worlds.goals.refusals import Missing, Refusal, reasons_of, refusal_of
from stb_env.suites.worlds.judge import goal_record
from stb_env.suites.worlds.oracle.requests import Memory, Request
from stb_env.suites.worlds.oracle.solve import solve
from stb_env.suites.worlds.schema.kit import KITS, OWN_KITS
from stb_env.suites.worlds.tasks.apply_dials import apply_dials, recorded
from stb_env.suites.worlds.tasks.dials import PLAIN, Dials
from stb_env.suites.worlds.tasks.evidence import evidence
from stb_env.suites.worlds.tasks.hidden_tasks import hide, hide_in_pair
from stb_env.suites.worlds.tasks.settings import WORLDS, Group, Split
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.words.query import query
from stb_env.suites.worlds.world import Built, built
from stb_env.tasks import Task
from stb_env.tools import ToolCall

HELD_OUT = (
    "bike_sharing",
    "cemetery",
    "ferry_line",
    "museum_loans",
    "orchestra",
    "power_grid",
    "rail_freight",
    "repair_shop",
    "satellite_operator",
    "seed_bank",
    "ski_resort",
    "state_archive",
    "tax_office",
    "vineyard",
)
"""Kits that training never shows."""
NEW_TASKS = {"val": 1_000_000, "test": 2_000_000}
"""First number of the tasks that are new ones in worlds of training."""
SPREAD = 10_000_000
"""From this number on, tasks are over several services of one kit."""
_ATTEMPTS = 24
"""Draws in one world before the next world is tried."""
_CROSSING, _FIRST_CROSSING, _STAYING = 10, 2, 6
"""Of them those that must cross in a joined world, from this level on; one in so many tasks need not."""
_APART = 100_000
"""Between the numbers of tasks that are tried in the place of one that leaves nothing open."""
_WORLDS_IN_USE = 16
"""Worlds whose results of calls are kept while tasks are drawn in them."""

_ID = re.compile(rf"({KEY})\.([1-6])\.(0|[1-9]\d{{0,8}})(?:\.([abo]))?(?:\.([a-z0-9]+))?")
_OWN_NAME = re.compile(r"_k[0-9a-f]{8}$")
PAIR = 2
"""Tasks of a pair; one that stands alone where some can be refused has the third of the suffixes."""


def task_in(key: str, level: int, dials: Dials = PLAIN) -> Task | None:
    """Return the first task of a level in a world, or None where there is none among a few draws."""
    made = formed(key, level, 0, "", dials)
    return None if made is None else made.task


def task_of(task_id: str) -> WorldTask:
    """Return the task of an id with what it was made of.

    Raises:
        DataError: There is none.
    """
    found = _ID.fullmatch(task_id)
    unknown = [] if found is None else [name for name in Key.of(found[1]).kits if name not in known_kits()]
    if unknown and _OWN_NAME.search(unknown[0]):
        raise DataError(
            f"task {task_id!r:.80} is of a kit of an author's own; make the environment with kit=FILE, whose "
            f"text is still that of {unknown[0]}"
        )
    if found is None or unknown:
        raise DataError(
            f"no task {task_id!r:.80} in generated worlds; an id is kit-seed.level.number, such as "
            f"{kits()[0]}-17.3.0"
        )
    dials = Dials.of(found[5] or "")
    if dials is None:
        raise DataError(f"task {task_id!r:.80}: {found[5]!r} is no part of an id that tells dials")
    if dials.fault:
        raise DataError(f"no task {task_id!r:.80}: {dials.fault}")
    made = formed(found[1], int(found[2]), int(found[3]), found[4] or "", dials)
    if made is None:
        under = f" under {dials.suffix}" if dials.suffix else ""
        raise DataError(f"the world {found[1]} has no task {found[3]} of level {found[2]}{under}")
    if made.task.id != task_id:
        raise DataError(f"no task {task_id!r:.80}; the one of this number is {made.task.id}")
    return made


@lru_cache(maxsize=1)
def kits() -> tuple[str, ...]:
    """Return the names of the kits that come with the package."""
    return tuple(sorted(path.stem for path in KITS.glob("*.toml")))


def known_kits() -> tuple[str, ...]:
    """Return the names of the kits that come with the package, and of own ones that are in use."""
    return (*kits(), *OWN_KITS)


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
    if dials != PLAIN:
        return _under_dials(key, level, number, form, dials)
    if form in ("", "o"):
        return _made(key, level, number, refusable=form == "o")
    pair = _pair(key, level, number - number % PAIR)
    return None if pair is None else pair[number % PAIR]


@lru_cache(maxsize=1024)
def _under_dials(key: str, level: int, number: int, form: str, dials: Dials) -> WorldTask | None:
    """Return a task of a world under dials, or None where there is none."""
    if dials.hidden:
        first = number - number % PAIR
        twins = _twins(key, level, first, form if form in ("", "o") else "ab", dials.hidden)
        made = None if twins is None else twins[number - first]
        if made is not None and dials.events:
            # How many calls gold makes says when others change rows.
            made = recorded(made)
    else:
        made = formed(key, level, number, form)
    return None if made is None else apply_dials(made, dials)


@lru_cache(maxsize=1024)
def _twins(key: str, level: int, number: int, form: str, count: int) -> tuple[WorldTask, ...] | None:
    """Return two tasks whose requests leave details open, or None where the world has none of the level.

    Args:
        key: The world's key.
        level: The tasks' level.
        number: The number of the first.
        form: ``ab`` for a pair of which one cannot be met, ``o`` for two that can; else empty.
        count: Details that are left open, at most.
    """
    for attempt in range(_ATTEMPTS):
        at = number + attempt * _APART
        pick = rng("hidden", key, level, number, form, count, attempt)

        def words(at: int = at) -> Random:
            return rng("words", key, level, at)

        if form == "ab":
            pair = _pair(key, level, at)
            twins = None if pair is None else hide_in_pair(pair, count, pick, words)
            suffixes = [".a", ".b"]
        else:
            made = _made(key, level, at, refusable=form == "o")
            as_task = partial(_as_task, key, level, number, form == "o")
            twins = None if made is None else hide(made, count, pick, words, as_task)
            suffixes = [f".{form}" if form else ""] * PAIR
            if twins is not None and pick.random() < 0.5:
                # Which of them was drawn first follows from no part of an id.
                twins = twins[::-1]
        if twins is not None:
            ids = [f"{key}.{level}.{number + place}{suffix}" for place, suffix in enumerate(suffixes)]
            return tuple(
                replace(each, task=replace(each.task, id=name)) for each, name in zip(twins, ids, strict=True)
            )
    return None


def _as_task(key: str, level: int, number: int, refusable: bool, goal: Goal) -> WorldTask | None:
    """Return the task of a goal, or None where it is none of the level, or of another split."""
    world, part = built(key), _part_of(key, number)
    if part not in (None, part_of(goal)):
        return None
    drawn = drawer(key).drawn(level, goal)
    if drawn is None or (refusable and refusal_of(goal, world.blueprint) is not None):
        return None
    return _solved(world, drawn, level, number, refusable)


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
        made = _solved(world, drawn, level, number, refusable)
        if made is not None and (not crossing or crosses(world.blueprint, _used(made))):
            return made
    return None


def _used(made: WorldTask) -> set[str]:
    """Return the entities whose tools the gold of a task uses."""
    tools = made.world.tools
    return {tools[call.name].entity for call in made.task.gold if tools[call.name].entity}


def _is_spread(made: WorldTask, number: int) -> bool:
    """Return whether a task uses several services, where its number asks for it."""
    entities = made.world.blueprint.entities
    return number < SPREAD or len({entities[each].service for each in _used(made)}) > 1


def _solved(world: Built, drawn: Drawn, level: int, number: int, refusable: bool) -> WorldTask | None:
    """Return the task of a goal as the oracle solves it, or None where it is none of the level."""
    solved = solve(world, drawn.goal, *CALLS[level], memory(world.key))
    if solved is None:
        return None
    drawn = decided(drawn, solved, world.blueprint)
    if not fits(level, solved.calls, drawn.decisions):
        return None
    said = query(drawn.goal, world.blueprint, rng("words", world.key, level, number))
    task = _task(world, drawn, solved.requests, said, level, number)
    if refusable:
        task = _refusable(task, world, None, None, "o")
    made = WorldTask(world.key, drawn, replace(solved, requests=()), task)
    return made if _is_spread(made, number) else None


@lru_cache(maxsize=1024)
def _pair(key: str, level: int, number: int) -> tuple[WorldTask, ...] | None:
    """Draw a pair of tasks of a world, or return None where it has none of the level."""
    world = built(key)
    pairs = PairDrawer(world, drawer(key), memory(key))
    for attempt in range(_ATTEMPTS):
        pair = pairs.draw(level, rng("pair", key, level, number, attempt))
        if pair is None:
            continue
        made = [_member(world, each, level, number) for each in pair]
        if None not in made and made[1] is not None and _is_spread(made[1], number):
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
