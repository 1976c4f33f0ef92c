"""The objects of programs: the spreadsheet, its worksheets and their cells."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Host, Native, words
from stb_env.suites.sambanova.google_sheets.a1 import Place, label
from stb_env.suites.sambanova.google_sheets.methods.method import Method
from stb_env.suites.sambanova.google_sheets.session import Session, Tab

UNSUPPORTED = words(
    "accept_ownership copy_to export list_permissions remove_permissions share transfer_ownership "
    "update_locale update_timezone add_dimension_group delete_dimension_group list_dimension_group client"
)
"""gspread's names for what an account, a drive or a file is needed for."""


class CellHost(Host):
    """A cell as it was when it was read.

    Args:
        place: Row and column.
        value: Its text.
    """

    kind = "a cell"

    def __init__(self, place: Place, value: object) -> None:
        self.place = place
        self.value = value

    def __repr__(self) -> str:
        return f"<Cell R{self.place[0]}C{self.place[1]} {self.value!r}>"

    def attribute(self, name: str) -> object:
        """Return what gspread's cells have."""
        match name:
            case "row":
                return self.place[0]
            case "col":
                return self.place[1]
            case "value":
                return self.value
            case "address":
                return label(*self.place)
            case "numeric_value":
                return numeric(self.value)
        return super().attribute(name)

    def set_attribute(self, name: str, value: object) -> None:
        """Set the value, for ``update_cells`` to write."""
        if name != "value":
            super().set_attribute(name, value)
        self.value = value


class BookHost(Host):
    """The spreadsheet of a program.

    Args:
        session: The spreadsheet.
        methods: Its methods, by name.
        sheet_methods: The methods of worksheets.
    """

    kind = "a spreadsheet"

    def __init__(
        self, session: Session, methods: Mapping[str, Method], sheet_methods: Mapping[str, Method]
    ) -> None:
        self.session = session
        self.methods = methods
        self.sheet_methods = sheet_methods

    def bound(self, method: Method, owner: Session | Tab) -> Native:
        """Return a method as programs call it."""
        run = partial(method.run, owner)
        return Native(method.name, lambda *args, **kwargs: self.held(run(*args, **kwargs)), method.cost)

    def held(self, value: object) -> object:
        """Return a result with worksheets as programs hold them."""
        if isinstance(value, Tab):
            return SheetHost(value, self)
        return [self.held(item) for item in value] if isinstance(value, list) else value

    def attribute(self, name: str) -> object:
        """Return a method or a property."""
        if name in self.methods:
            return self.bound(self.methods[name], self.session)
        book = self.session.book
        first = SheetHost(Tab(self.session, book.sheets[0].id), self)
        properties = {"id": "embedded", "title": book.title, "sheet1": first}
        return _found(self.kind, name, properties, self.methods)


class SheetHost(Host):
    """A worksheet of a program.

    Args:
        tab: The worksheet.
        parent: The spreadsheet.
    """

    kind = "a worksheet"

    def __init__(self, tab: Tab, parent: BookHost) -> None:
        self.tab = tab
        self._parent = parent

    def __repr__(self) -> str:
        return f"<Worksheet {self.tab.sheet.title!r} id:{self.tab.sheet_id}>"

    def attribute(self, name: str) -> object:
        """Return a method or a property."""
        methods = self._parent.sheet_methods
        if name in methods:
            return self._parent.bound(methods[name], self.tab)
        sheet = self.tab.sheet
        properties = {
            "id": sheet.id,
            "title": sheet.title,
            "index": self.tab.index,
            "row_count": sheet.rows,
            "col_count": sheet.columns,
            "frozen_row_count": sheet.view.frozen_rows,
            "frozen_col_count": sheet.view.frozen_columns,
            "spreadsheet": self._parent,
        }
        return _found(self.kind, name, properties, methods)


def _found(kind: str, name: str, properties: Mapping[str, object], methods: Mapping[str, Method]) -> object:
    if name in properties:
        return properties[name]
    if name in UNSUPPORTED:
        raise UnsupportedError(f"unsupported: {name} needs an account, which this spreadsheet has not")
    raise CrashError(f"{kind} has no attribute {name!r}.{did_you_mean(name, [*properties, *methods])}")


def numeric(value: object) -> int | float | None:
    """Return a text as a number; None where it is none.

    Examples:
        >>> numeric("1,200"), numeric("0.5"), numeric("x") is None
        (1200, 0.5, True)
    """
    text = str(value).replace(",", "").strip()
    try:
        number = float(text) if len(text) < 300 and "_" not in text else None
    except ValueError:
        return None
    if number is None or number != number or abs(number) == float("inf"):
        return None
    return int(number) if text.lstrip("+-").isdecimal() else number
