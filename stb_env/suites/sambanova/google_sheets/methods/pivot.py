"""Pivot tables: the values of a table summarised by what stands in other columns."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.formula.functions import total
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar, is_number, order

Row = Sequence[Scalar]
Keys = tuple[Scalar, ...]

GRAND_TOTAL = "Grand Total"
"""First cell of the line with the totals of all groups."""

_ASCENDING = ("ASCENDING", "SORT_ORDER_UNSPECIFIED", None)


def _reduced(reduce: Callable[[Sequence[float]], float]) -> Callable[[Sequence[Scalar]], Scalar]:
    def of(values: Sequence[Scalar]) -> Scalar:
        numbers = list(filter(is_number, values))
        return reduce(numbers) if numbers else None

    return of


SUMMARIES: Mapping[str, Callable[[Sequence[Scalar]], Scalar]] = {
    "SUM": _reduced(total),
    "AVERAGE": _reduced(lambda numbers: math.fsum(numbers) / len(numbers)),
    "MIN": _reduced(min),
    "MAX": _reduced(max),
    "MEDIAN": _reduced(statistics.median),
    "PRODUCT": _reduced(math.prod),
    "COUNT": lambda values: sum(map(is_number, values)),
    "COUNTA": lambda values: sum(value is not None for value in values),
    "COUNTUNIQUE": lambda values: len({order(value) for value in values if value is not None}),
}
"""The functions that summarise values."""


def pivot_table(rows: Sequence[Row], spec: JsonMapping) -> list[list[Scalar]]:
    """Return the cells of a pivot table.

    Args:
        rows: The table, its header first.
        spec: ``rows``, ``columns`` and ``values`` as the Sheets service has them.

    Examples:
        >>> table = [["Team", "Goals"], ["red", 2], ["blue", 1], ["red", 3]]
        >>> by_team = {"rows": [{"sourceColumnOffset": 0}], "values": [{"sourceColumnOffset": 1}]}
        >>> pivot_table(table, by_team)
        [['Team', 'SUM of Goals'], ['blue', 1], ['red', 5]]
    """
    header, *lines = rows
    groups, across = list(spec.get("rows", ())), list(spec.get("columns", ()))
    values = list(spec.get("values", ()))
    if not groups or not values or len(across) > 1:
        raise CrashError("a pivot table needs rows and values here, and takes columns of one field")
    offsets = [_offset(group, header) for group in (*groups, *across)]
    down = _keys(lines, offsets[: len(groups)], groups)
    right = _keys(lines, offsets[len(groups) :], across) if across else [()]
    table: list[list[Scalar]] = []
    for keys in down:
        cells = [
            _summary(_matching(lines, offsets, (*keys, *more)), value, header)
            for more in right
            for value in values
        ]
        table.append([*keys, *cells])
    if groups[0].get("showTotals"):
        totals = [
            _summary(_matching(lines, offsets[len(groups) :], more), value, header)
            for more in right
            for value in values
        ]
        table.append([GRAND_TOTAL, *[None] * (len(groups) - 1), *totals])
    return [*_titles(header, offsets[: len(groups)], right, values), *table]


def _titles(
    header: Row, offsets: Sequence[int], right: Sequence[Keys], values: Sequence[Mapping[str, object]]
) -> list[list[Scalar]]:
    names = [header[offset] for offset in offsets]
    if right == [()]:
        return [[*names, *(_name(value, header) for value in values)]]
    if len(values) > 1:
        labels: list[Scalar] = [f"{key} {_name(value, header)}" for (key,) in right for value in values]
    else:
        labels = [key for (key,) in right]
    return [[*names, *labels]]


def _name(value: Mapping[str, object], header: Row) -> str:
    given = value.get("name")
    return str(given or f"{value.get('summarizeFunction', 'SUM')} of {header[_offset(value, header)]}")


def _offset(group: Mapping[str, object], header: Row) -> int:
    offset = group.get("sourceColumnOffset")
    if not isinstance(offset, int) or not 0 <= offset < len(header):
        raise CrashError(
            f"sourceColumnOffset is a number from 0 to {len(header) - 1}, got {str(offset)[:40]}"
        )
    return offset


def _keys(lines: Sequence[Row], offsets: Sequence[int], groups: Sequence[Mapping[str, object]]) -> list[Keys]:
    """Return what stands in some columns, each combination once, in order."""
    found = list(dict.fromkeys(tuple(line[offset] for offset in offsets) for line in lines))
    for at in reversed(range(len(groups))):
        backwards = groups[at].get("sortOrder") not in _ASCENDING
        found.sort(key=lambda keys, at=at: order(keys[at]), reverse=backwards)  # type: ignore[misc]
    return found


def _matching(lines: Sequence[Row], offsets: Sequence[int], keys: Keys) -> list[Row]:
    return [
        line for line in lines if all(line[offset] == key for offset, key in zip(offsets, keys, strict=True))
    ]


def _summary(lines: Sequence[Row], value: JsonMapping, header: Row) -> Scalar:
    kind = value.get("summarizeFunction", "SUM")
    if kind not in SUMMARIES:
        raise CrashError(f"summarizeFunction is one of {', '.join(SUMMARIES)} here, got {kind!r}")
    offset = _offset(value, header)
    return SUMMARIES[kind]([line[offset] for line in lines])
