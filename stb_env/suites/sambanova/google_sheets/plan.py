"""The gold solution of a goal: its calls, and the table after each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.google_sheets.a1 import label, letters
from stb_env.suites.sambanova.google_sheets.tables import FUNCTIONS, Table, Value, number_of

Call = tuple[str, JsonObject]
"""A tool with its arguments."""

ORDERS = {"ascending": "asc", "descending": "des"}
"""Orders as goals name them, and as gspread does."""

_MARKS = {"plus": "+", "minus": "-", "times": "*"}
_TITLES = {"plus": "Total", "minus": "Difference", "times": "Result"}


class Operation(NamedTuple):
    """A column to compute of two others."""

    title: str
    left: str
    sign: str
    right: str


class Plan:
    """Calls that are made one after the other, and the table as it is after them.

    Args:
        table: The table that the first call finds.

    Attributes:
        start: The table that the first call finds.
        table: The table after the calls so far.
        calls: The calls so far.
        check_format: Whether looks count.
        is_idle: Whether one of the calls changes nothing.
        is_summary: Whether a worksheet of its own sums the table up, whose layout is free.

    Examples:
        >>> from stb_env.suites.sambanova.google_sheets.tables import Theme
        >>> theme = Theme(key="Name", group="Team", keys=[], groups=[], numbers=[])
        >>> plan = Plan(Table(theme, ["Name", "Team", "Age"], [["Ada", "red", 36], ["Bob", "blue", 30]]))
        >>> plan.sort("Age", "ascending")
        >>> plan.sum_up("Age", "sum")
        >>> plan.calls[0]
        ('sort', {'specs': [[3, 'asc']], 'range': 'A2:C3'})
        >>> plan.table.rows[0], plan.calls[1][1]
        (['Bob', 'blue', 30], {'label': 'C4', 'value': '=SUM(C2:C3)'})
    """

    def __init__(self, table: Table) -> None:
        self.start = self.table = table
        self.calls: list[Call] = []
        self.check_format = False
        self.is_summary = False
        self.is_idle = False

    def start_over(self, rows: Iterable[Sequence[Value]]) -> None:
        """Let the first call find other rows."""
        self._become(self.table.header, rows)
        self.start = self.table

    def call(self, name: str, /, **arguments: object) -> None:
        """Make a call that the table shows nothing of."""
        self.calls.append((name, arguments))

    def set_cell(self, row: int, title: str, value: Value) -> None:
        """Write a value into a row of the table."""
        self.call("update_cell", row=row, col=self.table.column(title), value=value)
        self._set(row, title, value)

    def update(self, row: int, title: str, value: Value) -> None:
        """Write a value into a cell that is named as an area."""
        self.call("update", range_name=label(row, self.table.column(title)), values=value)
        self._set(row, title, value)

    def rename(self, title: str, new: str) -> None:
        """Give a column another title."""
        column = self.table.column(title)
        self.call("update_cell", row=1, col=column, value=new)
        self._become([new if each == title else each for each in self.table.header], self.table.rows)

    def append(self, row: Sequence[Value]) -> None:
        """Add a row below the table."""
        self.call("append_row", values=list(row))
        self._become(self.table.header, [*self.table.rows, list(row)])

    def insert(self, row: Sequence[Value], at: int) -> None:
        """Insert a row."""
        self.call("insert_row", values=list(row), index=at)
        rows = self.table.rows
        self._become(self.table.header, [*rows[: at - 2], list(row), *rows[at - 2 :]])

    def delete_rows(self, rows: Iterable[int]) -> None:
        """Delete rows one by one, the last first, so that those above stay where they are."""
        for row in sorted(rows, reverse=True):
            self.call("delete_rows", start_index=row)
            kept = [line for at, line in enumerate(self.table.rows, 2) if at != row]
            self._become(self.table.header, kept)

    def cut_below(self, row: int) -> None:
        """Delete all rows of the table from one on."""
        self.call("delete_rows", start_index=row, end_index=self.table.last_row)
        self._become(self.table.header, self.table.rows[: row - 2])

    def delete_column(self, title: str) -> None:
        """Delete a column."""
        column = self.table.column(title)
        self.call("delete_columns", start_index=column)
        rows = [[*line[: column - 1], *line[column:]] for line in self.table.rows]
        self._become([each for each in self.table.header if each != title], rows)

    def move_right(self, title: str) -> None:
        """Move a column to the right end of the table."""
        last, letter = self.table.last_row, letters(len(self.table.header) + 1)
        moved = self.table.values(title)
        self.call(
            "update", range_name=f"{letter}1:{letter}{last}", values=[[title], *([cell] for cell in moved)]
        )
        self.delete_column(title)
        rows = [[*line, cell] for line, cell in zip(self.table.rows, moved, strict=True)]
        self._become([*self.table.header, title], rows)

    def sort(self, title: str, order: str) -> None:
        """Put the rows below the header in order."""
        column = self.table.column(title)
        area = f"A2:{label(self.table.last_row, len(self.table.header))}"
        self.call("sort", specs=[[column, ORDERS[order]]], range=area)
        rows = sorted(self.table.rows, key=lambda row: row[column - 1], reverse=order == "descending")
        self.is_idle |= rows == self.table.rows
        self._become(self.table.header, rows)

    def add_column(self, title: str, formula: str, values: Sequence[Value]) -> None:
        """Add a column on the right.

        Args:
            title: Its title.
            formula: A formula for every row; ``{row}`` and ``{last}`` stand for its row and the last one.
            values: What the formulas come to.
        """
        last = self.table.last_row
        letter = letters(len(self.table.header) + 1)
        cells = [[formula.format(row=row, last=last)] for row in range(2, last + 1)]
        self.call("update", range_name=f"{letter}1:{letter}{last}", values=[[title], *cells], raw=False)
        rows = [[*line, value] for line, value in zip(self.table.rows, values, strict=True)]
        self._become([*self.table.header, title], rows)

    def add_computed(self, draw: Random) -> Operation:
        """Add a column that is computed of two others, which are drawn."""
        left, right = draw.sample(self.table.numbers, 2)
        sign = draw.choice(list(_MARKS))
        compute = {"plus": float.__add__, "minus": float.__sub__, "times": float.__mul__}[sign]
        pairs = zip(self.table.values(left), self.table.values(right), strict=True)
        values: list[Value] = [round(compute(number_of(a), number_of(b)), 6) for a, b in pairs]
        formula = f"={self.table.letter(left)}{{row}}{_MARKS[sign]}{self.table.letter(right)}{{row}}"
        self.add_column(_TITLES[sign], formula, values)
        return Operation(_TITLES[sign], left, sign, right)

    def sum_up(self, title: str, measure: str) -> None:
        """Write what a column comes to into the cell below it."""
        letter, last = letters(self.table.column(title)), self.table.last_row
        formula = f"={FUNCTIONS[measure]}({letter}2:{letter}{last})"
        self.call("update_acell", label=f"{letter}{last + 1}", value=formula)

    def style(self, area: str, look: JsonMapping) -> None:
        """Change how an area looks, which counts from then on."""
        self.call("format", ranges=area, format=dict(look))
        self.check_format = True

    def freeze(self, rows: int = 1) -> None:
        """Freeze the first rows."""
        self.call("freeze", rows=rows)

    def add_worksheet(self, title: str, lines: Sequence[Sequence[Value]] = ()) -> None:
        """Add a worksheet, and write lines into it."""
        self.call("sheet_add_worksheet", title=title, rows=100, cols=20)
        if lines:
            area = f"A1:{label(len(lines), len(lines[0]))}"
            self.call("update", range_name=area, values=[list(line) for line in lines], worksheet=title)

    @property
    def header_area(self) -> str:
        """The titles, in A1 notation."""
        return f"A1:{label(1, len(self.table.header))}"

    def _set(self, row: int, title: str, value: Value) -> None:
        rows = [list(line) for line in self.table.rows]
        rows[row - 2][self.table.column(title) - 1] = value
        self._become(self.table.header, rows)

    def _become(self, header: Sequence[str], rows: Iterable[Sequence[Value]]) -> None:
        self.table = Table(self.table.theme, list(header), [list(row) for row in rows])
