"""The oracle: the shortest plan that compiles a goal to calls of a world's tools."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.goals.goal import Extreme, Goal, Part, Several, Summary
from stb_env.suites.worlds.oracle.finder import Mode
from stb_env.suites.worlds.oracle.player import REPORT, SORTED, Player, part_mode
from stb_env.suites.worlds.oracle.requests import Memory, Request
from stb_env.suites.worlds.oracle.session import Session
from stb_env.suites.worlds.services.archetypes.tool import ACTS
from stb_env.suites.worlds.world import Built

_FEW = 2
"""Plans of so few calls are not made shorter."""


@dataclass(frozen=True, slots=True)
class Solved:
    """Outcome of a plan.

    Attributes:
        answer: The answer.
        state: The changes at the end.
        calls: How many calls it took.
        modes: The plan: how it follows references, and whether it goes by the order of a list.
        requests: The calls.
        judged: The rows of each entity that the plan compares or decides itself, rather than a filter.
    """

    answer: JsonObject
    state: State
    calls: int
    modes: Mapping[str, Any]
    requests: tuple[Request, ...] = ()
    judged: Mapping[str, Set[int]] = field(default_factory=dict)


def solve(
    world: Built, goal: Goal, least: int = 1, most: int = 80, memory: Memory | None = None
) -> Solved | None:
    """Return the shortest of the oracle's plans for a goal, played from the start of an episode.

    Args:
        world: The world.
        goal: The goal.
        least: No plan is wanted where one takes fewer calls.
        most: Plans that take more calls are given up.
        memory: What plans for other goals in this world have read.

    Returns:
        The plan; None where every one takes more calls, or one takes fewer than are wanted.
    """
    memory = Memory() if memory is None else memory
    memory.shorten()
    if isinstance(goal, Several):
        best = _together(world, goal, memory, most)
    else:
        best = _shortest(world, goal, memory, least, most)
    if best is None or best[0] < least:
        return None
    return _played(world, goal, best[1], memory)


def _shortest(
    world: Built, goal: Part, memory: Memory, least: int, most: int
) -> tuple[int, Mapping[str, Any]] | None:
    """Return the calls and modes of the shortest plan; None where every one takes more calls."""
    starts: list[Mapping[str, Any]] = [{}]
    if isinstance(goal, Extreme | Summary):
        starts.append({SORTED: True})
    if isinstance(goal, Summary) and world.by_kind.get(("report", goal.select.entity, "")) is not None:
        starts.append({REPORT: True})
    best: tuple[int, Mapping[str, Any]] | None = None
    for start in starts:
        best = _shortened(world, goal, start, memory, least, most, best)
    return best


def _together(world: Built, goal: Several, memory: Memory, most: int) -> tuple[int, Mapping[str, Any]] | None:
    """Return the calls and modes of a short plan for several things.

    Each part goes by its own shortest plan, or by its plainest where what other parts read shortens that.
    """
    modes: dict[str, Any] = {}
    for place, part in enumerate(goal.parts):
        found = _shortest(world, part, memory, 1, most)
        if found is None:
            return None
        modes |= {part_mode(place, mode): value for mode, value in found[1].items()}
    best: tuple[int, Mapping[str, Any]] | None = None
    for plainer in [None, *range(len(goal.parts))]:
        start = "" if plainer is None else part_mode(plainer, "")
        kept = {mode: value for mode, value in modes.items() if not start or not mode.startswith(start)}
        if best is not None and kept == modes:
            continue
        calls, _ = _tried(world, goal, kept, memory, most if best is None else best[0] - 1)
        if calls is not None:
            best, modes = (calls, kept), kept
    return best


def _shortened(
    world: Built,
    goal: Goal,
    modes: Mapping[str, Any],
    memory: Memory,
    least: int,
    most: int,
    best: tuple[int, Mapping[str, Any]] | None,
) -> tuple[int, Mapping[str, Any]] | None:
    """Return the calls and modes of a plan that is shorter than the best so far, else those of the best.

    Choices are made one at a time from some modes on, each kept where it shortens the plan.
    """
    options: dict[tuple[str, Any], None] = {}
    option, tried = modes, 0
    while best is None or best[0] > max(_FEW, least - 1):
        calls, others = _tried(world, goal, option, memory, most if best is None else best[0] - 1)
        options.update(dict.fromkeys(others))
        if calls is not None:
            best, modes = (calls, option), option
        if tried == len(options):
            break
        place, mode = list(options)[tried]
        option = {**modes, place: mode}
        tried += 1
    return best


def _tried(
    world: Built, goal: Goal, modes: Mapping[str, object], memory: Memory, most: int
) -> tuple[int | None, list[tuple[str, Mode]]]:
    """Return how many calls a plan takes, None for more than the most; and other ways to go."""
    player, session = Player(world, modes, memory), Session(world)
    plan = player.solve(goal)
    response, calls = None, 0
    while True:
        try:
            request = plan.send(response)
        except StopIteration:
            return calls, list(player.finder.options)
        calls += session.calls(request)
        if calls > most:
            return None, list(player.finder.options)
        # What acts answer is read by no plan, and they come last.
        response = None if request.tool.kind in ACTS else memory.answer(request)


def _played(world: Built, goal: Goal, modes: Mapping[str, object], memory: Memory) -> Solved:
    # No plan reads a row after it has acted, so what rows say at the start holds for all of it.
    player = Player(world, modes, memory)
    plan = Session(world).carried(player.solve(goal))
    made: list[Request] = []
    state, response = State(), None
    while True:
        try:
            request = plan.send(response)
        except StopIteration as stop:
            state = replace(state, notes={})
            return Solved(stop.value, state, len(made), modes, tuple(made), player.finder.judged)
        made.append(request)
        response, state = request.tool.call(state, request.arguments)
