"""The state of any world as tables of plain values, and what differs between two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from stb_env.core.jsontypes import Json, JsonObject

Rows = Mapping[str, Mapping[str, Json]]
"""Values by column, by the key of their row."""

REST = "state"
"""Name of the table of what is in no table: one row for each value, by its path."""

_VALUE = "value"
_CONTEXT = 20
_MOST_ROWS = 400
_DEEPEST = 12


def tables_of(state: object) -> dict[str, Rows]:
    """Return a state as tables: what maps keys to rows becomes one, and everything else rows of `REST`.

    Examples:
        >>> from stb_env.backend.world import Tables
        >>> tables_of(Tables({"notes": {"n1": {"text": "milk"}}}, {"n": 1}))
        {'notes': {'n1': {'text': 'milk'}}, 'state': {'counters.n': {'value': 1}}}
        >>> tables_of(3)
        {'state': {'': {'value': 3}}}
    """
    tables: dict[str, Rows] = {}
    rest: dict[str, Mapping[str, Json]] = {}
    for path, value, is_table in _parts(plain(state)):
        if is_table:
            tables[path] = value
        else:
            rest.update((place, {_VALUE: leaf}) for place, leaf in _leaves(path, value))
    return tables | ({REST: rest} if rest else {})


def plain(value: object, depth: int = 0) -> object:
    """Return JSON values for what a state is made of: dataclasses, named tuples, mappings, sequences, sets.

    Examples:
        >>> plain({(1, 2): frozenset({"a"})})
        {'(1, 2)': ['a']}
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if depth >= _DEEPEST:
        return repr(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name), depth + 1) for each in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(part, depth + 1) for name, part in zip(value._fields, value, strict=True)}
    if isinstance(value, Mapping):
        return {str(key): plain(part, depth + 1) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return [plain(part, depth + 1) for part in sorted(value, key=repr)]
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(part, depth + 1) for part in value]
    return repr(value)


def differences(
    before: Mapping[str, Rows], after: Mapping[str, Rows], *, context: int = _CONTEXT
) -> list[dict[str, object]]:
    """Return the tables in which something changed: rows that did first, then some of the others.

    Args:
        before: Tables as `tables_of` returns them.
        after: The same later.
        context: How many rows that did not change are given with a table.

    Examples:
        >>> before, after = {"t": {"a": {"n": 1}, "b": {"n": 2}}}, {"t": {"a": {"n": 5}, "b": {"n": 2}}}
        >>> (table,) = differences(before, after, context=0)
        >>> table["rows"], table["same"]
        ([{'key': 'a', 'change': 'changed', 'before': {'n': 1}, 'after': {'n': 5}}], 1)
    """
    names = dict.fromkeys([*before, *after])
    return [
        # What stands beside a single value tells nothing about it.
        _difference(name, before.get(name, {}), after.get(name, {}), 0 if name == REST else context)
        for name in names
        if before.get(name, {}) != after.get(name, {})
    ]


def _difference(name: str, before: Rows, after: Rows, context: int) -> dict[str, object]:
    rows: list[JsonObject] = []
    columns: dict[str, None] = {}
    same = left_out = 0
    for key in dict.fromkeys([*before, *after]):
        old, new = before.get(key), after.get(key)
        change = "added" if old is None else "removed" if new is None else "same" if old == new else "changed"
        same += change == "same"
        if (change == "same" and same > context) or len(rows) >= _MOST_ROWS:
            left_out += change != "same"
            continue
        columns.update(dict.fromkeys([*(old or {}), *(new or {})]))
        rows.append({"key": key, "change": change, "before": old, "after": new})
    rows.sort(key=lambda row: row["change"] == "same")
    return {"name": name, "columns": list(columns), "rows": rows, "same": same, "left_out": left_out}


def _parts(state: object) -> list[tuple[str, Any, bool]]:
    """Return what a state consists of: a name, a value, and whether that is a table's rows."""
    if not isinstance(state, dict):
        return [("", state, False)]
    parts: list[tuple[str, Any, bool]] = []
    for name, value in state.items():
        # What a world itself calls its tables; one without rows is a table too.
        if name == "tables" and isinstance(value, dict):
            parts += [(table, _as_rows(rows), isinstance(rows, dict)) for table, rows in value.items()]
        else:
            full = isinstance(value, dict) and bool(value)
            parts.append((name, value, full and all(isinstance(row, dict) for row in value.values())))
    return parts


def _as_rows(rows: object) -> object:
    if not isinstance(rows, dict):
        return rows
    return {key: row if isinstance(row, dict) else {_VALUE: row} for key, row in rows.items()}


def _leaves(path: str, value: object) -> list[tuple[str, Json]]:
    """Return what lies below a path; a list of plain values is one value."""
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        value = {str(place): part for place, part in enumerate(value)}
    if isinstance(value, dict) and value:
        parts = [(f"{path}.{name}" if path else name, part) for name, part in value.items()]
        return [leaf for place, part in parts for leaf in _leaves(place, part)]
    return [(path, value)]
