"""Inserts, deletes, sorts, merges and copies rows, columns and areas; each function returns a new value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import Closed, Place
from stb_env.suites.sambanova.google_sheets.formula.operands import order
from stb_env.suites.sambanova.google_sheets.formula.references import (
    Line,
    deleted,
    inserted,
    relocated,
    shifted,
)
from stb_env.suites.sambanova.google_sheets.formula.results import Results
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.values import Content, Formula

Dimension = Literal["ROWS", "COLUMNS"]
Order = Literal["asc", "des"]


def insert_lines(book: Book, sheet: Sheet, dimension: Dimension, at: int, count: int) -> Book:
    """Return the book with empty rows or columns put in before one."""
    size = sheet.rows if dimension == "ROWS" else sheet.columns
    if not 1 <= at <= size + 1 or count < 1:
        raise CrashError(f"lines are put in before one from 1 to {size + 1}, got {at}")
    if dimension == "ROWS":
        grown = sheet.resized(size + count, sheet.columns)
    else:
        grown = sheet.resized(sheet.rows, size + count)
    return _with_lines(book, grown, dimension, inserted(at, count))


def delete_lines(book: Book, sheet: Sheet, dimension: Dimension, first: int, last: int) -> Book:
    """Return the book without some rows or columns."""
    size = sheet.rows if dimension == "ROWS" else sheet.columns
    if not 1 <= first <= last <= size:
        raise CrashError(f"there are no lines {first} to {last}; the sheet has {size}")
    left = size - (last - first + 1)
    if not left:
        raise CrashError("the last rows or columns of a sheet cannot be deleted")
    changed = _with_lines(book, sheet, dimension, deleted(first, last))
    kept = changed.sheet(sheet.id)
    return changed.with_sheet(
        replace(kept, rows=left) if dimension == "ROWS" else replace(kept, columns=left)
    )


def _with_lines(book: Book, sheet: Sheet, dimension: Dimension, line: Line) -> Book:
    """Return the book after the lines of a sheet went elsewhere; its formulas and named areas follow."""
    axis = 0 if dimension == "ROWS" else 1

    def move(place: Place) -> Place | None:
        number = line(place[axis], False)
        if number is None:
            return None
        return (number, place[1]) if axis == 0 else (place[0], number)

    areas = (_moved_area(area, axis, line) for area in sheet.merges)
    moved = replace(sheet.mapped(move), merges=tuple(area for area in areas if area is not None))
    names = {
        name: (owner, area if owner != sheet.id else (_moved_area(area, axis, line) or area))
        for name, (owner, area) in book.names.items()
    }
    rows, columns = (line, None) if axis == 0 else (None, line)
    followed = (_followed(other, sheet, rows, columns) for other in book.with_sheet(moved).sheets)
    return replace(book, sheets=tuple(followed), names=names)


def _followed(sheet: Sheet, changed: Sheet, rows: Line | None, columns: Line | None) -> Sheet:
    """Return a sheet whose formulas follow the lines of one that changed."""
    if not any(isinstance(content, Formula) for content in sheet.cells.values()):
        return sheet
    own = sheet.id == changed.id
    cells = {
        place: Formula(shifted(content.text, changed.title, own=own, rows=rows, columns=columns))
        if isinstance(content, Formula)
        else content
        for place, content in sheet.cells.items()
    }
    return replace(sheet, cells=cells)


def _moved_area(area: Closed, axis: int, line: Line) -> Closed | None:
    ends = [area.top, area.bottom] if axis == 0 else [area.left, area.right]
    kept = [number for each in range(ends[0], ends[1] + 1) if (number := line(each, False)) is not None]
    if not kept:
        return None
    if axis == 0:
        return area._replace(top=kept[0], bottom=kept[-1])
    return area._replace(left=kept[0], right=kept[-1])


def sort_area(book: Book, sheet: Sheet, area: Closed, specs: Sequence[tuple[int, Order]]) -> Sheet:
    """Return the sheet with the rows of an area sorted: numbers before texts, empty cells last.

    Args:
        book: The sheet's book, for the values of formulas.
        sheet: The sheet.
        area: What is sorted.
        specs: Columns, numbered from 1 as in the sheet, with the order of each; the first weighs most.
    """
    results = Results(book)
    # Below the last content there is nothing to sort.
    bottom = max(area.top, min(area.bottom, sheet.extent[0]))
    rows = list(range(area.top, bottom + 1))
    for column, direction in reversed(specs):
        if not area.left <= column <= area.right:
            raise CrashError(f"column {column} lies outside of the sorted area {area.label}")
        values = {row: results.value(sheet, (row, column)) for row in rows}
        filled = [row for row in rows if values[row] not in (None, "")]
        empty = [row for row in rows if values[row] in (None, "")]
        rows = sorted(filled, key=lambda row: order(values[row]), reverse=direction == "des") + empty
    goes_to = {row: area.top + at for at, row in enumerate(rows)}

    def move(place: Place) -> Place:
        inside = area.left <= place[1] <= area.right and place[0] in goes_to
        return (goes_to[place[0]], place[1]) if inside else place

    moved = sheet.mapped(move)
    cells = dict(moved.cells)
    for place, content in sheet.cells.items():
        target = move(place)
        if isinstance(content, Formula) and target != place:
            cells[target] = Formula(relocated(content.text, target[0] - place[0], 0))
    return replace(moved, cells=cells)


def merged_parts(area: Closed, kind: str) -> list[Closed]:
    """Return the areas that a merge makes of one."""
    match kind:
        case "MERGE_ALL":
            return [area]
        case "MERGE_COLUMNS":
            return [area._replace(left=column, right=column) for column in range(area.left, area.right + 1)]
        case "MERGE_ROWS":
            return [area._replace(top=row, bottom=row) for row in range(area.top, area.bottom + 1)]
    raise CrashError(f"merge_type is MERGE_ALL, MERGE_COLUMNS or MERGE_ROWS, got {kind!r}")


def merge(sheet: Sheet, area: Closed, parts: Sequence[Closed]) -> Sheet:
    """Return the sheet with each part of an area merged; of each the upper left content stays."""
    if area.bottom > sheet.rows or area.right > sheet.columns:
        raise CrashError(f"the area {area.label} exceeds the grid")
    kept = [old for old in sheet.merges if not any(part.holds(old) for part in parts)]
    if any(old.overlaps(part) for old in kept for part in parts):
        raise CrashError("an area cannot be merged with part of another merged area")
    cells = dict(sheet.cells)
    for part in parts:
        for place in [place for place in cells if part.has(place) and place != (part.top, part.left)]:
            del cells[place]
    whole = [part for part in parts if part.shape != (1, 1)]
    return replace(sheet, cells=cells, merges=(*kept, *whole))


def unmerge(sheet: Sheet, area: Closed) -> Sheet:
    """Return the sheet with the merged areas that an area touches taken apart."""
    return replace(sheet, merges=tuple(old for old in sheet.merges if not old.overlaps(area)))


def copied(
    sheet: Sheet, source: Closed, target: Place, *, values: bool, formats: bool, transposed: bool = False
) -> tuple[Mapping[Place, Content | None], Mapping[Place, JsonMapping]]:
    """Return what a copy of an area would write and how it would look, from its upper left cell on."""
    contents: dict[Place, Content | None] = {}
    looks: dict[Place, JsonMapping] = {}
    for row, column in source.places():
        down, across = row - source.top, column - source.left
        place = (
            (target[0] + across, target[1] + down) if transposed else (target[0] + down, target[1] + across)
        )
        content = sheet.cells.get((row, column))
        if isinstance(content, Formula):
            content = Formula(relocated(content.text, place[0] - row, place[1] - column))
        if values:
            contents[place] = content
        if formats:
            looks[place] = sheet.formats.get((row, column), {})
    return contents, looks
