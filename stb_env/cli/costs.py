"""``stb-env costs``: what runs cost, by role."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.evaluate.run_costs import RunCosts, read_costs
from stb_env.usage import Usage

Folders = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.")]


@reporting
def costs(runs: Folders, as_json: options.AsJson = False) -> None:
    """Print the calls, tokens, dollars and time of runs, by role and by episode.

    Example: stb-env costs runs/chat
    """
    found = {str(run): read_costs(run) for run in runs}
    emit({"runs": {name: run.to_dict() for name, run in found.items()}}, as_json, _table(found))


def _table(found: dict[str, RunCosts]) -> Table:
    table = Table(caption="calls, tokens and seconds of an episode are means over the run's episodes")
    for head in ("run", "role", "calls", "an episode", "tokens", "an episode", "$", "s"):
        table.add_column(head, justify="left" if head in ("run", "role") else "right")
    for name, run in found.items():
        for role, usage in run.roles.items():
            table.add_row(Path(name).name, role, *_cells(usage, run.episodes), "")
        seconds = f"{run.seconds / run.episodes:.2f}" if run.episodes else "-"
        table.add_row(Path(name).name, "all", *_cells(run.total, run.episodes), seconds, style="bold")
    return table


def _cells(usage: Usage, episodes: int) -> list[str]:
    share = max(1, episodes)
    return [
        f"{usage.calls:,}",
        f"{usage.calls / share:.1f}",
        f"{usage.total_tokens:,}",
        f"{usage.total_tokens / share:,.0f}",
        usage.price_tag.replace("$", ""),
    ]
