"""``stb-env validate``: check an environment."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Group
from rich.progress import Progress, TaskID
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import console, emit, reporting
from stb_env.core.options import EnvironmentOptions, Seed
from stb_env.runs.make import make_env
from stb_env.show.cli.run import EnvId
from stb_env.suite import find_env, suite_of
from stb_env.testing.conformance import RED_TEAM
from stb_env.testing.conformance import validate as validate_env
from stb_env.testing.report import Report


@reporting
def validate(
    env_id: EnvId,
    environment: EnvironmentOptions,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, help="How many tasks to draw in total.")
    ] = None,
    seed: Seed = 0,
    worlds: Annotated[
        int | None,
        typer.Option("--worlds", min=1, help="Ten tasks of each of so many generated worlds."),
    ] = None,
    red_team: Annotated[
        int, typer.Option("--red-team", min=0, help="How many of these tasks the red team plays.")
    ] = RED_TEAM,
    settings: options.Settings = None,
    as_json: options.AsJson = False,
) -> None:
    """Check contract, gold, null agents, red team, determinism and forks; exit 0 only where all hold.

    Example: stb-env validate stb/Sandbox-v1 --seeds 50
    """
    chosen = environment.given() | options.read_settings(settings)
    if worlds is not None:
        chosen["worlds"] = worlds
    env_id = find_env(env_id)
    suite = suite_of(env_id)
    env = make_env(env_id, {**(suite.standing if suite else {}), **chosen})
    bars: dict[str, TaskID] = {}
    with Progress(console=console, transient=True, disable=as_json) as progress:

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                bars[stage] = progress.add_task(stage, total=total)
            progress.update(bars[stage], completed=done)

        report = validate_env(env_id, env, seeds=seeds, seed=seed, red_team=red_team, progress=tell)
    env.close()
    emit(report.to_dict(), as_json, Group(_table(report), *_red_team_tables(report)))
    if not report.passed:
        raise typer.Exit(1)


def _table(report: Report) -> Table:
    table = Table(title=f"{report.env}: {'all checks hold' if report.passed else 'CHECKS FAILED'}")
    for column in ("check", "holds", "detail"):
        table.add_column(column)
    for check in report.checks:
        table.add_row(check.name, "yes" if check.passed else "NO", check.detail)
    gold = report.counts["gold_calls"]
    table.add_section()
    table.add_row(
        "gold calls",
        "",
        f"tried {gold['tried']}, reproduced {gold['reproduced']}, explained {gold['explained']}",
    )
    scores = ", ".join(f"{name} {score:.4f}" for name, score in report.counts["scores"].items())
    table.add_row("mean reward", "", scores)
    return table


def _red_team_tables(report: Report) -> list[Table]:
    """Return what each cheat scores, beside what is only told; no table where the red team did not play."""
    if "red_team" not in report.counts:
        return []
    held, told = report.counts["red_team"], report.counts["red_team_told"]
    tasks = report.counts["red_team_tasks"]
    table = Table(
        title="red team: mean reward of each cheat",
        caption=f"counted on {tasks['asked']} of {tasks['played']} tasks; what is told fails nobody",
    )
    for column in ("cheat", "held", "told"):
        table.add_column(column, justify="left" if column == "cheat" else "right")
    for cheat in {**held, **told}:
        table.add_row(cheat, *(f"{part[cheat]:.3f}" if cheat in part else "-" for part in (held, told)))
    return [table]
