"""Values that a table, a list of lines or a row of them only shows beside the one that is given."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LETTERS = re.compile(r"[^\W\d_]")
_MARK = re.compile(r"\*\*|<-|[←⬅✓✔✅⭐🏆👈]")
"""Makes one line stand out among others."""
_GAP = re.compile(r"[\s*_]*(?:(?!and\b)[a-z%°]{1,4})?[\s*_]*(?:,|;|\band\b)[\s*_]*(?:and\b)?[\s*_]*")
"""What stands between two values of a row; each may have its unit."""
_FEW = 3
"""Values that make a row."""
_NEAR = 24
"""Letters before a row of values in which a word says what they are; bare ones are guesses."""

Place = tuple[int, int]


def compared(folded: str, given: Sequence[Place], others: Sequence[Place], rival: Place) -> bool:
    """Return whether a value is shown only for comparison with the given one.

    So it is where the given one is told outside of the table, in a line of its own that is marked, or again
    behind the row of values that has both.

    Args:
        folded: The answer.
        given: Where it has the value.
        others: Where it has other values.
        rival: Which of the others it is about.

    Examples:
        >>> text = "it closed at 12.3, 11.9 and 12.1. the lowest is 11.9."
        >>> others = [(13, 17), (28, 32)]
        >>> compared(text, [(19, 23), (49, 53)], others, others[1])
        True
        >>> compared(text, [(19, 23)], others, others[1])
        False
    """
    if tabled(folded, *rival) and not all(tabled(folded, *one) for one in given):
        return True
    marks = set(_MARK.findall(_line(folded, *rival)))
    if given and all(set(_MARK.findall(_line(folded, *one))) - marks for one in given):
        return True
    row = _row(folded, sorted({*given, *others}), rival)
    if len(row) < _FEW or row[-1] >= max(given):
        return False
    start = row[0][0]
    return any(place in row for place in given) and bool(
        _LETTERS.search(folded, max(0, start - _NEAR), start)
    )


def _row(folded: str, places: Sequence[Place], rival: Place) -> Sequence[Place]:
    """Return the places that stand in one row with the rival."""
    row = [rival]
    for place in places[places.index(rival) + 1 :]:
        if not _GAP.fullmatch(folded, row[-1][1], place[0]):
            break
        row.append(place)
    for place in reversed(places[: places.index(rival)]):
        if not _GAP.fullmatch(folded, place[1], row[0][0]):
            break
        row.insert(0, place)
    return row


def tabled(folded: str, start: int, end: int) -> bool:
    """Return whether a value stands in a row of a table, or in a line that has nothing but three values."""
    line = _line(folded, start, end)
    return line.lstrip().startswith("|") or (
        line.count(",") > 1 and not _LETTERS.search(line) and folded.find("\n", end) >= 0
    )


def head(folded: str, place: int) -> str:
    r"""Return the head of the column of a table that a place is in, or an empty string.

    Examples:
        >>> table = "| days | total |\n|---|---|\n| 2 | 52.50 |"
        >>> head(table, table.index("52")).strip()
        'total'
    """
    start = folded.rfind("\n", 0, place) + 1
    if not folded.startswith("|", start):
        return ""
    first = start
    while first and folded.startswith("|", before := folded.rfind("\n", 0, first - 1) + 1):
        first = before
    heads = folded[first : folded.find("\n", first)].split("|")
    column = folded.count("|", start, place)
    return heads[column] if first < start and column < len(heads) else ""


def _line(folded: str, start: int, end: int) -> str:
    until = folded.find("\n", end)
    return folded[folded.rfind("\n", 0, start) + 1 : until if until >= 0 else len(folded)]
