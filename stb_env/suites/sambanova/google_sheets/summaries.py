"""Whether a worksheet sums a table up as it should, however it is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from stb_env.suites.sambanova.google_sheets.a1 import Place
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar
from stb_env.suites.sambanova.google_sheets.outcomes import same_value

Values = Mapping[Place, Scalar]

_MOST_TITLES = 3
"""Rows above the groups: data frames write one for each level of their titles."""


def same_summary(got: Values, wanted: Values) -> bool:
    """Return whether a worksheet has the groups of another, with the same figures.

    Who is asked for a pivot table is asked for groups and figures. How the titles above read, whether there
    is a line with grand totals, the order of the groups and where on the worksheet all this stands, is left
    open.

    Args:
        got: Cells of the worksheet.
        wanted: Cells of one that is right: titles in its first row, then a row for each group.

    Examples:
        >>> wanted = {(1, 1): "Team", (1, 2): "Goals", (2, 1): "red", (2, 2): 5, (3, 1): "blue", (3, 2): 1}
        >>> moved = {(3, 2): "blue", (3, 3): 1.0, (4, 2): "red", (4, 3): 5, (5, 2): "Total", (5, 3): 6}
        >>> same_summary(moved, wanted), same_summary({**moved, (5, 3): 7}, wanted)
        (True, False)
    """
    _, *body = _rows(wanted)
    figures = {row[0]: row[1:] for row in body}
    rows = _rows(got)
    at = [number for number, row in enumerate(rows) if _is_group(row, figures)]
    if len(at) != len(figures) or {rows[number][0] for number in at} != figures.keys():
        return False
    first, last = at[0], at[-1]
    above, between, below = rows[:first], rows[first : last + 1], rows[last + 1 :]
    return (
        len(between) == len(at)
        and all(_same_row(row[1:], figures[row[0]]) for row in between)
        and len(above) <= _MOST_TITLES
        and all(isinstance(value, str) for row in above for value in row)
        and (not below or (len(below) == 1 and _is_total(below[0], list(figures.values()))))
    )


def _rows(values: Values) -> list[list[Scalar]]:
    """Return what stands in the rows that are not empty, from left to right."""
    lines = groupby(sorted(values), key=lambda place: place[0])
    return [[values[place] for place in places] for _, places in lines]


def _is_group(row: Sequence[Scalar], figures: Mapping[Scalar, object]) -> bool:
    return row[0] in figures


def _is_total(row: Sequence[Scalar], figures: Sequence[Sequence[Scalar]]) -> bool:
    """Return whether a row holds grand totals, behind whatever text."""
    totals = [sum(float(value or 0) for value in column) for column in zip(*figures, strict=True)]
    texts = len(row) - len(totals)
    return texts <= 1 and isinstance(row[0], str) == bool(texts) and _same_row(row[texts:], totals)


def _same_row(a: Sequence[Scalar], b: Sequence[Scalar]) -> bool:
    return len(a) == len(b) and all(map(same_value, a, b))
