"""Methods on a worksheet as a whole: its title and place, its notes, names and protected areas."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.a1 import read_cell
from stb_env.suites.sambanova.google_sheets.methods.method import (
    COUNT,
    TEXT,
    AreaName,
    Cell,
    Count,
    MethodTable,
    Text,
    described,
)
from stb_env.suites.sambanova.google_sheets.session import Tab

METHODS = MethodTable()


@METHODS.add("Renames the worksheet.")
def _update_title(tab: Tab, title: Text) -> None:
    others = [sheet for sheet in tab.session.book.sheets if sheet.id != tab.sheet_id]
    if not isinstance(title, str) or not title or len(title) > 100:
        raise CrashError("a title is a text of 1 to 100 characters")
    if any(sheet.title.lower() == title.lower() for sheet in others):
        raise CrashError(f"there is a worksheet {title!r} already; take another title")
    tab.sheet = replace(tab.sheet, title=title)


@METHODS.add("Moves the worksheet among the others.")
def _update_index(tab: Tab, index: Count) -> None:
    book = tab.session.book
    if not isinstance(index, int) or not 0 <= index < len(book.sheets):
        raise CrashError(f"index is a number from 0 to {len(book.sheets) - 1}")
    others = [sheet for sheet in book.sheets if sheet.id != tab.sheet_id]
    others.insert(index, tab.sheet)
    tab.session.book = replace(book, sheets=tuple(others))


@METHODS.add("Copies the worksheet within the spreadsheet.")
def _duplicate(
    tab: Tab,
    insert_sheet_index: Annotated[int | None, COUNT] = None,
    new_sheet_id: Annotated[int | None, COUNT] = None,  # noqa: ARG001 (ids are given in order here)
    new_sheet_name: Annotated[str | None, TEXT] = None,
) -> Tab:
    index = tab.index + 1 if insert_sheet_index is None else insert_sheet_index
    return tab.session.copy(tab.sheet, new_sheet_name, index)


def _set_hidden(tab: Tab, hidden: bool) -> None:
    sheet = tab.sheet
    tab.sheet = replace(sheet, view=replace(sheet.view, hidden=hidden))


METHODS.add("Hides the worksheet.", name="hide", steps=20)(lambda tab: _set_hidden(tab, True))
METHODS.add("Shows the worksheet again.", name="show", steps=20)(lambda tab: _set_hidden(tab, False))


@METHODS.add("Names an area.", name="define_named_range")
def _define_name(tab: Tab, name: AreaName, range_name: Text) -> None:
    # gspread calls the area "name", and the name "range_name".
    if not isinstance(range_name, str) or not range_name.isidentifier() or len(range_name) > 100:
        raise CrashError("a name is of letters, digits and underscores, and begins with no digit")
    book = tab.session.book
    names = {**book.names, range_name: (tab.sheet_id, tab.area(name))}
    tab.session.book = replace(book, names=names)


@METHODS.add("Takes a name away.", name="delete_named_range")
def _delete_name(tab: Tab, named_range_id: Text) -> None:
    book = tab.session.book
    if named_range_id not in book.names:
        raise CrashError(f"no area is named {str(named_range_id)[:60]!r}")
    names = {name: area for name, area in book.names.items() if name != named_range_id}
    tab.session.book = replace(book, names=names)


@METHODS.add("Protects an area.", name="add_protected_range")
def _protect(tab: Tab, name: AreaName, *_: object, **__: object) -> JsonObject:
    sheet = tab.sheet
    number = max(sheet.protected, default=0) + 1
    tab.sheet = replace(sheet, protected={**sheet.protected, number: tab.area(name)})
    return {"protectedRangeId": number}


@METHODS.add("Ends a protection.", name="delete_protected_range")
def _unprotect(tab: Tab, id: Annotated[object, COUNT]) -> None:
    sheet = tab.sheet
    if id not in sheet.protected:
        raise CrashError(f"no protected area has the number {str(id)[:20]}")
    kept = {number: area for number, area in sheet.protected.items() if number != id}
    tab.sheet = replace(sheet, protected=kept)


Note = Annotated[str, described(TEXT, "The note.")]


@METHODS.add("Changes the note on a cell.", name="update_note")
@METHODS.add("Puts a note on a cell.", name="insert_note")
def _note(tab: Tab, cell: Cell, content: Note) -> None:
    if not isinstance(content, str):
        raise CrashError("only a text can be a note")
    sheet, place = tab.sheet, read_cell(cell)
    notes = {where: note for where, note in sheet.notes.items() if where != place}
    tab.sheet = replace(sheet, notes={**notes, place: content} if content else notes)


@METHODS.add("Takes the note off a cell.")
def _clear_note(tab: Tab, cell: Cell) -> None:
    _note(tab, cell, "")
