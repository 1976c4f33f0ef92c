"""``stb-env stabletoolbench``: runs beside what was published."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text
from typing_extensions import Doc

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.options import Verdicts
from stb_env.errors import ConfigError, did_you_mean
from stb_env.suites.stabletoolbench.entrant import Entrant, read_entrants
from stb_env.suites.stabletoolbench.leaderboard import (
    Inconsistency,
    Row,
    check_published,
    find_table,
    group_sizes,
)

app = typer.Typer(no_args_is_help=True)

METRICS = {"sopr": "SoPR", "sowr": "SoWR", "fac": "FAC"}

Folders = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[RUN]...", help="Runs, evaluations, or folders of official result files."),
]
Metric = Annotated[str, typer.Option("--metric", help="sopr, sowr or fac.")]
TableName = Annotated[
    str | None,
    typer.Option(
        "--table", help="paper, june-2024, mirrorapi, or the model that judged; the paper's if not given."
    ),
]
AnyJudge = Annotated[
    bool, typer.Option("--any-judge", help="Also rows of judges that do not compare, each marked as such.")
]


@app.callback()
def _stabletoolbench() -> None:
    """StableToolBench: runs beside what was published."""


@app.command("leaderboard")
@reporting
def leaderboard(
    runs: Folders = None,
    metric: Metric = "sopr",
    table: TableName = None,
    judge: Annotated[Verdicts, Doc("Whose verdicts count; those of each run's own judge by default.")] = None,
    any_judge: AnyJudge = False,
    as_json: options.AsJson = False,
) -> None:
    """Print our runs between the rows that StableToolBench published, and what is not alike about them.

    Example: stb-env stabletoolbench leaderboard runs/evaluation --metric sopr
    """
    if metric not in METRICS:
        known = ", ".join(METRICS)
        raise ConfigError(f"no metric {metric!r}; expected one of {known}.{did_you_mean(metric, METRICS)}")
    rows = find_table(METRICS[metric], table)
    entrants = read_entrants(runs or (), METRICS[metric], judge)
    if not any_judge:
        _check_judges(entrants, METRICS[metric])
    standings: list[Row | Entrant] = [*rows, *entrants]
    # What lacks a group has no rank, and stands below.
    standings.sort(key=lambda one: -1.0 if one.average is None else one.average, reverse=True)
    problems = sorted(check_published(), key=lambda one: not one.where.startswith(rows[0].table))
    report = {
        "table": rows[0].table,
        "metric": METRICS[metric],
        "evaluator": rows[0].evaluator,
        "rows": [_data(one, rows[0]) for one in standings],
        "inconsistencies": [problem.to_dict() for problem in problems],
    }
    notes = [*_notes(standings, rows[0]), *_problem_lines(problems)]
    emit(report, as_json, Group(_drawn(standings, rows[0]), *notes))


def _check_judges(entrants: Sequence[Entrant], metric: str) -> None:
    foreign = next((one for one in entrants if one.foreign(metric)), None)
    if foreign is not None:
        raise ConfigError(
            f"{foreign.name} was judged by {foreign.judge}, whose numbers compare with no published ones; "
            "judge it with a model (`stb-env judge`), name its verdicts with --judge, or give --any-judge "
            "to see it all the same, marked"
        )


def _data(one: Row | Entrant, table: Row) -> dict[str, object]:
    if isinstance(one, Entrant):
        return {"ours": True, **one.to_dict(table)}
    return {
        "ours": False,
        "name": one.method,
        "groups": dict(one.means),
        "stds": dict(one.stds),
        "average": one.average,
        "average_std": one.average_std,
    }


def _drawn(standings: Sequence[Row | Entrant], row: Row) -> Table:
    judged = f"judged by {row.evaluator}" if row.evaluator else "judged by a model that is not named"
    drawn = Table(
        title=f"{row.metric} (%), {row.table}, {judged}",
        caption="* ours; the notes say what is not as in the table",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    drawn.add_column("method")
    # The short names of the paper's tables: I1-I, I1-C, I1-T ...
    for head in (*(group[:4] for group in group_sizes()), "avg", "±"):
        drawn.add_column(head, justify="right", no_wrap=True)
    for one in standings:
        drawn.add_row(*_cells(one), style="bold" if isinstance(one, Entrant) else None)
    return drawn


def _cells(one: Row | Entrant) -> Iterator[str]:
    if isinstance(one, Entrant):
        name, means = f"* {one.shown}", {group: rate.mean for group, rate in one.rates.items()}
    else:
        name, means = one.method, dict(one.means)
    yield name
    for group in group_sizes():
        yield f"{means[group]:.1f}" if group in means else "-"
    yield "-" if one.average is None else f"{one.average:.1f}"
    yield "" if one.average_std is None else f"{one.average_std:.1f}"


def _notes(standings: Sequence[Row | Entrant], row: Row) -> Iterator[Text]:
    for one in standings:
        if isinstance(one, Entrant):
            yield Text(f"* {one.shown}, not as in the table:", style="bold")
            yield from (Text(f"  - {departure}") for departure in one.departures(row))


def _problem_lines(problems: Sequence[Inconsistency]) -> Iterator[Text]:
    yield Text(f"{len(problems)} published figures contradict others:", style="bold")
    for one in problems:
        rounding = ", within rounding" if one.rounding else ""
        yield Text(f"  - {one.where}: {one.kind} {one.printed}, recomputed {one.recomputed}{rounding}")
