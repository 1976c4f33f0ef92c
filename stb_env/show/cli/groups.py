"""``stb-env groups``: play several trials at each task from one state, for training."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, cast

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting, stoppable
from stb_env.console.progress import bar, spending
from stb_env.core.options import EnvironmentOptions, Seed
from stb_env.errors import ConfigError
from stb_env.evaluation.play_groups import play_groups
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.models.meter import Meter, RunMeter, metered
from stb_env.runs.groups.advantages import Estimator
from stb_env.runs.groups.group_run import read_groups
from stb_env.runs.groups.trials import Trials
from stb_env.runs.play_options import ClusterOptions, PlayOptions
from stb_env.show.cli.judge_outcome import tell
from stb_env.show.cli.run import Budget, EnvId

Out = Annotated[Path, typer.Option("--out", help="Folder to write to; a run there is resumed.")]
AgentName = Annotated[
    str, typer.Option("--agent", help="An agent's name (see `stb-env list`), path.py:Name or module:Name.")
]
K = Annotated[int, typer.Option("--k", help="Trials at each task.")]
Tasks = Annotated[int | None, typer.Option("--tasks", min=1, help="How many tasks; all where not given.")]
BranchAt = Annotated[
    int | None, typer.Option("--branch-at", min=0, help="Trials part after so many steps of the first one.")
]
StopEqual = Annotated[
    int | None,
    typer.Option("--stop-equal", help="Leave out the rest of a group whose first so many rewards are equal."),
]
Stages = Annotated[
    list[str] | None,
    typer.Option(
        "--curriculum",
        metavar="NAME=[VALUE,...]",
        help="Draw tasks by stages, the easiest first, as those before are solved: level=[1,2,3].",
    ),
]
Advantages = Annotated[str, typer.Option("--advantages", help="grpo, dr_grpo or rloo.")]


@reporting
def groups(
    env_id: EnvId,
    environment: EnvironmentOptions,
    how: PlayOptions,
    machines: ClusterOptions,
    agent: AgentName,
    out: Out,
    k: K = 8,
    tasks: Tasks = None,
    branch_at: BranchAt = None,
    stop_equal: StopEqual = None,
    advantages: Advantages = "grpo",
    curriculum: Stages = None,
    seed: Seed = 0,
    budget: Budget = None,
    settings: options.Settings = None,
    as_json: options.AsJson = False,
) -> None:
    """Play K trials at each task from one state, with rewards and advantages; run again to resume.

    ``groups.jsonl`` stands beside the episodes of an ordinary run folder. Exit 1 where no trial has a reward;
    130 where Ctrl-C or SIGTERM ended it.

    Example: stb-env groups stb/Sandbox-v1 --agent 'keyword(calls=2)' --k 4 --out runs/groups
    """
    trials = Trials(k, branch_at, stop_equal, cast("Estimator", advantages))
    chosen = environment.given() | options.read_settings(settings)
    cluster = machines.cluster()
    spec = RunSpec(env_id, agent, chosen, seed=seed, episodes=tasks)
    meter = RunMeter(budget)
    with (
        metered(meter),
        closing(resolve(spec)) as resolved,
        stoppable(out, _saved_groups),
        bar(env_id, as_json, meter) as progress,
    ):
        stages = _stages(curriculum)
        play = partial(play_groups, resolved, out, trials, how, stages=stages, progress=progress, remark=tell)
        with nullcontext() if cluster is None else cluster.joined():
            summary = play(cluster=cluster)
    told = {**summary, "spent": meter.total.report(), "failed_calls": meter.failed, "out": str(out)}
    emit(told, as_json, _table(summary, out, meter))
    if summary["invalid"] == summary["episodes"] and summary["groups"]:
        raise typer.Exit(1)


def _stages(curriculum: list[str] | None) -> list[dict[str, object]]:
    """Return the settings of each stage: the first value of every setting, then the second."""
    given = options.read_settings(curriculum)
    lists = {name: values for name, values in given.items() if isinstance(values, list)}
    if len(lists) < len(given) or len({len(values) for values in lists.values()}) > 1:
        raise ConfigError(
            f"--curriculum takes lists of equal length, such as level=[1,2,3], got "
            f"{' '.join(curriculum or [])}"
        )
    return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]


def _saved_groups(folder: Path) -> str:
    """Say how many groups are saved in a folder; none where it stopped before its files were made."""
    file = folder / "groups.jsonl"
    return f"{len(read_groups(file)) if file.is_file() else 0} groups are saved"


def _table(summary: Mapping[str, object], out: Path, meter: Meter) -> Table:
    table = Table(title=f"{summary['env']} · {summary['agent']}", caption=f"saved in {out}")
    table.add_column("figure")
    table.add_column("value", justify="right")
    rows = [
        ("groups", f"{summary['groups']}"),
        ("with variance", f"{summary['varied']}"),
        ("stopped early", f"{summary['stopped']}"),
        ("trials", f"{summary['episodes']}"),
        ("masked (invalid) trials", f"{summary['masked']}"),
        ("solved of valid", f"{summary['solved_valid']:.1%}"),
        ("mean reward", f"{summary['mean']:.3f}"),
    ]
    if isinstance(drawn := summary.get("curriculum"), Mapping):
        rows += [(f"solved, {stage}", f"{rate:.1%}") for stage, rate in drawn["rates"].items()]
        rows.append(("current stage", drawn["current"]))
    if meter.total.calls or meter.failed:
        rows.append(("models, this time", spending(meter)))
    for name, value in rows:
        table.add_row(name, value)
    return table
