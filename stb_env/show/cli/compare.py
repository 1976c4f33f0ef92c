"""``stb-env compare``: two runs on the same tasks, if they may be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.options import Seed, Verdicts
from stb_env.evaluation.comparison import Comparison, Side, compare_folders
from stb_env.runs.metrics.rates import SIMULATED, cache_hits
from stb_env.show.cli.judge_outcome import tell

First = Annotated[Path, typer.Argument(metavar="A", help="Folder of a run.")]
Second = Annotated[Path, typer.Argument(metavar="B", help="Folder of another run on the same tasks.")]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="NAME", help="Accept this difference; repeatable, and printed."),
]

_LISTED = 20


@reporting
def compare(
    first: First,
    second: Second,
    judge: Verdicts = None,
    ignore: Ignore = None,
    seed: Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Compare two runs task by task.

    Exit 2 where they differ in data, cache, mode, simulator, prompts, judge, limits or the meaning of
    scores; the message names each difference.

    Example: stb-env compare runs/gold runs/keyword
    """
    found = compare_folders(first, second, judge=judge, ignore=ignore or (), seed=seed)
    for one in found.ignored:
        tell(f"ignored: {one}")
    emit(found.to_dict(), as_json, _table(found))


def _table(found: Comparison) -> Table:
    table = Table(title=f"A {found.first.run} against B {found.second.run}, judged by {found.judge}")
    for column in ("figure", "A", "B", "A - B"):
        table.add_column(column, justify="left" if column == "figure" else "right")
    for name, show in _SIDES.items():
        table.add_row(name, show(found.first), show(found.second), "")
    score, (low, high) = found.score, found.solved_interval
    table.add_section()
    table.add_row("tasks compared (left out)", f"{score.tasks} ({score.left_out})", "", "")
    table.add_row(
        "solved", f"{found.solved[0]:.1%}", f"{found.solved[1]:.1%}", f"{100 * found.solved_difference:+.1f}"
    )
    table.add_row("  95 % interval, paired", "", "", f"{100 * low:+.1f} to {100 * high:+.1f}")
    table.add_row("mean score", f"{score.first:.3f}", f"{score.second:.3f}", f"{score.difference:+.3f}")
    table.add_row("  95 % interval, paired", "", "", "{:+.3f} to {:+.3f}".format(*score.interval))
    table.add_row("  p, sign flips", "", "", f"{score.p_value:.2g}")
    table.add_row("solved by one alone", str(score.only_first), str(score.only_second), "")
    table.add_row("  p, exact McNemar", "", "", f"{score.mcnemar:.2g}")
    table.caption = "\n".join(_remarks(found)) or None
    return table


def _remarks(found: Comparison) -> Iterator[str]:
    for side, tasks in (("A", found.only_first), ("B", found.only_second)):
        if tasks:
            more = f" and {len(tasks) - _LISTED} more" if len(tasks) > _LISTED else ""
            yield f"solved by {side} alone: {', '.join(tasks[:_LISTED])}{more}"
    if found.remarks:
        yield "also: " + "; ".join(found.remarks)


def _per_solved(side: Side) -> str:
    dollars, tokens = side.cost.dollars_per_solved, side.cost.tokens_per_solved
    if tokens is None:
        return "-"
    return f"{tokens:,.0f} tokens" + (", cost unknown" if dollars is None else f", ${dollars:.4f}")


def _hits(side: Side) -> str:
    counts = side.summary["sources"]
    return f"{cache_hits(counts)}, {counts.get(SIMULATED, 0)}"


_SIDES: dict[str, Callable[[Side], str]] = {
    "agent": lambda side: side.agent,
    "episodes, invalid": lambda side: f"{side.summary['episodes']}, {side.summary['invalid']}",
    "solved of valid": lambda side: f"{side.summary['solved_valid']:.1%}",
    "solved of all": lambda side: f"{side.summary['solved_all']:.1%}",
    "a solved task cost": _per_solved,
    "cache hits, simulated": _hits,
}
