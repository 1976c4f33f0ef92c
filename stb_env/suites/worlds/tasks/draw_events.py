"""Draws what others change during a task, and what solves the task after each of their changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from stb_env.suites.worlds.data.conditions import BOUNDS, is_unclear_at
from stb_env.suites.worlds.data.facts import Facts
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.episode.events import Event
from stb_env.suites.worlds.goals.evaluation import evaluate
from stb_env.suites.worlds.goals.goal import (
    Clause,
    Expected,
    ForEach,
    GoalError,
    RowId,
    Work,
    parts_of,
    selections,
)
from stb_env.suites.worlds.goals.refusals import refusal_of
from stb_env.suites.worlds.judge import Stage, stage_record
from stb_env.suites.worlds.tasks.draw_changes import Others, acts
from stb_env.suites.worlds.tasks.world_task import WorldTask

_MOST = 3
"""Most events of a task."""
_TRIES = 24
"""Draws of each kind of events."""
_NEAR = 0.8
"""Share of the events that are on what the request is about, where they are to matter."""
_DRAWS = 4
"""Draws of a single event."""


@dataclass(frozen=True, slots=True)
class Moving:
    """Events of a task.

    Attributes:
        events: The events, in order.
        stages: What solves the task after none, one, two ... of them.
        matter: Whether they change what solves it.
    """

    events: tuple[Event, ...]
    stages: tuple[Stage, ...]
    matter: bool


class EventDrawer:
    """Draws the events of one task.

    Args:
        made: The task, without events.
        pick: Draws.
    """

    def __init__(self, made: WorldTask, pick: Random) -> None:
        self._made, self._pick = made, pick
        self._goal, self._blueprint = made.drawn.goal, made.world.blueprint
        self._others = Others(made, pick)
        self._selects = list(selections(self._goal))
        self._first = self._expected(State())

    @property
    def can_matter(self) -> bool:
        """True where events may change what solves the task."""
        if self._made.paired:
            return False
        return not acts(self._goal) or isinstance(self._goal, ForEach | Work)

    def candidates(self, *, matter: bool) -> Iterator[Moving]:
        """Yield events that suit the task, and change what solves it or do not."""
        for _ in range(_TRIES):
            moving = self._moving(self._drawn(matter=matter), matter=matter)
            if moving is not None and moving.matter == matter:
                yield moving

    def _drawn(self, *, matter: bool) -> list[Event]:
        calls = len(self._made.task.gold)
        # What happens before a plan has read much is no surprise.
        first = max(2, calls // 2) if matter else 2
        times = sorted(
            self._pick.randint(first, max(first, calls)) for _ in range(self._pick.randint(1, _MOST))
        )
        events: list[Event] = []
        for at in times:
            near = matter and self._pick.random() < _NEAR
            drawn = (self._others.change(at, near=near) for _ in range(_DRAWS))
            event = next((each for each in drawn if each is not None), None)
            places = [(each.entity, each.row) for each in events if each.row is not None]
            if event is not None and (event.entity, event.row) not in places:
                events.append(event)
        return events

    # -- checks ----------------------------------------------------------------------------------

    def _moving(self, events: Sequence[Event], *, matter: bool) -> Moving | None:
        """Return events with what solves the task after each; None where that would be unclear."""
        if not events or self._first is None:
            return None
        states, touched = [State()], list[RowId]()
        for event in events:
            number, state = event.happen(self._blueprint, states[-1])
            states.append(state)
            touched.append((event.entity, number))
            if self._is_on_a_bound(state, event.entity, number):
                return None
        at_end = self._expected(states[-1])
        # Most draws fail by this, which is told without the states between.
        if (
            at_end is None
            or (at_end.answer == self._first.answer and at_end.rows == self._first.rows) == matter
        ):
            return None
        expected = [self._first]
        for place, each in enumerate(states[1:]):
            found = at_end if each is states[-1] else self._expected(each)
            if found is None or not self._may_follow(expected[-1], found, touched[place]):
                return None
            expected.append(found)
        made = {event.entity for event in events if event.new is not None} | set(expected[0].state.made)
        stages = tuple(
            stage_record(self._blueprint, found, each, made)
            for found, each in zip(expected, states, strict=True)
        )
        first, *later = stages
        differs = any(
            each["answer"] != first["answer"] or each["changes"] != first["changes"] for each in later
        )
        if not differs and any(each["support"] != first["support"] for each in later):
            return None
        return Moving(tuple(events), stages, differs)

    def _expected(self, state: State) -> Expected | None:
        """Return what solves the task from a state; None where that is unclear or another matter."""
        made = self._made
        if made.missing is not None:
            return Expected({}, state)
        if made.task.cannot and refusal_of(self._goal, self._blueprint, state) != made.refusal:
            return None
        if made.refusal is not None:
            return Expected({}, state, rows=tuple(number for _, number in made.refusal.rows))
        try:
            return evaluate(self._goal, self._blueprint, state)
        except GoalError:
            return None

    def _may_follow(self, before: Expected, after: Expected, touched: RowId) -> bool:
        """Return whether those who acted on what was meant before have done nothing wrong by it."""
        if not isinstance(self._goal, ForEach | Work):
            # Others that ask for a change are drawn only where the change stays the same.
            return True
        entity, data = self._goal.select.entity, self._blueprint.data
        return all(
            row in after.rows
            and (entity, row) != touched
            and data.row(before.state, entity, row) == data.row(after.state, entity, row)
            for row in before.rows
        )

    def _is_on_a_bound(self, state: State, entity: str, number: int) -> bool:
        """Return whether a row has the very number that a clause or a rule compares with."""
        row = self._blueprint.data.row(state, entity, number)
        selects = [each for each in self._selects if each.entity == entity]
        if row is None or not selects:
            return False
        facts = Facts(self._blueprint, state)
        clauses = [each for select in selects for each in select.clauses]
        if any(
            isinstance(each, Clause)
            and each.op in BOUNDS
            and facts.getter(entity, each.path)(number, row) == each.value
            for each in clauses
        ):
            return True
        queues = [
            part.queue
            for part in parts_of(self._goal)
            if isinstance(part, Work) and part.select.entity == entity
        ]
        rules = [rule for queue in queues for rule in self._blueprint.entities[entity].queues[queue].rules]
        return any(
            facts.test(entity, condition.model_copy(update={"op": "="}))(number, row)
            for rule in rules
            for condition in (*rule.when, *rule.unless)
            if isinstance(condition.right, int) and is_unclear_at(condition, rule.text, condition.right)
        )
