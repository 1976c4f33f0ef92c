"""``stb-env sambanova``: alignment data, complexity, and the paper's table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.alignment.command import align
from stb_env.suites.sambanova.alignment.task_complexity import shown_complexity, trained_complexity
from stb_env.suites.sambanova.common.task import SambaNovaTask
from stb_env.suites.sambanova.complexity import Complexity
from stb_env.suites.sambanova.published import published_row, rank_study
from stb_env.suites.sambanova.ranking import place
from stb_env.suites.sambanova.table import RANKS, cell_text, markdown, notes, rank_texts, read_rows
from stb_env.suites.sambanova.table_row import Row
from stb_env.suites.sambanova.tasks import SUITE, suite_task

app = typer.Typer(
    no_args_is_help=True, help="SambaNova's tasks: alignment data, complexity and the paper's table."
)
app.command("align")(align)

TaskName = Annotated[
    str, typer.Argument(metavar="TASK", help="A task, or several with commas between; all if not given.")
]
_COMPLEXITIES = ("task", "functions", "training data", "paper", "r-F1", "demonstrations", "r-F1 of these")


@app.command("complexity")
@reporting
def complexity(task: TaskName = "", as_json: options.AsJson = False) -> None:
    """Print the complexity of the tests, given training data and demonstrations, beside the paper's.

    Example: stb-env sambanova complexity
    """
    chosen = [suite_task(name.strip()) for name in task.split(",")] if task else list(SUITE.values())
    rows = [_complexity_row(one) for one in chosen]
    emit({"tasks": rows}, as_json, _complexity_table(rows))


def _complexity_row(task: SambaNovaTask) -> dict[str, object]:
    return {
        "task": task.id,
        "functions": task.functions,
        "published": task.published_complexity,
        "training": _figures(trained_complexity(task)),
        "demonstrations": _figures(shown_complexity(task)),
    }


def _figures(score: Complexity | None) -> dict[str, object] | None:
    return None if score is None else {"score": round(score.score, 3), "r_f1": round(score.rf1, 3)}


def _complexity_table(rows: list[JsonObject]) -> Table:
    table = Table(
        title="Complexity of the tests",
        caption="Mean distance to the nearest example, in nats; of training data as in Table 9. WebShop's is "
        "0 by definition, and Tabletop's tests have no programs.",
    )
    for name in _COMPLEXITIES:
        table.add_column(name, justify="left" if name == "task" else "right")
    for row in rows:
        trained, shown = row["training"] or {}, row["demonstrations"] or {}
        figures = (
            trained.get("score"),
            row["published"],
            trained.get("r_f1"),
            *map(shown.get, ("score", "r_f1")),
        )
        texts = ("-" if value is None else f"{value:.1f}" for value in figures)
        table.add_row(row["task"], str(row["functions"] or "-"), *texts)
    return table


Models = Annotated[
    list[str] | None, typer.Option("--published", help="A model of the paper to show too; repeatable.")
]
Setting = Annotated[
    str, typer.Option("--setting", help="three_shot (Table 8), or a setting of Table 11: 'Sys. Prompt' ...")
]
Out = Annotated[Path | None, typer.Option("--out", help="Markdown file to write the table to as well.")]


@app.command("table")
@reporting
def table(
    folders: options.Runs,
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
    emit({"rows": data, "notes": notes(rows)}, as_json, _agents_table(rows))


@app.command("ranks")
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


def _agents_table(rows: list[Row]) -> Table:
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    drawn = Table(title="SambaNova's ToolBench", caption="\n".join(notes(rows)))
    for name in ("model", *columns, *RANKS):
        drawn.add_column(name, justify="left" if name == "model" else "right")
    for row in rows:
        drawn.add_row(row.name, *(cell_text(row, column) for column in columns), *rank_texts(row, rows))
    return drawn
