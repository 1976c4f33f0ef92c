"""Events: rows that others change while an episode goes on, each at a number of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rows import Row, State

if TYPE_CHECKING:
    from stb_env.suites.worlds.data.blueprint import Blueprint

NOTES = "events"
"""Names the row numbers of what has happened among a state's notes."""


@dataclass(frozen=True, slots=True)
class Event:
    """Change of a row that nobody in the episode makes.

    Attributes:
        at: The call before which it happens, from 1.
        entity: The entity of the row.
        row: The row's number; None where it is a new one.
        column: The column that changes; None where the row is removed, or is a new one.
        value: The value that the column gets.
        new: A new row, whose label is the next of the codes that no row has.
    """

    at: int
    entity: str
    row: int | None = None
    column: int | None = None
    value: int = 0
    new: Row | None = None

    @property
    def record(self) -> JsonObject:
        """The event as a task's goal holds it."""
        told = {name: value for name, value in asdict(self).items() if value is not None}
        return {**told, "new": list(self.new)} if self.new is not None else told

    @classmethod
    def of(cls, record: Mapping[str, object]) -> Event:
        """Return the event that a record tells."""
        new = record.get("new")
        told = {**record, "new": tuple(new) if isinstance(new, Sequence) else None}
        return cls(**told)  # type: ignore[arg-type]  # the fields of an `Event`, read back from JSON

    def happen(self, blueprint: Blueprint, state: State) -> tuple[int, State]:
        """Return the number of the row that it changes, and the state after it."""
        data = blueprint.data
        if self.new is not None:
            label = blueprint.entities[self.entity].columns[blueprint.entities[self.entity].label]
            code = len(data.rows[self.entity]) + state.made.get(self.entity, 0)
            return data.add(state, self.entity, (*self.new[:label], code, *self.new[label + 1 :]))
        number = -1 if self.row is None else self.row
        row = data.row(state, self.entity, number)
        if row is None:
            return number, state
        after = None
        if self.column is not None:
            after = (*row[: self.column], self.value, *row[self.column + 1 :])
        return number, data.put(state, self.entity, number, after)


def happened(events: Sequence[Event], clock: int) -> int:
    """Return how many of the events, which are in order, have happened after so many calls."""
    return sum(each.at <= clock for each in events)


def happen(events: Sequence[Event], blueprint: Blueprint, state: State) -> State:
    """Return the state with everything that happens before the call of its clock."""
    done = state.notes.get(NOTES, ())
    due = events[len(done) : happened(events, state.clock)]
    for event in due:
        number, state = event.happen(blueprint, state)
        done = (*done, number)
    return replace(state, notes={**state.notes, NOTES: done}) if due else state
