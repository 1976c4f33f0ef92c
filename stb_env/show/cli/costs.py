"""``stb-env costs``: what runs cost, by role."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.evaluation.run_costs import RunCosts, read_costs
from stb_env.usage import NO_USAGE, Usage

Folders = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.")]


@reporting
def costs(runs: Folders, as_json: options.AsJson = False) -> None:
    """Print the calls, tokens, dollars and time of runs, by role and by episode.

    Example: stb-env costs runs/chat
    """
    found = {str(run): read_costs(run) for run in runs}
    emit({"runs": {name: run.to_dict() for name, run in found.items()}}, as_json, _table(found))


def _table(found: dict[str, RunCosts]) -> Table:
    table = Table(
        caption="an episode's, and seconds, are means over the run's episodes; a role's seconds are those "
        "waited for it, those of tools whether or not a model answers the calls"
    )
    for head in ("run", "role", "calls", "an episode", "tokens", "an episode", "$", "s"):
        table.add_column(head, justify="left" if head in ("run", "role") else "right")
    for name, run in found.items():
        for role in {**run.roles, **run.waited}:
            used = _cells(run.roles.get(role, NO_USAGE), run.episodes)
            table.add_row(Path(name).name, role, *used, _each(run.waited.get(role), run.episodes))
        seconds = _each(run.seconds, run.episodes)
        table.add_row(Path(name).name, "all", *_cells(run.total, run.episodes), seconds, style="bold")
    return table


def _each(seconds: float | None, episodes: int) -> str:
    return "-" if seconds is None or not episodes else f"{seconds / episodes:.2f}"


def _cells(usage: Usage, episodes: int) -> list[str]:
    share = max(1, episodes)
    return [
        f"{usage.calls:,}",
        f"{usage.calls / share:.1f}",
        f"{usage.total_tokens:,}",
        f"{usage.total_tokens / share:,.0f}",
        usage.price_tag.replace("$", ""),
    ]
