"""Changes of an episode: the difference of two states, comparable however it was brought about."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import TypedDict

from stb_env.backend.lazy_mapping import replaced
from stb_env.backend.world import Tables
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonObject


class Change(TypedDict):
    """The changes of one table.

    Attributes:
        rows: Changed rows by id, None where deleted.
        new: Rows with generated ids, without those ids.
    """

    rows: dict[str, JsonObject | None]
    new: list[JsonObject]


def changes(before: Tables, after: Tables) -> dict[str, Change]:
    """Return what changed, by table; a table without a difference is left out.

    Args:
        before: The state at the start.
        after: The state at the end.

    Examples:
        >>> before = Tables({"notes": {"n-1": {"text": "a"}}}, {"n": 1})
        >>> key, after = before.next_id("n")
        >>> changes(before, after.with_row("notes", key, {"text": "B."}).without_row("notes", "n-1"))
        {'notes': {'rows': {'n-1': None}, 'new': [{'text': 'b'}]}}
    """
    if before.tables is after.tables:
        return {}
    # Tables are copied on write, so one that is the same object has not changed; none is ever dropped.
    names = replaced(before.tables, after.tables)
    differences = {name: _difference(name, before, after) for name in names}
    return {name: change for name, change in differences.items() if change["rows"] or change["new"]}


def _difference(name: str, before: Tables, after: Tables) -> Change:
    old, now = before.table(name), after.table(name)
    rows: dict[str, JsonObject | None] = {key: None for key in old if key not in now}
    fresh: list[JsonObject] = []
    for key, row in now.items():
        if row is old.get(key):
            continue
        if _is_generated(key, before, after):
            fresh.append(_normal({field: value for field, value in row.items() if value != key}))
        elif (normal := _normal(row)) != _normal(old.get(key)):
            rows[key] = normal
    return {"rows": dict(sorted(rows.items())), "new": sorted(fresh, key=jsontext.dumps)}


def _is_generated(key: str, before: Tables, after: Tables) -> bool:
    # Such an id depends on how many rows were made on the way, which is no part of a goal; an id that the
    # content gives, such as a product's in the cart, is.
    prefix, _, serial = key.rpartition("-")
    return serial.isdecimal() and before.counters.get(prefix, 0) < int(serial) <= after.counters.get(
        prefix, 0
    )


def _normal(value: object) -> Json:
    if isinstance(value, str):
        return _letters(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else round(value, 4)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {key: _normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(item) for item in value]
    return value


@lru_cache(maxsize=1024)
def _letters(text: str) -> str:
    """Return the letters and digits of a text, without accents: what was written may be spaced in any way."""
    parts = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in parts if char.isalnum())


def same(one: Change | None, other: Change | None) -> bool:
    """Return whether two changes of a table are equal; None is no change."""
    empty: Change = {"rows": {}, "new": []}
    return dict(one or empty) == dict(other or empty)
