"""Which tools' documentation happens to hold a fact, looked up instead of read: a draw can ask each time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache

from stb_env.tools import ToolId
from stb_env.worlds.sandbox import answers
from stb_env.worlds.sandbox.catalog import tools
from stb_env.worlds.sandbox.facts import Fact

Index = Mapping[Hashable, frozenset[ToolId]]

_READERS: Mapping[str, Callable[[str], Iterable[Hashable]]] = {
    "number": answers.quantities,
    "date": answers.dates,
    "time": answers.times,
    "yes_no": lambda text: [answers.polarity(text)],
}


def documented(fact: Fact) -> frozenset[ToolId]:
    """Return the tools whose documentation holds a fact of type number, date, time or yes_no.

    Examples:
        >>> documented({"type": "time", "value": "03:17"})
        frozenset()
    """
    index = _index(fact["type"])
    if fact["type"] != "number":
        return index.get(fact["value"], frozenset())
    slack = fact["tolerance"] + 1e-9
    return frozenset[ToolId]().union(
        *(
            identities
            for quantity, identities in index.items()
            if isinstance(quantity, answers.Quantity)
            and any(abs(reading - fact["value"]) <= slack for reading in quantity.readings(fact["unit"]))
        )
    )


@lru_cache(maxsize=len(_READERS))
def _index(kind: str) -> Index:
    found: dict[Hashable, set[ToolId]] = {}
    for identity, tool in tools().items():
        for value in _READERS[kind](tool.spec):
            found.setdefault(value, set()).add(identity)
    return {value: frozenset(identities) for value, identities in found.items()}
