"""What a spreadsheet came to, as far as it is judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.google_sheets.a1 import Area, Closed, Place
from stb_env.suites.sambanova.google_sheets.formats import effective
from stb_env.suites.sambanova.google_sheets.formula.operands import Scalar
from stb_env.suites.sambanova.google_sheets.frame import Frame, read_frame
from stb_env.suites.sambanova.google_sheets.results import Results
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet

OWN = 1
"""Id of the worksheet that a task is about; the first one, with a lower id, does not count."""

_CLOSE = 1e-9


class Outcome(NamedTuple):
    """Values of the worksheets, the untouched first one left out.

    Attributes:
        values: Values by place, for each worksheet.
        titles: Titles of the worksheets that were there from the start.
    """

    values: tuple[Mapping[Place, Scalar], ...]
    titles: tuple[str, ...]


def outcome_of(book: Book) -> Outcome:
    """Return what the cells of a spreadsheet came to."""
    results, sheets = Results(book), _judged(book)
    return Outcome(
        tuple(_values(results, sheet) for sheet in sheets),
        tuple(sheet.title for sheet in sheets if sheet.id == OWN),
    )


def looks_of(book: Book) -> tuple[JsonMapping, ...]:
    """Return everything else that can be seen of a spreadsheet, for each worksheet."""
    results = Results(book)
    return tuple(_look(results, sheet) for sheet in _judged(book))


def restyled(looks: Sequence[JsonMapping], start: Sequence[JsonMapping]) -> bool:
    """Return whether more changed than values, and than where numbers and texts stand in their cells."""
    a, b = looks[0], start[0]
    if any(a[part] != b[part] for part in a if part != "formats"):
        return True
    shared = a["formats"].keys() & b["formats"].keys()
    return any(_set_by_hand(a["formats"][place]) != _set_by_hand(b["formats"][place]) for place in shared)


def _set_by_hand(look: JsonMapping) -> JsonObject:
    return {key: part for key, part in look.items() if key not in ("horizontalAlignment", "numberFormat")}


def _judged(book: Book) -> list[Sheet]:
    return [sheet for sheet in book.sheets if sheet.id >= OWN]


def frame_of(book: Book) -> Frame:
    """Return the last worksheet as the original reads it."""
    results, sheet = Results(book), book.sheets[-1]
    bottom, right = sheet.extent
    grid = [
        [results.value(sheet, (row, column)) for column in range(1, right + 1)]
        for row in range(1, bottom + 1)
    ]
    return read_frame(grid)


def formats_of(book: Book) -> list[JsonMapping]:
    """Return the formats that the original looks at."""
    results, sheet = Results(book), book.sheets[-1]
    # The height of the frame leaves the header out, so that the last row is not looked at.
    places = Closed(1, 1, *frame_of(book).shape).places()
    return [effective(sheet.formats.get(place), results.value(sheet, place)) for place in places]


def same_values(got: Outcome, wanted: Outcome) -> bool:
    """Return whether every cell holds the same: numbers up to rounding, texts to the letter."""
    if got.titles != wanted.titles or len(got.values) != len(wanted.values):
        return False
    return all(
        a.keys() == b.keys() and all(same_value(value, b[place]) for place, value in a.items())
        for a, b in zip_longest(got.values, wanted.values)
    )


def same_value(a: Scalar, b: Scalar) -> bool:
    """Return whether two values are the same.

    Examples:
        >>> same_value(0.1 + 0.2, 0.3), same_value(4, "4"), same_value(True, 1)
        (True, False, False)
    """
    kinds = [isinstance(value, int | float) and not isinstance(value, bool) for value in (a, b)]
    if all(kinds):
        return math.isclose(float(a or 0), float(b or 0), rel_tol=_CLOSE, abs_tol=_CLOSE)
    return type(a) is type(b) and a == b if not any(kinds) else False


def _values(results: Results, sheet: Sheet) -> dict[Place, Scalar]:
    values = {place: results.value(sheet, place) for place in sorted(sheet.cells)}
    return {place: _text(value) for place, value in values.items() if value not in (None, "")}


def _text(value: Scalar) -> Scalar:
    # The errors of formulas are texts of a kind of their own.
    return str(value) if isinstance(value, str) else value


def _look(results: Results, sheet: Sheet) -> JsonObject:
    view = sheet.view
    bottom, right = sheet.extent
    formats = {
        place: effective(sheet.formats.get(place), results.value(sheet, place))
        for place in Closed(1, 1, bottom, right).places()
    }
    return {
        "formats": formats,
        "merges": sorted(sheet.merges),
        "frozen": (view.frozen_rows, view.frozen_columns),
        "filter": _clipped(view.filter, bottom, right),
        "hidden": (sorted(view.hidden_rows), sorted(view.hidden_columns), view.hidden),
        "groups": sorted(view.groups),
        "color": view.tab_color,
        "notes": dict(sheet.notes),
    }


def _clipped(area: Area | None, bottom: int, right: int) -> Closed | None:
    """Return an area as far as there is anything in it."""
    if area is None:
        return None
    closed = area.within(bottom, right)
    return closed._replace(bottom=min(closed.bottom, bottom), right=min(closed.right, right))
