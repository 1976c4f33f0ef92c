"""A1 notation: cells and areas by the letters of their columns and the numbers of their rows."""

from __future__ import annotations

import re
from typing import NamedTuple

from stb_env.suites.sambanova.common.interpreter.crash import CrashError

Place = tuple[int, int]
"""Row and column, both from 1."""

MAX_ROWS = 10_000
MAX_COLUMNS = 702
"""Bounds of any grid; the last column has two letters."""

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9]\d{0,6})")
_SIDE = re.compile(r"\$?([A-Za-z]{0,3})\$?([1-9]\d{0,6})?")


class Area(NamedTuple):
    """A rectangle of cells; an open side is None.

    Attributes:
        top: First row.
        left: First column.
        bottom: Last row, or None where it goes on to the end.
        right: Last column, or None.
    """

    top: int
    left: int
    bottom: int | None
    right: int | None

    def within(self, rows: int, columns: int) -> Closed:
        """Return the area with its open sides at the ends of a grid."""
        return Closed(self.top, self.left, self.bottom or rows, self.right or columns)


class Closed(NamedTuple):
    """A rectangle of cells, both ends included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.bottom - self.top + 1, self.right - self.left + 1

    @property
    def label(self) -> str:
        """The area in A1 notation.

        Examples:
            >>> Closed(1, 1, 3, 28).label
            'A1:AB3'
        """
        return f"{label(self.top, self.left)}:{label(self.bottom, self.right)}"

    def places(self) -> list[Place]:
        """Return all cells, row by row."""
        return [
            (row, column)
            for row in range(self.top, self.bottom + 1)
            for column in range(self.left, self.right + 1)
        ]

    def holds(self, other: Closed) -> bool:
        """Return whether another area lies within the area."""
        return self.has((other.top, other.left)) and self.has((other.bottom, other.right))

    def overlaps(self, other: Closed) -> bool:
        """Return whether a cell lies in both areas."""
        rows = self.top <= other.bottom and other.top <= self.bottom
        return rows and self.left <= other.right and other.left <= self.right

    def has(self, place: Place) -> bool:
        """Return whether a cell lies in the area."""
        return self.top <= place[0] <= self.bottom and self.left <= place[1] <= self.right


def letters(column: int) -> str:
    """Return the letters of a column.

    Examples:
        >>> letters(1), letters(26), letters(27)
        ('A', 'Z', 'AA')
    """
    text = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def column_of(text: str) -> int:
    """Return the number of a column.

    Examples:
        >>> column_of("AA")
        27
    """
    number = 0
    for letter in text.upper():
        number = 26 * number + ord(letter) - 64
    return number


def label(row: int, column: int) -> str:
    """Return a cell in A1 notation.

    Examples:
        >>> label(3, 2)
        'B3'
    """
    return f"{letters(column)}{row}"


def read_cell(text: str) -> Place:
    """Return the row and column of a cell.

    Examples:
        >>> read_cell("B3")
        (3, 2)
    """
    match = _CELL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise CrashError(f"{str(text)[:40]!r} is no cell; write one like 'B3'")
    return int(match[2]), column_of(match[1])


def read_area(text: str) -> Area:
    """Return an area; a sheet's name before it is passed over.

    Examples:
        >>> read_area("A1:C7"), read_area("B2")
        (Area(top=1, left=1, bottom=7, right=3), Area(top=2, left=2, bottom=2, right=2))
        >>> read_area("B2:B"), read_area("2:4")
        (Area(top=2, left=2, bottom=None, right=2), Area(top=2, left=1, bottom=4, right=None))
    """
    if not isinstance(text, str):
        raise CrashError(f"an area is a text like 'A1:C7', got {str(text)[:40]}")
    first, colon, last = text.rpartition("!")[2].partition(":")
    start, end = _SIDE.fullmatch(first.strip()), _SIDE.fullmatch((last or first).strip())
    if start is None or end is None or not first.strip() or (not colon and not (start[1] and start[2])):
        raise CrashError(f"{text[:40]!r} is no area; write one like 'A1:C7'")
    rows = [int(side[2]) if side[2] else None for side in (start, end)]
    columns = [column_of(side[1]) if side[1] else None for side in (start, end)]
    top, bottom = _ordered(*rows)
    left, right = _ordered(*columns)
    return Area(top, left, bottom, right)


def _ordered(first: int | None, last: int | None) -> tuple[int, int | None]:
    """Return both ends in order; an end that is not named is open."""
    if first is None or last is None:
        return first or last or 1, None
    return min(first, last), max(first, last)
