"""``stb-env sambanova table``: runs of the tasks beside the paper's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.suites.sambanova.published import published_row, rank_study
from stb_env.suites.sambanova.ranking import place
from stb_env.suites.sambanova.row import Row
from stb_env.suites.sambanova.table import RANKS, cell_text, markdown, notes, rank_texts, read_rows

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
    """Print a table like Table 8 of the paper: agents by task, ranked where their tests are equal.

    Example: stb-env sambanova table runs/weather --published gpt4
    """
    rows = [*read_rows(folders), *(published_row(model, setting) for model in published or ())]
    if out is not None:
        out.write_text(markdown(rows), encoding="utf-8")
    data = [{**row.to_dict(), "rank": place(row, rows)} for row in rows]
    emit({"rows": data, "notes": notes(rows)}, as_json, _drawn(rows))


@reporting
def ranks(as_json: options.AsJson = False) -> None:
    """Print the paper's rank study: how complexity correlates with errors, recomputed beside the printed.

    Example: stb-env sambanova ranks
    """
    study = rank_study()
    report = {model: {"computed": computed, "printed": said} for model, (computed, said) in study.items()}
    drawn = Table(
        title="Complexity and error, Spearman's rank correlation",
        caption="Computed from the printed complexities (Table 9) and 3-shot figures (Table 8); printed in "
        "Table 12. A difference is in the printed tables.",
    )
    for name in ("model", "computed", "printed"):
        drawn.add_column(name, justify="left" if name == "model" else "right")
    for model, (computed, said) in study.items():
        drawn.add_row(model, f"{computed:.1f}", f"{said:.1f}")
    emit(report, as_json, drawn)


def _drawn(rows: list[Row]) -> Table:
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    drawn = Table(title="SambaNova's ToolBench", caption="\n".join(notes(rows)))
    for name in ("model", *columns, *RANKS):
        drawn.add_column(name, justify="left" if name == "model" else "right")
    for row in rows:
        drawn.add_row(row.name, *(cell_text(row, column) for column in columns), *rank_texts(row, rows))
    return drawn
