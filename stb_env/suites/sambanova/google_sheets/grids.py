"""Tables that tasks start from, drawn from themes."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from stb_env.jsontypes import JsonMapping
from stb_env.suites.sambanova.google_sheets.a1 import letters
from stb_env.suites.sambanova.google_sheets.values import shown

Value = str | int | float


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first column names its rows, and whose second puts them into groups.

    Attributes:
        theme: What it is about.
        header: Titles of the columns.
        rows: Its rows.
    """

    theme: JsonMapping
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

    def new_row(self, draw: random.Random) -> list[Value]:
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


def draw_table(draw: random.Random) -> Table:
    """Draw a table.

    Args:
        draw: Source of randomness.
    """
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


def _row(theme: JsonMapping, header: list[str], name: str, draw: random.Random) -> list[Value]:
    numbers = {title: (low, high, digits) for title, low, high, digits in theme["numbers"]}
    row: list[Value] = [name, draw.choice(theme["groups"])]
    for title in header[2:]:
        low, high, digits = numbers[title]
        row.append(round(draw.uniform(low, high), digits) if digits else draw.randint(low, high))
    return row


@cache
def _themes() -> list[JsonMapping]:
    file = files("stb_env.suites.sambanova.google_sheets") / "content" / "themes.json"
    themes: list[JsonMapping] = json.loads(file.read_text(encoding="utf-8"))
    return themes
