"""Grids read as data frames are by the original: what counts as equal follows from how texts are read.

The rules are those of pandas 1.5's text reader with the first row as header, then without rows and columns
in which everything is missing; they are written out here, so that verdicts depend on no version of pandas.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar

MISSING = frozenset(
    {
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
        *("<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"),
    }
)
"""Texts that are read as missing."""

_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,300}\.?\d{0,300}|\.\d{1,300})(?:[eE][+-]?\d{1,3})?\s*", re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_TRUTHS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}

NUMBERS, OBJECTS = "float64", "object"
Label = bool | int | float | str


class Column(NamedTuple):
    """One column.

    Attributes:
        kind: ``float64`` or ``object``.
        values: Its values; None where one is missing.
    """

    kind: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """A table as a data frame holds it.

    Attributes:
        labels: Labels of the columns.
        index: Labels of the rows: positions below the header, from 0.
        columns: The columns.
    """

    labels: tuple[Label, ...]
    index: tuple[int, ...]
    columns: tuple[Column, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.index), len(self.columns)

    @property
    def grid(self) -> list[list[Scalar]]:
        """The table as it is written into a worksheet: labels, then rows."""
        return [
            list(self.labels),
            *(list(row) for row in zip(*(column.values for column in self.columns), strict=True)),
        ]

    def equals(self, other: Frame) -> bool:
        """Return whether labels, types and values are the same; missing values equal each other."""
        return (
            self.labels == other.labels
            and self.index == other.index
            and all(a == b for a, b in zip(self.columns, other.columns, strict=True))
        )


def read_frame(grid: Sequence[Sequence[Scalar]]) -> Frame:
    """Read a grid, and leave out rows and columns in which everything is missing.

    Args:
        grid: Rows of values, those of formulas evaluated; rows may differ in length.

    Examples:
        >>> frame = read_frame([["A", "", "A"], ["4", "", "x"], ["", "", ""], [2, "", "NA"]])
        >>> frame.labels, frame.index
        (('A', 'A.1'), (0, 2))
        >>> [column.values for column in frame.columns]
        [(4.0, 2.0), ('x', None)]
    """
    labels, columns = read_columns(grid)
    height = max(len(grid) - 1, 0)
    index = tuple(row for row in range(height) if any(column.values[row] is not None for column in columns))
    kept = [
        (label, Column(column.kind, tuple(column.values[row] for row in index)))
        for label, column in zip(labels, columns, strict=True)
        if any(column.values[row] is not None for row in index)
    ]
    return Frame(tuple(label for label, _ in kept), index, tuple(column for _, column in kept))


def read_columns(grid: Sequence[Sequence[Scalar]]) -> tuple[list[Label], list[Column]]:
    """Read every column of a grid, empty ones too."""
    width = max((len(row) for row in grid), default=0)
    header, *rows = grid or [[]]
    cells = [[row[at] if at < len(row) else None for row in rows] for at in range(width)]
    return _labels(header, width), [_column(values) for values in cells]


def _labels(header: Sequence[Scalar], width: int) -> list[Label]:
    """Return the labels of a header: one without a name is numbered, and no two are the same.

    The spelling of a label that stands anywhere in the header is left to that one, and names that are there
    come before those that are made.
    """
    cells = [header[at] if at < len(header) else None for at in range(width)]
    blank = [value is None or value == "" for value in cells]
    labels: list[Any] = [f"Unnamed: {at}" if blank[at] else value for at, value in enumerate(cells)]
    counts: Counter[Any] = Counter()
    for at in sorted(range(width), key=lambda at: blank[at]):
        label, repeats = labels[at], counts[labels[at]]
        while repeats:
            counts[labels[at]] = repeats + 1
            label = f"{labels[at]}.{repeats}"
            repeats = repeats + 1 if label in labels else counts[label]
        labels[at] = label
        counts[label] += 1
    return labels


def _column(values: Sequence[Scalar]) -> Column:
    present = [value for value in values if not _is_missing(value)]
    if all(_number(value) is not None for value in present):
        return Column(NUMBERS, tuple(None if _is_missing(value) else _number(value) for value in values))
    if all(isinstance(value, bool) or value in _TRUTHS for value in present):
        return Column(OBJECTS, tuple(None if _is_missing(value) else _TRUTHS[str(value)] for value in values))
    return Column(OBJECTS, tuple(None if _is_missing(value) else value for value in values))


def _is_missing(value: Scalar) -> bool:
    return value is None or (isinstance(value, str) and value in MISSING)


def _number(value: Scalar) -> float | None:
    """Return what a value is as a number; None where it is none."""
    if isinstance(value, str):
        if not (_NUMBER.fullmatch(value) or _INFINITE.fullmatch(value)):
            return None
        return float(value)
    return None if value is None or math.isnan(value) else float(value)
