"""``stb-env sambanova table``: runs of the tasks beside the paper's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.suites.sambanova.table import (
    Row,
    cell_text,
    markdown,
    notes,
    published_row,
    rank_text,
    read_rows,
)

Folders = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs.")]
Models = Annotated[
    list[str] | None, typer.Option("--published", help="A model of the paper to show too; repeatable.")
]
Setting = Annotated[
    str, typer.Option("--setting", help="three_shot (Table 8), or a setting of Table 11: 'Sys. Prompt' ...")
]
Out = Annotated[Path | None, typer.Option("--out", help="Markdown file to write the table to as well.")]


@reporting
def table(
    folders: Folders,
    published: Models = None,
    setting: Setting = "three_shot",
    out: Out = None,
    as_json: options.AsJson = False,
) -> None:
    """Print a table like Table 8 of the paper: agents by task."""
    rows = [*read_rows(folders), *(published_row(model, setting) for model in published or ())]
    if out is not None:
        out.write_text(markdown(rows), encoding="utf-8")
    emit({"rows": [row.to_dict() for row in rows], "notes": notes(rows)}, as_json, _drawn(rows))


def _drawn(rows: list[Row]) -> Table:
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    drawn = Table(title="SambaNova's ToolBench", caption=" ".join(notes(rows)))
    for name in ("model", *columns, "rank"):
        drawn.add_column(name, justify="left" if name == "model" else "right")
    for row in rows:
        drawn.add_row(row.name, *(cell_text(row, column) for column in columns), rank_text(row))
    return drawn
