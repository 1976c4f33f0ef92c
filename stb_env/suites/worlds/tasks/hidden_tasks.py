"""Makes tasks whose requests leave details open, from tasks that tell everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from stb_env.suites.worlds.drawing.hiding import Detail, Hider, place_of
from stb_env.suites.worlds.episode.script import ScriptRecord
from stb_env.suites.worlds.goals.goal import Goal
from stb_env.suites.worlds.goals.holes import opened, revalued, slots
from stb_env.suites.worlds.oracle.asking import Hole, OpenGoal
from stb_env.suites.worlds.tasks.apply_dials import recorded
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.words import blanks
from stb_env.suites.worlds.words.query import query
from stb_env.suites.worlds.words.telling import user_record

_TWINS = 60
"""Other values that are tried for a twin."""
_PLAYED = 4
"""Of them, those that are played."""
_FEW = 6
"""Calls that it takes to find what the user points to, at most."""
_NEWS = 0.25
"""Share of requests that say to ask for news although there is none."""

Twins = tuple[WorldTask, WorldTask]


def hide(
    made: WorldTask,
    count: int,
    pick: Random,
    words: Callable[[], Random],
    as_task: Callable[[Goal], WorldTask | None],
) -> Twins | None:
    """Return a task that leaves details open, and its twin: the same request, another fact and outcome.

    Args:
        made: The task that tells everything.
        count: Details that are left open, at most.
        pick: Draws.
        words: Gives what draws the words of the request, each time anew.
        as_task: Makes the task of a goal, or returns None where it is none of the level or the split.
    """
    hider = hider_of(made)
    details = hider.details(count, pick)
    if not details:
        return None
    first, places = details[0].slot, [each.slot for each in details]
    played = 0
    for value in hider.others(first, pick, _TWINS):
        if not hider.is_wrong(first, value):
            continue
        other = as_task(revalued(made.drawn.goal, {first: value}))
        played += 1
        if other is not None:
            slot = replace(first, value=value)
            beside = hider_of(other)
            if beside.can_be_open(slot, pick) and not beside.is_guessed([slot, *places[1:]]):
                chance = pick.getrandbits(64)
                mine = hider.told_with_mistakes(details, Random(chance), value)
                own = [replace(details[0], slot=slot), *details[1:]]
                theirs = beside.told_with_mistakes(own, Random(chance), first.value)
                news = pick.random() < _NEWS or any(each.manner == "changes" for each in (*mine, *theirs))
                return open_task(made, mine, news, words(), pick), open_task(
                    other, theirs, news, words(), pick
                )
        if played == _PLAYED:
            return None
    return None


def hide_in_pair(
    pair: Sequence[WorldTask], count: int, pick: Random, words: Callable[[], Random]
) -> tuple[WorldTask, ...] | None:
    """Return a pair whose requests leave details open, or None where one has no such detail."""
    allowed = next(each for each in pair if each.refusal is None)
    refused = next(each for each in pair if each.refusal is not None)
    mine = hider_of(allowed).details(count, pick)
    theirs = hider_of(refused).same(mine)
    if len(theirs) != len(mine):
        # Of many rows both members have clauses of their own.
        theirs = hider_of(refused).details(count, pick)
    if not mine or not theirs:
        return None
    news, chance = pick.random() < _NEWS, pick.getrandbits(64)
    found: list[WorldTask] = []
    for each in pair:
        details = mine if each.refusal is None else theirs
        told = hider_of(each).told(details, Random(chance), refused.missing)
        made = open_task(each, told, news, words(), pick)
        missing = each.missing
        if missing is not None and not any(detail.text for detail in told):
            said = made.task.query
            if said.count(missing.label) != 1:
                return None
            made = replace(made, task=replace(made.task, query=said.replace(missing.label, missing.text)))
        found.append(made)
    return tuple(found)


def guesses(made: WorldTask) -> dict[str, bool]:
    """Return the ways of guessers who never ask, and whether each solves a task that leaves details open."""
    holes = () if made.open is None else made.open.holes
    marks = {(hole.slot.entity, hole.slot.path, hole.slot.op) for hole in holes}
    places = [slot for slot in slots(made.drawn.goal) if (slot.entity, slot.path, slot.op) in marks]
    return hider_of(made).guesses(places)


def hider_of(made: WorldTask) -> Hider:
    """Return what draws the details that a task leaves open."""
    missing = made.missing if made.refusal is not None else None
    return Hider(made.world.blueprint, made.drawn.goal, made.drawn.expected, missing)


def open_task(
    made: WorldTask, details: Sequence[Detail], news: bool, words: Random, pick: Random
) -> WorldTask:
    """Return a task that leaves details open, with a user who knows them; its gold does not ask yet.

    Args:
        made: The task that tells everything.
        details: The details.
        news: Whether the request says to ask for news.
        words: Draws the words of the request.
        pick: Draws those of the user.
    """
    world = made.world
    goal, holes = opened(made.drawn.goal, tuple(each.slot for each in details))
    said = [query(goal, world.blueprint, words), words.choice(blanks.ASK)]
    if news:
        said.append(words.choice(blanks.NEWS))
    named = tuple(
        Hole(each.about, hole, *place_of(world.blueprint, hole))
        for each, hole in zip(details, holes, strict=True)
    )
    left_open = OpenGoal(goal, named, news)
    found = _with_user(made, details, " ".join(said), left_open, pick)
    asked = [each for each in details if each.source is not None]
    if asked and len(recorded(found).task.gold) - len(made.task.gold) > _FEW + 2 * len(details):
        # Nobody reads page after page for a detail.
        told = [replace(each, manner="tells", source=None) if each in asked else each for each in details]
        found = _with_user(made, told, found.task.query, left_open, pick)
    return found


def _with_user(
    made: WorldTask, details: Sequence[Detail], said: str, left_open: OpenGoal, pick: Random
) -> WorldTask:
    """Return a task of a request that leaves details open, with a user who knows them."""
    user = user_record(made.world.blueprint, made.drawn.goal, details, pick)
    task = replace(
        made.task,
        query=said,
        tools=(*made.task.tools, made.world.asking.tool),
        goal={**made.task.goal, "script": ScriptRecord(user=user)},
        record={**made.task.record, "knows": user["facts"]},
    )
    return replace(made, task=task, open=left_open)
