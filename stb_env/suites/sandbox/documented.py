"""Which tools' documentation happens to hold a fact, looked up instead of read: a draw can ask each time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from operator import itemgetter

from stb_env.reading import moments, numerals
from stb_env.suites.sandbox import answers
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.facts import Fact
from stb_env.tools import ToolId

Index = Mapping[Hashable, frozenset[ToolId]]

_READERS: Mapping[str, Callable[[str], Iterable[Hashable]]] = {
    "number": numerals.quantities,
    "date": moments.dates,
    "time": moments.times,
    "yes_no": lambda text: [answers.polarity(text)],
}


def documented(fact: Fact) -> frozenset[ToolId]:
    """Return the tools whose documentation holds a fact of type number, date, time or yes_no.

    Examples:
        >>> documented({"type": "time", "value": "03:17"})
        frozenset()
    """
    if fact["type"] != "number":
        return _index(fact["type"]).get(fact["value"], frozenset())
    value, slack = fact["value"], fact["tolerance"] + 1e-9
    readings, identities = _readings(fact["unit"])
    first = bisect_left(readings, -slack, key=lambda reading: reading - value)
    last = bisect_right(readings, slack, key=lambda reading: reading - value)
    return frozenset[ToolId]().union(*identities[first:last])


@lru_cache(maxsize=len(numerals.UNITS) + 1)
def _readings(unit: str) -> tuple[list[float], list[frozenset[ToolId]]]:
    """Return every documented number as it is in a unit, in ascending order, and who documents each."""
    found = [
        (reading, identities)
        for quantity, identities in _index("number").items()
        if isinstance(quantity, numerals.Quantity)
        for reading in quantity.readings(unit)
    ]
    found.sort(key=itemgetter(0))
    return [reading for reading, _ in found], [identities for _, identities in found]


@lru_cache(maxsize=len(_READERS))
def _index(kind: str) -> Index:
    found: dict[Hashable, set[ToolId]] = {}
    for identity, tool in tools().items():
        for value in _READERS[kind](tool.spec):
            found.setdefault(value, set()).add(identity)
    return {value: frozenset(identities) for value, identities in found.items()}
