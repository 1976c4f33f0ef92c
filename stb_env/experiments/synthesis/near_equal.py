"""Near-duplicate queries, by the words that they share (Jaccard index)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

THRESHOLD = 0.8
"""Queries whose words overlap at least so far, by Jaccard's index, are near-equal.

Two queries of ten different words each reach it with nine in common. Queries about the same kind of thing
with other names in them stay apart.
"""

_TOKEN = re.compile(r"\w+")


@lru_cache(maxsize=65_536)
def words(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case."""
    return frozenset(_TOKEN.findall(text.lower()))


def jaccard(one: str, other: str) -> float:
    """Return the share of words that two texts have in common, from 0 to 1.

    Examples:
        >>> jaccard("Weather in Oslo today?", "weather today in Rome")
        0.6
        >>> jaccard("", "?")
        1.0
    """
    first, second = words(one), words(other)
    together = len(first | second)
    return len(first & second) / together if together else 1.0


def nearest(text: str, known: Iterable[str], threshold: float = THRESHOLD) -> str | None:
    """Return the known text that a text is near-equal to, the closest of them, or None."""
    close = [(jaccard(text, other), other) for other in known]
    score, found = max(close, key=lambda pair: pair[0], default=(0.0, ""))
    return found if score >= threshold and close else None
