"""Tool results flattened to rows of named values, each scored by its relevance to the query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from stb_env.core.jsontypes import Json
from stb_env.wrappers.documented import words
from stb_env.wrappers.mentions import kind_of

_MOST_ROWS = 24
_MOST_FIELDS = 24
_LONGEST = 200
_NAMING = ("name", "code", "id")
_MONEY = {"amount", "currency"}
"""Keys of an object that is one value, with the amount as text: its own name says more than theirs."""

Scalar: TypeAlias = bool | int | float | str
"""Types of a field; where a response has null, there is no field."""

Fields: TypeAlias = tuple[tuple[str, Scalar], ...]
"""Names with values."""


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a result, without the objects inside it.

    Attributes:
        fields: Names and scalar values, in order; the items of a list share its name.
        relevance: From 0 to 1: how far the query names what the row is about.
        singled_out: Whether it is the most relevant of several rows with the same fields.
    """

    fields: Fields
    relevance: float
    singled_out: bool = False

    @property
    def text(self) -> str:
        """The row as an answer states it.

        Examples:
            >>> Row((("city_id", "c-1"), ("area_km2", 7)), 0.0).text
            'city id: c-1; area km2: 7'
        """
        return "; ".join(f"{name.replace('_', ' ')}: {value}" for name, value in self.fields)


def rows(response: Json, query: str) -> tuple[Row, ...]:
    """Return the rows of a response, in the order in which they stand in it.

    Examples:
        >>> response = {"n": 2, "found": [{"name": "Ada"}, {"name": "Bob"}]}
        >>> [(row.relevance, row.singled_out) for row in rows(response, "Call Bob!")]
        [(0.0, False), (0.0, False), (1.0, True)]
        >>> rows({"fee": {"amount": "12.50", "currency": "AUR"}}, "")[0].fields
        (('fee', '12.50'),)
    """
    said, folded = words(query), query.casefold()
    found = list(islice(_flat(response, "value", 0), _MOST_ROWS))
    scores = [_relevance(fields, folded, said) for fields in found]
    alike: dict[tuple[str, ...], list[float]] = {}
    for fields, score in zip(found, scores, strict=True):
        alike.setdefault(_names(fields), []).append(score)
    return tuple(
        Row(fields, score, _stands_out(score, alike[_names(fields)]))
        for fields, score in zip(found, scores, strict=True)
    )


def _names(fields: Fields) -> tuple[str, ...]:
    return tuple(name for name, _ in fields)


def _stands_out(score: float, scores: list[float]) -> bool:
    return len(scores) > 1 and score == max(scores) and scores.count(score) == 1


def _flat(value: Json, name: str, depth: int) -> Iterator[Fields]:
    if not isinstance(value, Mapping):
        value = {name: value}
    scalars: list[tuple[str, Scalar]] = []
    inside: list[tuple[str, Json]] = []
    for key, item in value.items():
        for part in item if isinstance(item, list) else (item,):
            if isinstance(part, Mapping) and {*part} == _MONEY and isinstance(part["amount"], str):
                part = part["amount"]
            if isinstance(part, Mapping | list):
                inside.append((str(key), part))
            elif part is not None:
                scalars.append((str(key), part[:_LONGEST] if isinstance(part, str) else part))
    if scalars:
        yield tuple(scalars[:_MOST_FIELDS])
    for key, part in inside if depth < 6 else ():
        yield from _flat(part, key, depth + 1)


def _relevance(fields: Fields, query: str, said: frozenset[str]) -> float:
    """Return 1 where the query quotes a text of the row in full, else half the best share of its words.

    Dates and numbers do not count: they say when and how much, not what.
    """
    best = 0.0
    for _, value in fields:
        if not isinstance(value, str) or len(value) < 3:
            continue
        spoken = words(value) if kind_of(value) in _NAMING else frozenset()
        if spoken and spoken <= said and value.casefold() in query:
            return 1.0
        if spoken:
            best = max(best, 0.5 * len(spoken & said) / len(spoken))
    return best
