"""Tables of an evaluation, as text cells: for Markdown, and for whoever draws them on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text.

    Attributes:
        title: What it shows.
        columns: Names of its columns.
        rows: Its cells.
        notes: Remarks, a sentence each.

    Examples:
        >>> print(Table("Rates", ("agent", "rate"), (("gold", "100.0 ± 0.0"),), ("Means.",)).markdown())
        ## Rates
        <BLANKLINE>
        | agent | rate        |
        | ----- | ----------- |
        | gold  | 100.0 ± 0.0 |
        <BLANKLINE>
        Means.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def chosen(self, columns: Sequence[str]) -> Table:
        """Return the table with some of its columns, in their order here, and its notes left out.

        Examples:
            >>> Table("Rates", ("agent", "rate"), (("gold", "1"),)).chosen(("agent",)).rows
            [('gold',)]
        """
        places = [place for place, name in enumerate(self.columns) if name in columns]
        rows = [tuple(row[place] for place in places) for row in self.rows]
        return Table(self.title, [self.columns[place] for place in places], rows)

    def markdown(self) -> str:
        """Return the table as Markdown."""
        cells = [self.columns, *self.rows]
        widths = [max(len(row[column]) for row in cells) for column in range(len(self.columns))]
        lines = [_line(row, widths) for row in cells]
        lines.insert(1, _line(["-" * width for width in widths], widths))
        parts = [f"## {self.title}", "\n".join(lines), " ".join(self.notes)]
        return "\n\n".join(part for part in parts if part)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell.replace("|", "/").ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"
