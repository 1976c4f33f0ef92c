"""``stb-env run``: play tasks and save judged trajectories."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import console, emit, reporting, stoppable
from stb_env.console.progress import bar, saying, spending
from stb_env.core.jsontypes import JsonObject
from stb_env.core.options import EnvironmentOptions, Episodes, ProtocolName, Seed, Trials
from stb_env.errors import ConfigError
from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.resolved import Resolved, RunSpec, resolve
from stb_env.evaluation.run_costs import read_seconds
from stb_env.evaluation.run_estimate import RunEstimate
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.models.meter import Meter, RunMeter, metered
from stb_env.models.models_file import GGUF
from stb_env.runs.play_options import ClusterOptions, PlayOptions
from stb_env.saved_episodes import iter_trajectories, read_trajectories
from stb_env.show.cli.judge_outcome import tell

EnvId = Annotated[
    str,
    typer.Argument(
        metavar="ID", help="Environment id: stb/Sandbox-v1, module:my/Todo-v0, todo.py:my/Todo-v0."
    ),
]
AgentName = Annotated[
    str,
    typer.Option(
        "--agent",
        help="An agent's name (see `stb-env list`), with settings as in 'dfs(width=3)'; path.py:Name or "
        "module:Name for your own. Where not given, the protocol's, or gold.",
    ),
]
EstimateAfter = Annotated[
    int | None,
    typer.Option("--estimate", min=1, help="Play so many episodes, say what the others will cost, and stop."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Go on after --estimate.")]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget", min=0, help="Dollars that models may cost this time; the run stops before it costs more."
    ),
]
TaskIds = Annotated[
    list[str] | None,
    typer.Option("--task", metavar="ID", help="Play this task, and no other that is not named; repeatable."),
]


@reporting
def run(
    env_id: EnvId,
    environment: EnvironmentOptions,
    how: PlayOptions,
    machines: ClusterOptions,
    agent: AgentName = "",
    protocol: ProtocolName = None,
    local: options.Local = None,
    seed: Seed = 0,
    episodes: Episodes = None,
    task: TaskIds = None,
    trials: Trials = None,
    out: options.Out = None,
    estimate: EstimateAfter = None,
    yes: Yes = False,
    budget: Budget = None,
    settings: options.Settings = None,
    as_json: options.AsJson = False,
) -> None:
    """Play tasks in order and save judged trajectories; run again to resume.

    The same command plays what failed for a reason that may pass again, asks for verdicts that failed
    without playing again, and more episodes or trials extend the run. Exit 1 where it stopped before its end,
    or every episode is invalid; 130 where Ctrl-C or SIGTERM ended it.

    Example: stb-env run stb/Sandbox-v1 --agent gold --seed 0 --out runs/gold
    """
    if local is not None and machines.ray is not None:
        raise ConfigError("--local plays a model in this process; on a cluster, name the file with --models")
    spec = RunSpec(
        env_id,
        agent,
        environment.given() | options.read_settings(settings),
        seed=seed,
        episodes=episodes,
        trials=trials,
        models=_weights(local),
        protocol=protocol,
        only=task or None,
    )
    cluster, meter = machines.cluster(), RunMeter(budget)
    with metered(meter), saying(f"opening {env_id}: tasks, tools and models", as_json):
        opened = resolve(spec)
    with metered(meter), closing(opened) as resolved, bar(env_id, as_json, meter) as progress:
        if local is not None and resolved.agent_settings is None:
            raise ConfigError(
                f"--local is for an agent with a model, not {agent or 'gold'}; add --agent chat"
            )
        if crowded := resolved.crowded(how.concurrency):
            tell(crowded)
        play = partial(play_run, resolved, out, how, progress=progress, remark=tell, cluster=cluster)
        with stoppable(out, saved_episodes):
            if estimate is not None:
                if out is None:
                    raise ConfigError(
                        "--estimate plays episodes that are to count; say where to keep them with --out"
                    )
                play(first=estimate)
                together = how.concurrency * (1 if cluster is None else cluster.workers)
                if not _goes_on(_measured(resolved, out, together), out, yes, as_json):
                    return
            summary = play()
    told = summary | {"spent": meter.total.report(), "failed_calls": meter.failed}
    emit(told | ({"out": str(out)} if out is not None else {}), as_json, _table(summary, out, meter))
    if summary["invalid"] == summary["episodes"] and resolved.jobs:
        raise typer.Exit(1)


def _measured(resolved: Resolved, out: Path, together: int) -> RunEstimate:
    """Return what the rest of a run will cost, by the episodes that are saved."""
    played = read_trajectories(out)
    keys = {episode.key for episode in played}
    left = sum(job.key not in keys for job in resolved.jobs)
    return RunEstimate.of(played, left, list(read_seconds(out).values()), together)


def _goes_on(found: RunEstimate, out: Path, yes: bool, as_json: bool) -> bool:
    """Say what the rest of a run will cost, and return whether to go on."""
    if yes:
        console.print(_estimated(found))
        return True
    emit({"estimate": found.to_dict(), "out": str(out)}, as_json, _estimated(found))
    if found.measured and found.invalid == found.measured:
        raise typer.Exit(1)
    return False


def _estimated(found: RunEstimate) -> Table:
    invalid = f", of which {found.invalid} invalid" if found.invalid else ""
    table = Table(
        title=f"The other {found.left} episodes, measured on the first {found.measured}{invalid}",
        caption="95 % prediction interval; go on with the same command and --yes, or without --estimate",
    )
    for head in ("figure", "expected", "from", "to"):
        table.add_column(head, justify="left" if head == "figure" else "right")
    figures = (
        ("calls", found.calls, ",.0f"),
        ("tokens", found.tokens, ",.0f"),
        ("$", found.dollars, ",.4f"),
        ("s", found.seconds, ",.1f"),
    )
    for name, one, digits in figures:
        if one is None:
            table.add_row(name, "no price" if name == "$" else "not taken", "", "")
        else:
            table.add_row(name, *(format(value, digits) for value in (one.mean, one.low, one.high)))
    return table


def saved_episodes(folder: Path) -> str:
    """Say how many episodes are saved in a run, or in the runs below a folder, and how many are judged."""
    files = folder.rglob("trajectories.jsonl")
    waiting = [episode.awaits_verdict for file in files for episode in iter_trajectories(file.parent)]
    return f"{len(waiting)} episodes are played, and {sum(waiting)} of them wait for a verdict"


def _weights(local: Path | None) -> str | None:
    if local is None or local.suffix.lower() == GGUF:
        return None if local is None else str(local)
    raise ConfigError(f"--local takes a GGUF file, got {local}; a models file goes to --models")


def _table(summary: JsonObject, out: Path | None, meter: Meter) -> Table:
    saved = f"saved in {out}" if out else None
    if out and summary["invalid"]:
        saved = f"{saved}; the same command plays or judges again what failed for a reason that may pass"
    table = Table(title=f"{summary['env']} · {summary['agent']}", caption=saved)
    rows = [
        ("episodes", f"{summary['episodes']} of {summary['planned']}"),
        ("solved / unsure / unsolved", f"{summary['solved']} / {summary['unsure']} / {summary['unsolved']}"),
        (
            "invalid",
            f"{summary['invalid']} ({summary['invalid_share']:.1%}) {summary['failures'] or ''}".strip(),
        ),
        *_rates(summary),
        ("turns an episode", f"{summary['turns']:.1f}"),
        ("judge", ", ".join(map(_judge_label, summary["judges"])) or "-"),
        (
            "calls answered by",
            ", ".join(f"{name} {count}" for name, count in summary["sources"].items()) or "-",
        ),
    ]
    for role, used in summary.get("roles", {}).items():
        dollars = "cost unknown" if used["cost"] is None else f"${used['cost']:.4f}"
        told = f"{used['calls']:,} calls, {used['total_tokens']:,} tokens, {dollars}"
        rows.append((f"model of the {role}" if role != "together" else "models", told))
    if meter.total.calls or meter.failed:
        rows.append(("models, this time", spending(meter)))
    if "outage" in summary:
        outage = summary["outage"]
        down, tools = outage["down"], outage["tools"]
        share = f"{down / tools:.1%}, asked for {outage['share']:.1%}" if tools else "no tools"
        rows.append(("tools down", f"{down} of {tools} ({share})"))
    rows += _repeats(summary) + options.protocol_rows(summary.get("protocol"))
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in rows:
        table.add_row(name, value)
    return table


def _rates(summary: JsonObject) -> list[tuple[str, str]]:
    """Return how much was solved; of a run that only failed there is nothing to say."""
    if summary["invalid"] == summary["episodes"]:
        return [("solved", "not measured: no episode is valid")]
    low, high = summary["interval"]
    return [
        ("solved of valid", f"{summary['solved_valid']:.1%}"),
        ("solved of all", f"{summary['solved_all']:.1%}"),
        ("mean reward of valid ± std over trials", f"{summary['mean']:.3f} ± {summary['std']:.3f}"),
        ("95 % interval over tasks", f"{low:.3f} to {high:.3f}"),
    ]


def _judge_label(name: str) -> str:
    """Return a judge's name, with a warning beside one whose verdicts are no reward to train on."""
    return f"{name} (not to train on)" if name == HeuristicJudge.name else name


def _repeats(summary: JsonObject) -> list[tuple[str, str]]:
    """Return what several trials say together, where there were several."""
    rows = [
        (
            f"pass@{figure['k']} / pass^{figure['k']} ({figure['tasks']} tasks)",
            f"{figure['pass_at_k']:.1%} / {figure['pass_hat_k']:.1%}",
        )
        for figure in summary.get("passes", ())
    ]
    if "flips" in summary:
        rows.append(("tasks whose verdict flips", f"{summary['flips']['rate']:.1%}"))
    return rows
