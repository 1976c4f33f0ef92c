"""Methods on a worksheet as a whole: its title and place, its notes, names and protected areas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import read_cell
from stb_env.suites.sambanova.google_sheets.methods.method import AREA, CELL, COUNT, TEXT, Method, said
from stb_env.suites.sambanova.google_sheets.session import Tab


def _update_title(tab: Tab, title: str) -> None:
    others = [sheet for sheet in tab.session.book.sheets if sheet.id != tab.sheet_id]
    if not isinstance(title, str) or not title or len(title) > 100:
        raise CrashError("a title is a text of 1 to 100 characters")
    if any(sheet.title.lower() == title.lower() for sheet in others):
        raise CrashError(f"there is a worksheet {title!r} already; take another title")
    tab.sheet = replace(tab.sheet, title=title)


def _update_index(tab: Tab, index: int) -> None:
    book = tab.session.book
    if not isinstance(index, int) or not 0 <= index < len(book.sheets):
        raise CrashError(f"index is a number from 0 to {len(book.sheets) - 1}")
    others = [sheet for sheet in book.sheets if sheet.id != tab.sheet_id]
    others.insert(index, tab.sheet)
    tab.session.book = replace(book, sheets=tuple(others))


def _duplicate(
    tab: Tab,
    insert_sheet_index: int | None = None,
    new_sheet_id: int | None = None,  # noqa: ARG001 (ids are given in order here)
    new_sheet_name: str | None = None,
) -> Tab:
    title = new_sheet_name or f"Copy of {tab.sheet.title}"
    index = tab.index + 1 if insert_sheet_index is None else insert_sheet_index
    book, sheet = tab.session.book.inserted(replace(tab.sheet, title=title), index)
    tab.session.book = book
    return Tab(tab.session, sheet.id)


def _set_hidden(tab: Tab, hidden: bool) -> None:
    sheet = tab.sheet
    tab.sheet = replace(sheet, view=replace(sheet.view, hidden=hidden))


def _define_name(tab: Tab, name: str, range_name: str) -> None:
    # gspread calls the area "name", and the name "range_name".
    if not isinstance(range_name, str) or not range_name.isidentifier() or len(range_name) > 100:
        raise CrashError("a name is of letters, digits and underscores, and begins with no digit")
    book = tab.session.book
    names = {**book.names, range_name: (tab.sheet_id, tab.area(name))}
    tab.session.book = replace(book, names=names)


def _delete_name(tab: Tab, named_range_id: str) -> None:
    book = tab.session.book
    if named_range_id not in book.names:
        raise CrashError(f"no area is named {str(named_range_id)[:60]!r}")
    names = {name: area for name, area in book.names.items() if name != named_range_id}
    tab.session.book = replace(book, names=names)


def _protect(tab: Tab, name: str, *_: Any, **__: Any) -> JsonObject:
    sheet = tab.sheet
    number = max(sheet.protected, default=0) + 1
    tab.sheet = replace(sheet, protected={**sheet.protected, number: tab.area(name)})
    return {"protectedRangeId": number}


def _unprotect(tab: Tab, id: Any) -> None:
    sheet = tab.sheet
    if id not in sheet.protected:
        raise CrashError(f"no protected area has the number {str(id)[:20]}")
    kept = {number: area for number, area in sheet.protected.items() if number != id}
    tab.sheet = replace(sheet, protected=kept)


def _note(tab: Tab, cell: str, content: str) -> None:
    if not isinstance(content, str):
        raise CrashError("only a text can be a note")
    sheet, place = tab.sheet, read_cell(cell)
    notes = {where: note for where, note in sheet.notes.items() if where != place}
    tab.sheet = replace(sheet, notes={**notes, place: content} if content else notes)


def _clear_note(tab: Tab, cell: str) -> None:
    _note(tab, cell, "")


_CONTENT = said(TEXT, "The note.")
METHODS: tuple[Method, ...] = (
    Method("update_title", "Renames the worksheet.", {"title": TEXT}, _update_title, 1),
    Method("update_index", "Moves the worksheet among the others.", {"index": COUNT}, _update_index, 1),
    Method(
        "duplicate",
        "Copies the worksheet within the spreadsheet.",
        {"insert_sheet_index": COUNT, "new_sheet_id": COUNT, "new_sheet_name": TEXT},
        _duplicate,
    ),
    Method("hide", "Hides the worksheet.", {}, lambda tab: _set_hidden(tab, True)),
    Method("show", "Shows the worksheet again.", {}, lambda tab: _set_hidden(tab, False)),
    Method("define_named_range", "Names an area.", {"name": AREA, "range_name": TEXT}, _define_name, 2),
    Method("delete_named_range", "Takes a name away.", {"named_range_id": TEXT}, _delete_name, 1),
    Method("add_protected_range", "Protects an area.", {"name": AREA}, _protect, 1),
    Method("delete_protected_range", "Ends a protection.", {"id": COUNT}, _unprotect, 1),
    Method("insert_note", "Puts a note on a cell.", {"cell": CELL, "content": _CONTENT}, _note, 2),
    Method("update_note", "Changes the note on a cell.", {"cell": CELL, "content": _CONTENT}, _note, 2),
    Method("clear_note", "Takes the note off a cell.", {"cell": CELL}, _clear_note, 1),
)
