"""Tables that tasks start from, and the conditions, measures and formats that goals draw."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import TypedDict

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.google_sheets.a1 import letters
from stb_env.suites.sambanova.google_sheets.values import shown

Value = str | int | float

NEW_NAMES = ("Central", "Special", "Reserve", "Archive")
"""Groups that no theme has."""

MISSING = "n/a"
"""Marks a cell whose value is not known; data frames read it as missing."""

FUNCTIONS = {"sum": "SUM", "average": "AVERAGE", "maximum": "MAX", "minimum": "MIN"}
"""Ways to sum a column up, and the function of a formula for each."""


class Theme(TypedDict):
    """A subject of tables: titles of the first two columns, their values, and columns of numbers."""

    key: str
    group: str
    keys: list[str]
    groups: list[str]
    numbers: list[tuple[str, int, int, int]]


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first column names its rows, and whose second puts them into groups.

    Attributes:
        theme: Its subject.
        header: Titles of the columns.
        rows: Its rows.
    """

    theme: Theme
    header: list[str]
    rows: list[list[Value]]

    @property
    def grid(self) -> list[list[Value]]:
        """Header and rows."""
        return [list(self.header), *(list(row) for row in self.rows)]

    @property
    def numbers(self) -> list[str]:
        """Titles of the columns with numbers."""
        return self.header[2:]

    @property
    def last_row(self) -> int:
        """Number of the last row in the sheet."""
        return len(self.rows) + 1

    @property
    def row_numbers(self) -> range:
        """Numbers of the rows in the sheet."""
        return range(2, self.last_row + 1)

    def column(self, title: str) -> int:
        """Return the number of a column in the sheet."""
        return self.header.index(title) + 1

    def letter(self, title: str) -> str:
        """Return the letter of a column in the sheet."""
        return letters(self.column(title))

    def row(self, name: Value) -> int:
        """Return the number of a row in the sheet, by its name."""
        return [row[0] for row in self.rows].index(name) + 2

    def at(self, row: int, title: str) -> Value:
        """Return what stands in a row of the sheet, in a column."""
        return self.rows[row - 2][self.column(title) - 1]

    def rows_with(self, title: str, value: Value) -> list[int]:
        """Return the numbers of the rows that hold a value."""
        return [row for row in self.row_numbers if self.at(row, title) == value]

    def values(self, title: str) -> list[Value]:
        """Return what stands in a column."""
        at = self.column(title) - 1
        return [row[at] for row in self.rows]

    def new_row(self, draw: Random) -> list[Value]:
        """Return a row that the table does not have."""
        taken = [row[0] for row in self.rows]
        name = draw.choice([key for key in self.theme["keys"] if key not in taken])
        return _row(self.theme, self.header, name, draw)


def table_text(grid: Sequence[Sequence[Value]]) -> str:
    r"""Return a table as goals show it: its cells row by row, separated by blanks.

    The paper's training sample has this form (specification of the eight tasks, 2.3). No cell of ours is
    empty or holds a blank, so that the table can be read back.

    Examples:
        >>> table_text([["Name", "Age"], ["Ada", 36.0]])
        'Name Age\nAda 36'
    """
    return "\n".join(" ".join(shown(cell) for cell in row) for row in grid)


def draw_table(draw: Random) -> Table:
    """Draw a table."""
    theme = draw.choice(_themes())
    names = draw.sample(theme["keys"], draw.randint(5, 8))
    titles = [title for title, *_ in draw.sample(theme["numbers"], draw.choice((2, 3, 3)))]
    header = [theme["key"], theme["group"], *titles]
    while True:
        rows = [_row(theme, header, name, draw) for name in names]
        columns = list(zip(*rows, strict=True))
        # Equal numbers would leave the order of sorted rows open; a lone group would leave nothing to choose.
        apart = all(len(set(column)) == len(column) for column in columns[2:])
        if apart and len(set(columns[1])) > 1:
            return Table(theme, header, rows)


def _row(theme: Theme, header: list[str], name: str, draw: Random) -> list[Value]:
    numbers = {title: (low, high, digits) for title, low, high, digits in theme["numbers"]}
    row: list[Value] = [name, draw.choice(theme["groups"])]
    for title in header[2:]:
        low, high, digits = numbers[title]
        row.append(round(draw.uniform(low, high), digits) if digits else draw.randint(low, high))
    return row


@cache
def _themes() -> list[Theme]:
    file = files("stb_env.suites.sambanova.google_sheets") / "content" / "themes.json"
    themes: list[Theme] = json.loads(file.read_text(encoding="utf-8"))
    return themes


def draw_measure(values: Sequence[Value], draw: Random) -> str:
    """Draw a way to sum a column up; an average is drawn only where it needs no rounding."""
    average = number_of(sum(map(number_of, values)) / len(values))
    even = abs(average * 100 - round(average * 100)) < 1e-6
    return draw.choice([name for name in FUNCTIONS if even or name != "average"])


def draw_condition(table: Table, draw: Random) -> tuple[str, str, list[int]]:
    """Return a column, a condition on it, and the rows that do not meet it."""
    if draw.random() < 0.5:
        title = table.header[1]
        wanted = draw.choice(table.values(title))
        others = [row for row in table.row_numbers if table.at(row, title) != wanted]
        return title, str(wanted), others
    title = draw.choice(table.numbers)
    numbers = sorted(map(number_of, table.values(title)))
    # Between two of the numbers, so that no row is on the edge.
    at = draw.randint(1, len(numbers) - 2)
    bound = round((numbers[at] + numbers[at + 1]) / 2, 2)
    more = draw.random() < 0.5
    others = [row for row in table.row_numbers if (number_of(table.at(row, title)) > bound) != more]
    return title, f"{'greater' if more else 'less'} than {bound:g}", others


def draw_look(draw: Random) -> tuple[str, dict[str, object]]:
    """Draw a format; returns it in words and as the service takes it."""
    colors = {"yellow": (1.0, 1.0, 0.0), "green": (0.0, 1.0, 0.0), "red": (1.0, 0.0, 0.0)}
    color = draw.choice(list(colors))
    background = dict(zip(("red", "green", "blue"), colors[color], strict=True))
    looks: list[tuple[str, JsonObject]] = [
        ("bold", {"textFormat": {"bold": True}}),
        ("italic and centered", {"textFormat": {"italic": True}, "horizontalAlignment": "CENTER"}),
        ("bold and centered", {"textFormat": {"bold": True}, "horizontalAlignment": "CENTER"}),
        (
            f"bold on a pure {color} background",
            {"textFormat": {"bold": True}, "backgroundColor": background},
        ),
    ]
    return draw.choice(looks)


def cells_text(table: Table, row: Sequence[Value]) -> str:
    """Return the cells of a row in words, all but its name.

    Examples:
        >>> theme = Theme(key="Name", group="Team", keys=[], groups=[], numbers=[])
        >>> cells_text(Table(theme, ["Name", "Team", "Age"], []), ["Ada", "red", 36])
        'Team red, Age 36'
    """
    return ", ".join(
        f"{title} {shown(value)}" for title, value in zip(table.header[1:], row[1:], strict=True)
    )


def raised(value: Value, amount: int) -> int | float:
    """Return a number with something added, without rounding errors of floats."""
    return value + amount if isinstance(value, int) else round(number_of(value) + amount, 2)


def number_of(value: Value) -> float:
    """Return the number that a cell holds."""
    return float(value)
