"""Ranks of agents among each other; figures on different tests are never compared."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from stb_env.suites.sambanova.complexity import average_ranks
from stb_env.suites.sambanova.table_row import Row


def place(row: Row, rows: Sequence[Row]) -> tuple[float, int] | None:
    """Return a row's mean rank over the columns that its group shares, and how many it is ranked among.

    Args:
        row: One of the rows.
        rows: All of them.

    Returns:
        None where no other row was measured on the same tests.

    Examples:
        >>> from stb_env.suites.sambanova.table_row import Figure, Row
        >>> best, other, elsewhere = (
        ...     Row(name, {"cat_api": (Figure(mean),)}, {"cat_api": tests})
        ...     for name, mean, tests in (("a", 90.0, "x"), ("b", 80.0, "x"), ("c", 99.0, "y"))
        ... )
        >>> [place(row, [best, other, elsewhere]) for row in (best, other, elsewhere)]
        [(1.0, 2), (2.0, 2), None]
    """
    (group,) = (group for group in groups(rows) if any(one is row for one in group))
    if len(group) < 2:
        return None
    index = next(number for number, one in enumerate(group) if one is row)
    columns = _shared(group)
    ranks = [average_ranks([one.error(column) for one in group])[index] for column in columns]
    return float(fmean(ranks)), len(group)


def groups(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows that may be ranked together: equal tests wherever two have a figure, and one in common.

    A row whose tests are unknown is alone.
    """
    found: list[list[Row]] = []
    for row in rows:
        home = next((group for group in found if _fits(row, group)), None)
        if home is None:
            found.append([row])
        else:
            home.append(row)
    return found


def _fits(row: Row, group: list[Row]) -> bool:
    same = all(
        row.tests.get(column) == one.tests.get(column)
        for one in group
        for column in row.cells.keys() & one.cells.keys()
    )
    return same and bool(_shared([*group, row]))


def _shared(group: Sequence[Row]) -> list[str]:
    """Return the columns that all rows have a figure in, of tests that are known."""
    return [column for column in group[0].cells if all(one.tests.get(column) for one in group)]
