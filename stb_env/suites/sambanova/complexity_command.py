"""``stb-env sambanova complexity``: how far tests are from examples, beside the paper's scores."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.alignment.measured import shown_complexity, trained_complexity
from stb_env.suites.sambanova.common.task import SambaNovaTask
from stb_env.suites.sambanova.complexity import Complexity
from stb_env.suites.sambanova.tasks import SUITE, suite_task

TaskName = Annotated[
    str, typer.Argument(metavar="TASK", help="A task, or several with commas between; all if not given.")
]
_COLUMNS = ("task", "functions", "training data", "paper", "r-F1", "demonstrations", "r-F1 of these")


@reporting
def complexity(task: TaskName = "", as_json: options.AsJson = False) -> None:
    """Print the complexity of the tests, given training data and demonstrations, beside the paper's.

    Example: stb-env sambanova complexity
    """
    chosen = [suite_task(name.strip()) for name in task.split(",")] if task else list(SUITE.values())
    rows = [_row(one) for one in chosen]
    emit({"tasks": rows}, as_json, _table(rows))


def _row(task: SambaNovaTask) -> JsonObject:
    return {
        "task": task.id,
        "functions": task.functions,
        "published": task.published_complexity,
        "training": _figures(trained_complexity(task)),
        "demonstrations": _figures(shown_complexity(task)),
    }


def _figures(score: Complexity | None) -> JsonObject | None:
    return None if score is None else {"score": round(score.score, 3), "r_f1": round(score.rf1, 3)}


def _table(rows: list[JsonObject]) -> Table:
    table = Table(
        title="Complexity of the tests",
        caption="Mean distance to the nearest example, in nats; of training data as in Table 9. WebShop's is "
        "0 by definition, and Tabletop's tests have no programs.",
    )
    for name in _COLUMNS:
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
