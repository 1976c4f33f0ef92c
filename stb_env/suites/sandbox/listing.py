"""Values that a table, a list of lines or a row of numbers only shows beside the one that is given."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LETTERS = re.compile(r"[^\W\d_]")
_MARK = re.compile(r"\*\*|<-|[←⬅✓✔✅⭐🏆👈]")
"""Makes one line stand out among others."""
_UNIT = r"(?: ?(?!and\b)[a-z%°]{1,4}(?![a-z]))?"
_ROW = re.compile(rf"\d[\d.]*{_UNIT}(?:(?:, and |, | and )\d[\d.]*\d{_UNIT}){{2,16}}")

_NEAR = 24
"""Letters before a row of numbers in which a word says what they are; bare ones are guesses."""

Place = tuple[int, int]


def compared(folded: str, given: Sequence[Place], rival: Place) -> bool:
    """Return whether a value is shown only for comparison with the given one.

    So it is where the given one is told outside of the table, in a line of its own that is marked, or again
    behind the row of numbers that has both.

    Args:
        folded: The answer.
        given: Where it has the value.
        rival: Where it has the other one.

    Examples:
        >>> text = "it closed at 12.3, 11.9 and 12.1. the lowest is 11.9."
        >>> compared(text, [(19, 23), (49, 53)], (28, 32)), compared(text, [(19, 23)], (28, 32))
        (True, False)
    """
    if tabled(folded, *rival) and not all(tabled(folded, *one) for one in given):
        return True
    marks = set(_MARK.findall(_line(folded, *rival)))
    if given and all(set(_MARK.findall(_line(folded, *one))) - marks for one in given):
        return True
    return any(
        row.start() <= rival[0] < row.end()
        and _LETTERS.search(folded, max(0, row.start() - _NEAR), row.start())
        and any(row.start() <= start < row.end() for start, _ in given)
        and any(start > row.end() for start, _ in given)
        for row in _ROW.finditer(folded)
    )


def tabled(folded: str, start: int, end: int) -> bool:
    """Return whether a value stands in a row of a table, or in a line that has nothing but three values."""
    line = _line(folded, start, end)
    return line.lstrip().startswith("|") or (
        line.count(",") > 1 and not _LETTERS.search(line) and folded.find("\n", end) >= 0
    )


def _line(folded: str, start: int, end: int) -> str:
    until = folded.find("\n", end)
    return folded[folded.rfind("\n", 0, start) + 1 : until if until >= 0 else len(folded)]
