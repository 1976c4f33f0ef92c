"""Carries out calls and programs on a spreadsheet."""

from __future__ import annotations

import warnings

import numpy as np

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.sambanova.common.interpreter.arrays import NUMPY
from stb_env.suites.sambanova.common.interpreter.budget import MAX_TEXT, Budget, weigh
from stb_env.suites.sambanova.common.interpreter.builtins import MATH
from stb_env.suites.sambanova.common.interpreter.costs import at_least, read
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Host, Module, Native
from stb_env.suites.sambanova.common.interpreter.machine import Machine, Outcome
from stb_env.suites.sambanova.common.interpreter.methods import without_addresses
from stb_env.suites.sambanova.common.interpreter.values import PYTHON_ERRORS, said
from stb_env.suites.sambanova.google_sheets.dataframes.calls import where
from stb_env.suites.sambanova.google_sheets.dataframes.kind import kinds_for, pandas_names
from stb_env.suites.sambanova.google_sheets.dataframes.library import own_errors
from stb_env.suites.sambanova.google_sheets.dataframes.worksheets import FRAME_FUNCTIONS
from stb_env.suites.sambanova.google_sheets.modules import MODULES
from stb_env.suites.sambanova.google_sheets.objects import BookHost, CellHost, SheetHost
from stb_env.suites.sambanova.google_sheets.patterns import library_of
from stb_env.suites.sambanova.google_sheets.session import Session, Tab
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.tools import BOOK_METHODS, SHEET_METHODS, WORKSHEET, method_of

_NUMPY = NUMPY.extended({"where": Native("where", where, at_least(10, read))})


def own_sheet(book: Book) -> Sheet:
    """Return the worksheet that a task is about: the one made for it, or the last."""
    return next((sheet for sheet in book.sheets if sheet.id == 1), book.sheets[-1])


def run_call(session: Session, name: str, arguments: JsonMapping) -> object:
    """Make one call of a tool.

    Args:
        session: The spreadsheet.
        name: The tool.
        arguments: Its arguments, checked against its schema.

    Raises:
        CrashError: The call cannot be carried out.
    """
    given = dict(arguments)
    try:
        method, is_book = method_of(name)
        if is_book:
            return method.run(session, **given)
        title = given.pop(WORKSHEET, None)
        tab = Tab(session, own_sheet(session.book).id) if title is None else session.titled(title)
        if method.several:
            first = next(iter(method.parameters))
            return method.run(tab, *given.pop(first, ()), **given)
        return method.run(tab, **given)
    except PYTHON_ERRORS as error:
        raise CrashError(said(error)) from error


def run_program(session: Session, text: str) -> Outcome:
    r"""Run a program.

    Args:
        session: The spreadsheet.
        text: The program.

    Raises:
        CrashError: It does not run through; where it uses data frames and pandas is not installed, a
            `NoFramesError`.

    Examples:
        >>> from stb_env.suites.sambanova.google_sheets.sheet import book_of
        >>> session = Session(book_of([["a", 1], ["b", 2]]))
        >>> text = "worksheet.update_acell('B3', '=SUM(B1:B2)')\nworksheet.acell('B3').value"
        >>> run_program(session, text).value
        '3'
    """
    parent = BookHost(session, BOOK_METHODS, SHEET_METHODS)
    tab = Tab(session, own_sheet(session.book).id)
    pandas = _Pandas(session.budget)
    names = {
        "sheet": parent,
        "worksheet": SheetHost(tab, parent),
        **FRAME_FUNCTIONS,
        "np": _NUMPY,
        "pd": pandas,
    }
    modules = {
        "numpy": _NUMPY,
        "pandas": pandas,
        "math": MATH,
        "re": library_of(session.budget),
        **MODULES,
    }
    machine = Machine(names, modules, kinds_for(session.budget), budget=session.budget)
    with warnings.catch_warnings():
        # Warnings of pandas concern the program alone.
        warnings.simplefilter("ignore")
        try:
            return machine.run(text)
        except own_errors() as error:
            raise CrashError(said(error)) from error


class _Pandas(Module):
    """pandas, imported when a program first asks for something in it."""

    def __init__(self, budget: Budget) -> None:
        super().__init__("pandas", {})
        self._budget = budget

    def attribute(self, name: str) -> object:
        if not self._names:
            self._names = pandas_names(self._budget)
        return super().attribute(name)


def plain(value: object) -> object:
    """Return a result as JSON data.

    Raises:
        CrashError: It is too large.

    Examples:
        >>> plain(CellHost((2, 1), "x"))
        {'row': 2, 'col': 1, 'value': 'x'}
    """
    weigh(value)
    return _plain(value)


def _plain(value: object) -> object:
    match value:
        case CellHost():
            return {"row": value.place[0], "col": value.place[1], "value": _plain(value.value)}
        case Tab():
            return {"id": value.sheet_id, "title": value.sheet.title, "index": value.index}
        case Host():
            return repr(value)
        case np.ndarray():
            return _plain(value.tolist())
        case list() | tuple():
            return [_plain(item) for item in value]
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case bool() | int() | float() | str() | None:
            return value
    if hasattr(value, "to_string"):
        return without_addresses(value.to_string(max_rows=60))[:MAX_TEXT]
    return without_addresses(repr(value))[:MAX_TEXT]
