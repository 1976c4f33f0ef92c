"""The data of a world: rows of whole numbers under an overlay of what an episode changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stb_env.suites.worlds.episode.script import Script

Row = tuple[int, ...]
"""One whole number an attribute, in the kit's order; `MISSING` where there is no value.

A day is its ordinal, money and numbers count their smallest part, a category or state is the index of its
value, a flag 0 or 1, a reference the number of a row, and any text an index into the column's texts.
"""
MISSING = -(2**62)


@dataclass(frozen=True, slots=True)
class State:
    """Changes of an episode. The empty state is that of a new episode; equal changes are equal states.

    Attributes:
        changed: Rows by number and entity; None is a row that was deleted. A row equal to the one that the
            world was drawn with never stands here, so states compare by `==`.
        made: How many rows were made, by entity: their numbers follow those of the drawn rows.
        clock: Calls so far, where the episode has a script.
        notes: What tools remember between calls, for example quotes that wait for a confirmation.
        shown: Which rows results have shown so far, by entity, and with which fields, by
            ``entity.attribute``: bit n is row n. A report shows the rows that it counts and the values that
            it adds up. It is no change, so it plays no part where states are compared.
        script: What happens beside what calls do; the same through an episode.
    """

    changed: Mapping[str, Mapping[int, Row | None]] = field(default_factory=dict)
    made: Mapping[str, int] = field(default_factory=dict)
    clock: int = 0
    notes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    shown: Mapping[str, int] = field(default_factory=dict, compare=False)
    script: Script | None = field(default=None, compare=False)


class Data:
    """The drawn rows of a world: shared by all its episodes, and read-only.

    Args:
        rows: By entity.
        texts: The texts of a column, by entity and attribute.
    """

    def __init__(
        self, rows: Mapping[str, tuple[Row, ...]], texts: Mapping[tuple[str, str], tuple[str, ...]]
    ) -> None:
        self.rows = rows
        self.texts = texts
        self._indexes: dict[tuple[str, int], dict[int, list[int]]] = {}

    def row(self, state: State, entity: str, number: int) -> Row | None:
        """Return a row as it is now, or None."""
        changed = state.changed.get(entity)
        if changed is not None and number in changed:
            return changed[number]
        drawn = self.rows[entity]
        return drawn[number] if 0 <= number < len(drawn) else None

    def each(self, state: State, entity: str) -> Iterator[tuple[int, Row]]:
        """Yield the number and row of every row that exists now, in order."""
        changed = state.changed.get(entity, {})
        for number, row in enumerate(self.rows[entity]):
            now = changed.get(number, row)
            if now is not None:
                yield number, now
        first = len(self.rows[entity])
        for number in range(first, first + state.made.get(entity, 0)):
            now = changed.get(number)
            if now is not None:
                yield number, now

    def having(self, state: State, entity: str, column: int, value: int) -> list[int]:
        """Return the numbers of the rows that have a value in a column, in order."""
        index = self._indexes.get((entity, column))
        if index is None:
            index = {}
            for number, row in enumerate(self.rows[entity]):
                index.setdefault(row[column], []).append(number)
            self._indexes[entity, column] = index
        found = index.get(value, [])
        changed = state.changed.get(entity)
        if not changed:
            return list(found)
        kept = [number for number in found if number not in changed]
        moved = [number for number, row in changed.items() if row is not None and row[column] == value]
        return sorted(kept + moved)

    def put(self, state: State, entity: str, number: int, row: Row | None) -> State:
        """Return a state in which a row is this one, or is gone."""
        return self.put_all(state, entity, {number: row})

    def put_all(self, state: State, entity: str, rows: Mapping[int, Row | None]) -> State:
        """Return a state in which several rows are these ones, or are gone."""
        drawn = self.rows[entity]
        changed = dict(state.changed.get(entity, {}))
        for number, row in rows.items():
            if number < len(drawn) and row == drawn[number]:
                changed.pop(number, None)
            else:
                changed[number] = row
        tables = {**state.changed, entity: changed}
        if not changed:
            del tables[entity]
        return replace(state, changed=tables)

    def add(self, state: State, entity: str, row: Row) -> tuple[int, State]:
        """Return the number of a new row, and the state that has it."""
        made = state.made.get(entity, 0)
        number = len(self.rows[entity]) + made
        counts = {**state.made, entity: made + 1}
        return number, self.put(replace(state, made=counts), entity, number, row)
