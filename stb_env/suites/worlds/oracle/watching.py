"""Plays goals where others change rows meanwhile: reads again until nothing has changed since.

One tool tells what others have changed. A plan that has read while rows moved may have missed some, so it
starts over before it acts or answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.goal import ForEach, Goal, Measure, Work
from stb_env.suites.worlds.oracle.finder import Finder
from stb_env.suites.worlds.oracle.player import REPORT, SORTED, Player
from stb_env.suites.worlds.oracle.requests import Asking, Plan, Request
from stb_env.suites.worlds.services.archetypes.tool import ACTS
from stb_env.suites.worlds.world import Built

_LOST = (LookupError, TypeError, ValueError)
"""What a plan raises where rows moved while it read."""


def latest(world: Built, known: int) -> Asking[int]:
    """Return the number of the last change that others have made."""
    feed = next(tool for tool in world.scripted.values() if tool.kind == "changes")
    response = yield Request(feed, {"after": known} if known else {})
    number: int = response["last"]
    return number


def watched(world: Built, start: Callable[[], Plan]) -> Plan:
    """Play a plan from the start until nothing moves while it reads; then let it act.

    Args:
        world: The world.
        start: Makes the plan.
    """
    known = 0
    while True:
        plan, response, acted = start(), None, False
        ending: Any = None
        lost: Exception | None = None
        try:
            while True:
                request = plan.send(response)
                if request.tool.kind in ACTS and not acted:
                    last = yield from latest(world, known)
                    if last != known:
                        break
                    acted = True
                response = yield request
        except StopIteration as stop:
            if acted:
                return stop.value
            last, ending = (yield from latest(world, known)), stop.value
        except _LOST as error:
            if acted:
                raise
            last, lost = (yield from latest(world, known)), error
        if last == known and lost is not None:
            raise lost
        if last == known:
            return ending
        known = last


class RoundsPlayer(Player):
    """Acts on many rows in rounds, until no more rows have come in.

    Args:
        world: The world.
        modes: The plan, as `Solved` has it.
    """

    def __init__(self, world: Built, modes: Mapping[str, Any]) -> None:
        super().__init__(world, modes)
        self._ways = {place: mode for place, mode in modes.items() if place not in (SORTED, REPORT)}
        self._due: dict[str, tuple[list[int], int | None]] = {}
        self._values: dict[int, dict[str, int]] = {}
        self._read: dict[int, dict[str, int]] = {}

    def rounds(self, goal: ForEach | Work) -> Asking[JsonObject]:
        """Yield the calls that solve a goal, and return the answer."""
        entity, known = goal.select.entity, 0
        done: set[int] = set()
        while True:
            # Nothing that was read before counts, for rules either.
            self.finder = self._rules.finder = Finder(self.world, self._ways)
            self._due = {}
            lost: Exception | None = None
            try:
                yield from self.solve(goal)
            except _LOST as error:
                lost = error
            last = yield from latest(self.world, known)
            if last != known:
                known = last
                continue
            if lost is not None:
                raise lost
            for number, values in self._read.items():
                self._values.setdefault(number, values)
            acts = [
                (action, [number for number in numbers if number not in done], value)
                for action, (numbers, value) in self._due.items()
            ]
            for action, numbers, value in acts:
                yield from super()._act(entity, numbers, action, value)
                done.update(numbers)
            if not any(numbers for _, numbers, _ in acts):
                break
            last = yield from latest(self.world, known)
            if last == known:
                break
            known = last
        return super()._figures(entity, list(self._values), goal.measures)

    def _act(self, entity: str, numbers: Sequence[int], action: str, value: int | None) -> Plan:
        """Keep what is to be done, rather than do it."""
        del entity
        self._due[action] = (list(numbers), value)
        yield from ()

    def _figures(self, entity: str, numbers: Sequence[int], measures: Sequence[Measure]) -> JsonObject:
        """Keep the values that figures are made of, rather than the figures."""
        paths = [measure.path for measure in measures if measure.path]
        self._read = {
            number: {path: self.finder.value(entity, number, path) for path in paths} for number in numbers
        }
        return {}

    def _figure(self, entity: str, numbers: Sequence[int], measure: Measure) -> int:
        del entity
        if measure.kind == "count":
            return len(numbers)
        values = [self._values[number][measure.path] for number in numbers]
        values = [value for value in values if value != MISSING]
        if measure.kind == "total":
            return sum(values)
        return max(values) if measure.kind == "greatest" else min(values)


def watchful(
    world: Built, goal: Goal, modes: Mapping[str, Any], start: Callable[[], Plan], *, paired: bool
) -> Plan:
    """Return the plan for a goal where others change rows.

    Args:
        world: The world.
        goal: The goal.
        modes: The oracle's plan, as `Solved` has it.
        start: Makes the plan for a world in which nothing moves.
        paired: Whether it is one of a pair, which nothing that others do concerns.
    """
    if not paired and isinstance(goal, ForEach | Work):
        return RoundsPlayer(world, modes).rounds(goal)
    return watched(world, start)
