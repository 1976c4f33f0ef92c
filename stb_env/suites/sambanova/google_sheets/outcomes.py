"""The final state of a spreadsheet as judges see it: values and looks, and whether two of them agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed, Place
from stb_env.suites.sambanova.google_sheets.formats import effective
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar, is_number
from stb_env.suites.sambanova.google_sheets.formula.results import Results
from stb_env.suites.sambanova.google_sheets.methods.pivot import GRAND_TOTAL
from stb_env.suites.sambanova.google_sheets.original_frame import Frame, read_frame
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet

OWN = 1
"""Id of the worksheet that a task is about; the first one, with a lower id, does not count."""

_CLOSE = 1e-9

_MOST_TITLES = 3
"""Rows above the groups of a summary: data frames write one for each level of their titles."""

Row = Sequence[Scalar]


class Outcome(NamedTuple):
    """Values of the worksheets, the untouched first one left out.

    Attributes:
        title: Title of the worksheet that the task is about; None where it was deleted.
        own: Its values by place.
        added: Values of the others, in their order; where among them the task's own stands is all the same.
    """

    title: str | None
    own: Mapping[Place, Scalar]
    added: tuple[Mapping[Place, Scalar], ...]


def outcome_of(book: Book, results: Results | None = None) -> Outcome:
    """Return what the cells of a spreadsheet came to; its results may be shared, so that they come once."""
    results, sheets = results or Results(book), _judged(book)
    values = {sheet.id: _values(results, sheet) for sheet in sheets}
    title = next((sheet.title for sheet in sheets if sheet.id == OWN), None)
    return Outcome(title, values.pop(OWN, {}), tuple(values.values()))


class Look(NamedTuple):
    """All that can be seen of a worksheet besides its values."""

    formats: Mapping[Place, JsonMapping]
    merges: Sequence[Closed]
    frozen: tuple[int, int]
    filter: Closed | None
    hidden: tuple[Sequence[int], Sequence[int], bool]
    groups: Sequence[tuple[str, int, int]]
    color: JsonMapping | None
    notes: Mapping[Place, str]


def looks_of(book: Book, results: Results | None = None) -> tuple[Look, ...]:
    """Return the looks of the worksheets; see `outcome_of`."""
    results = results or Results(book)
    return tuple(_look(results, sheet) for sheet in _judged(book))


def restyled(looks: Sequence[Look], start: Sequence[Look]) -> bool:
    """Return whether more changed than values, and than the alignment and number formats that follow them."""
    a, b = looks[0], start[0]
    if a._replace(formats={}) != b._replace(formats={}):
        return True
    shared = a.formats.keys() & b.formats.keys()
    return any(_set_by_hand(a.formats[place]) != _set_by_hand(b.formats[place]) for place in shared)


def _set_by_hand(look: Mapping[str, object]) -> dict[str, object]:
    return {key: part for key, part in look.items() if key not in ("horizontalAlignment", "numberFormat")}


def _judged(book: Book) -> list[Sheet]:
    """Return the worksheets that count, the task's own first."""
    sheets = [_without_placeholders(sheet) for sheet in book.sheets if sheet.id >= OWN]
    return sorted(sheets, key=lambda sheet: sheet.id != OWN)


def _without_placeholders(sheet: Sheet) -> Sheet:
    """Return a worksheet without the names that data frames give to empty columns when they are written back.

    A program that reads the grid and writes it again leaves ``Unnamed: 5`` above a column in which nothing
    stands; nobody who looks at the table takes that for part of it.
    """
    heads = [
        place
        for place, content in sheet.cells.items()
        if place[0] == 1 and content == f"Unnamed: {place[1] - 1}"
    ]
    filled = {column for row, column in sheet.cells if row > 1} if heads else ()
    dropped = {place for place in heads if place[1] not in filled}
    return sheet.mapped(lambda place: None if place in dropped else place) if dropped else sheet


def frame_of(book: Book) -> Frame:
    """Return the last worksheet as the original reads it."""
    sheet = book.sheets[-1]
    return read_frame(Results(book).rows(sheet, 1, 1, *sheet.extent))


def formats_of(book: Book) -> list[Mapping[str, object]]:
    """Return the formats that the original looks at."""
    results, sheet = Results(book), book.sheets[-1]
    # The height of the frame leaves the header out, so that the last row is not looked at.
    places = Closed(1, 1, *frame_of(book).shape).places()
    return [effective(sheet.formats.get(place), results.value(sheet, place)) for place in places]


def rows_of(cells: Mapping[Place, Scalar]) -> dict[int, dict[Place, Scalar]]:
    """Return the cells of each row that has any.

    Examples:
        >>> rows_of({(1, 1): "Name", (2, 1): "Ann", (2, 2): 31})
        {1: {(1, 1): 'Name'}, 2: {(2, 1): 'Ann', (2, 2): 31}}
    """
    rows: dict[int, dict[Place, Scalar]] = {}
    for place, value in cells.items():
        rows.setdefault(place[0], {})[place] = value
    return rows


def same_cells(got: Mapping[Place, Scalar], wanted: Mapping[Place, Scalar]) -> bool:
    """Return whether every cell holds the same: numbers up to rounding, texts to the letter."""
    return got.keys() == wanted.keys() and all(
        same_value(value, wanted[place]) for place, value in got.items()
    )


def same_value(a: Scalar, b: Scalar) -> bool:
    """Return whether two values are the same.

    Examples:
        >>> same_value(0.1 + 0.2, 0.3), same_value(4, "4"), same_value(True, 1)
        (True, False, False)
    """
    if is_number(a) and is_number(b):
        return math.isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE)
    return type(a) is type(b) and a == b


def _values(results: Results, sheet: Sheet) -> dict[Place, Scalar]:
    values = {place: results.value(sheet, place) for place in sorted(sheet.cells)}
    # The errors of formulas have a type of their own; they are compared as texts.
    texts = {place: str(value) if isinstance(value, str) else value for place, value in values.items()}
    return {place: value for place, value in texts.items() if value not in (None, "")}


def _look(results: Results, sheet: Sheet) -> Look:
    view = sheet.view
    bottom, right = sheet.extent
    # Of merged cells the upper left one alone is seen.
    covered = {place for area in sheet.merges for place in area.places() if place != (area.top, area.left)}
    formats = {
        place: effective(sheet.formats.get(place), results.value(sheet, place))
        for place in Closed(1, 1, bottom, right).places()
        if place not in covered
    }
    return Look(
        formats=formats,
        merges=sorted(sheet.merges),
        frozen=(view.frozen_rows, view.frozen_columns),
        filter=_clipped(view.filter, bottom, right),
        hidden=(sorted(view.hidden_rows), sorted(view.hidden_columns), view.hidden),
        groups=sorted(view.groups),
        color=view.tab_color,
        notes=dict(sheet.notes),
    )


def _clipped(area: Area | None, bottom: int, right: int) -> Closed | None:
    """Return an area as far as there is anything in it."""
    if area is None:
        return None
    closed = area.within(bottom, right)
    return closed._replace(bottom=min(closed.bottom, bottom), right=min(closed.right, right))


def same_summary(got: Mapping[Place, Scalar], wanted: Mapping[Place, Scalar]) -> bool:
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


def _rows(values: Mapping[Place, Scalar]) -> list[Row]:
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
