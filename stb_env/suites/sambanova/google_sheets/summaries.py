"""Whether a worksheet sums a table up as it should, however it is laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile

from stb_env.suites.sambanova.google_sheets.a1 import Place
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar
from stb_env.suites.sambanova.google_sheets.outcomes import same_cells, same_value
from stb_env.suites.sambanova.google_sheets.pivot import GRAND_TOTAL

Values = Mapping[Place, Scalar]
Row = Sequence[Scalar]

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
    titles, *body = _rows(wanted) or [[]]
    if not body:
        return same_cells(got, wanted)
    if len(body) > 1 and body[-1][0] == GRAND_TOTAL:
        body.pop()
    figures = dict(map(_parts, body))
    rows = _rows(got)
    groups = [number for number, row in enumerate(rows) if _parts(row)[0] in figures]
    if len(groups) != len(figures) or groups != [*range(groups[0], groups[-1] + 1)]:
        return False
    above, below = rows[: groups[0]], rows[groups[-1] + 1 :]
    found = dict(_parts(rows[number]) for number in groups)
    return (
        found.keys() == figures.keys()
        and all(_same_row(found[keys], figures[keys]) for keys in figures)
        and len(above) <= _MOST_TITLES
        and all(row == titles or all(isinstance(value, str) for value in row) for row in above)
        and (not below or (len(below) == 1 and _is_total(below[0], list(figures.values()))))
    )


def _rows(values: Values) -> list[Row]:
    """Return what stands in the rows that are not empty, from left to right."""
    lines = groupby(sorted(values), key=lambda place: place[0])
    return [[values[place] for place in places] for _, places in lines]


def _parts(row: Row) -> tuple[tuple[Scalar, ...], Row]:
    """Return what names a row, the texts that it begins with or one number, and its figures."""
    keys = tuple(takewhile(lambda value: isinstance(value, str), row)) or tuple(row[:1])
    return keys, row[len(keys) :]


def _is_total(row: Row, figures: Sequence[Row]) -> bool:
    """Return whether a row holds grand totals, behind whatever text."""
    totals = [sum(float(value or 0) for value in column) for column in zip(*figures, strict=True)]
    texts = len(row) - len(totals)
    return texts <= 1 and isinstance(row[0], str) == bool(texts) and _same_row(row[texts:], totals)


def _same_row(a: Row, b: Row) -> bool:
    return len(a) == len(b) and all(map(same_value, a, b))
