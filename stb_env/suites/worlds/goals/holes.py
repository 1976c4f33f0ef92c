"""Holes: places of a goal whose values a request can leave open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from stb_env.suites.worlds.data.rows import MISSING
from stb_env.suites.worlds.goals.goal import (
    Change,
    Clause,
    Difference,
    ForEach,
    Goal,
    Limit,
    Make,
    Operator,
    Part,
    Related,
    Select,
    Several,
    Tally,
    parts_of,
)

_OPEN = range(MISSING + 1, MISSING + 100)
"""Values that stand where a value is left open: no row has them."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a goal that has a value. Two places are one where they ask for the same.

    Attributes:
        entity: The entity whose rows the path starts from.
        path: The attribute, over references; of ``set`` the action.
        op: The comparison of a clause; ``set`` for what an action sets, ``give`` for a value of a new row.
        value: The value, as rows hold it.
    """

    entity: str
    path: str
    op: Operator | Literal["set", "give"]
    value: int


def slots(goal: Goal) -> tuple[Slot, ...]:
    """Return the places of a goal that have values.

    Of a difference these are the places that both selections share.
    """
    return tuple(dict.fromkeys(slot for part in parts_of(goal) for slot in _of_part(part)))


def _of_part(goal: Part) -> Sequence[Slot]:
    if isinstance(goal, Difference):
        others = set(_of_select(goal.other))
        return [each for each in _of_select(goal.one) if each in others]
    found = list(_of_select(goal.select))
    if isinstance(goal, Change | ForEach) and goal.value is not None and not _moves(goal):
        found.append(Slot(goal.select.entity, goal.action, "set", goal.value))
    if isinstance(goal, Make):
        found += [Slot(goal.entity, name, "give", value) for name, value in goal.values]
    return found


def _moves(goal: Change | ForEach) -> bool:
    """Return whether a goal moves a quantity: how much is always told."""
    return isinstance(goal, Change) and goal.target is not None


def _of_select(select: Select) -> Iterator[Slot]:
    for clause in select.clauses:
        if isinstance(clause, Related | Tally):
            for inner in clause.clauses:
                yield Slot(clause.entity, inner.path, inner.op, inner.value)
        else:
            yield Slot(select.entity, clause.path, clause.op, clause.value)


def revalued(goal: Goal, values: Mapping[Slot, int]) -> Goal:
    """Return a goal with other values in some places."""
    if isinstance(goal, Several):
        return replace(goal, parts=tuple(_revalued(part, values) for part in goal.parts))
    return _revalued(goal, values)


def _revalued(goal: Part, values: Mapping[Slot, int]) -> Part:
    def value_at(slot: Slot) -> int:
        return values.get(slot, slot.value)

    if isinstance(goal, Difference):
        one, other = _select_with(goal.one, value_at), _select_with(goal.other, value_at)
        return replace(goal, one=one, other=other)
    changed = replace(goal, select=_select_with(goal.select, value_at))
    if isinstance(changed, Change | ForEach) and changed.value is not None and not _moves(changed):
        slot = Slot(changed.select.entity, changed.action, "set", changed.value)
        return replace(changed, value=value_at(slot))
    if isinstance(changed, Make):
        given = (
            (name, value_at(Slot(changed.entity, name, "give", value))) for name, value in changed.values
        )
        return replace(changed, values=tuple(given))
    return changed


def _select_with(select: Select, value_at: Callable[[Slot], int]) -> Select:
    def clause_with(entity: str, clause: Clause) -> Clause:
        return replace(clause, value=value_at(Slot(entity, clause.path, clause.op, clause.value)))

    clauses: list[Limit] = []
    for clause in select.clauses:
        if isinstance(clause, Related | Tally):
            inner = tuple(clause_with(clause.entity, each) for each in clause.clauses)
            clauses.append(replace(clause, clauses=inner))
        else:
            clauses.append(clause_with(select.entity, clause))
    return replace(select, clauses=tuple(clauses))


def opened(goal: Goal, places: tuple[Slot, ...]) -> tuple[Goal, tuple[Slot, ...]]:
    """Return a goal with holes, and the holes: fill them with `revalued`."""
    marks = dict(zip(places, _OPEN, strict=False))
    return revalued(goal, marks), tuple(replace(slot, value=mark) for slot, mark in marks.items())


def is_open(value: int) -> bool:
    """Return whether a value says that there is a hole."""
    return value in _OPEN
