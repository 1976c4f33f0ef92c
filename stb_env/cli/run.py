"""``stb-env run``: play tasks and save judged trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import gymnasium as gym
import typer
from rich.progress import Progress
from rich.table import Table

from stb_env import __version__
from stb_env.baselines import load_agent
from stb_env.cli import options
from stb_env.cli.make import make_env
from stb_env.cli.output import console, emit, reporting
from stb_env.envs.tool_env import ToolEnv
from stb_env.metrics.rates import summarize
from stb_env.prompting import prompt
from stb_env.rollout import AgentFactory, Job, Run, plan, run_batch
from stb_env.trajectory import Trajectory

EnvId = Annotated[str, typer.Argument(metavar="ID", help="Environment id, for example stb/Sandbox-v0.")]
AgentName = Annotated[
    str,
    typer.Option(
        "--agent", help="A baseline's name, path.py:Name or module:Name; name:ARGUMENT where it takes one."
    ),
]


_PATHS = frozenset({"data", "cache", "models", "votes_cache"})


@reporting
def run(
    env_id: EnvId,
    agent: AgentName = "gold",
    data: options.Data = None,
    cache: options.Cache = None,
    mode: options.Mode = None,
    judge: options.Judge = None,
    models: options.Models = None,
    seed: options.Seed = 0,
    episodes: options.Episodes = None,
    trials: options.Trials = 1,
    concurrency: options.Concurrency = 1,
    out: options.Out = None,
    settings: options.Settings = None,
    as_json: options.AsJson = False,
) -> None:
    """Play tasks in order and save judged trajectories; run again to resume."""
    chosen = options.env_settings(settings, data=data, cache=cache, mode=mode, judge=judge, models=models)
    make_agent = load_agent(f"chat:{chosen['models']}" if agent == "chat" and "models" in chosen else agent)
    env = make_env(env_id, chosen)
    jobs = plan(env.tasks, episodes=episodes, trials=trials, seed=seed)
    # Where its model is configured may move; what the configuration says is in its settings.
    who: dict[str, Any] = {"agent": agent.partition(":")[0] if agent.startswith("chat:") else agent}
    who |= {"agent_settings": getattr(make_agent(), "fingerprint", None)}
    size = {"seed": seed, "episodes": episodes, "trials": trials}
    manifest = _manifest(env, env_id, chosen, who | size)
    saved = Run(out, manifest) if out is not None else None
    trajectories = _play(env, env_id, chosen, make_agent, jobs, saved, concurrency, as_json)
    summary = {"env": env_id, "agent": agent, **summarize(trajectories, len(jobs))}
    if saved is not None:
        saved.finish(summary)
        saved.close()
    emit(summary | ({"out": str(out)} if out is not None else {}), as_json, _table(summary, out))
    if summary["invalid"] == summary["episodes"] and jobs:
        raise typer.Exit(1)


def _play(
    env: ToolEnv,
    env_id: str,
    chosen: dict[str, Any],
    make_agent: AgentFactory,
    jobs: list[Job],
    saved: Run | None,
    concurrency: int,
    as_json: bool,
) -> list[Trajectory]:
    def worker_env() -> gym.Env[Any, Any]:
        return env.fork() if concurrency == 1 else make_env(env_id, chosen)

    with Progress(console=console, transient=True, disable=as_json) as progress:
        bar = progress.add_task(env_id, total=len(jobs), completed=len(saved.done) if saved else 0)
        return run_batch(
            worker_env,
            make_agent,
            jobs,
            saved,
            concurrency=concurrency,
            progress=lambda _: progress.advance(bar),
        )


def _manifest(env: ToolEnv, env_id: str, chosen: dict[str, Any], played: dict[str, Any]) -> dict[str, Any]:
    # Paths may move and differ between machines; the hashes say what was played.
    plain = {name: value for name, value in chosen.items() if name not in _PATHS}
    return {
        "version": 1,
        "env": env_id,
        "package": __version__,
        **played,
        "settings": plain,
        "tasks": env.tasks.hash,
        "backend": env.rules.backend.fingerprint,
        "judge": env.rules.judge.name,
        "judge_settings": getattr(env.rules.judge, "fingerprint", None),
        "max_turns": env.rules.max_turns,
        **({} if env.rules.user is None else {"user": env.rules.user.fingerprint}),
        "prompts": {"agent": prompt("agent", "v1").hash},
    }


def _table(summary: dict[str, Any], out: Path | None) -> Table:
    table = Table(title=f"{summary['env']} · {summary['agent']}", caption=f"saved in {out}" if out else None)
    low, high = summary["interval"]
    rows = [
        ("episodes", f"{summary['episodes']} of {summary['planned']}"),
        ("solved / unsure / unsolved", f"{summary['solved']} / {summary['unsure']} / {summary['unsolved']}"),
        (
            "invalid",
            f"{summary['invalid']} ({summary['invalid_share']:.1%}) {summary['failures'] or ''}".strip(),
        ),
        ("solved of valid", f"{summary['solved_valid']:.1%}"),
        ("solved of all", f"{summary['solved_all']:.1%}"),
        ("mean reward ± std over trials", f"{summary['mean']:.3f} ± {summary['std']:.3f}"),
        ("95 % interval over tasks", f"{low:.3f} to {high:.3f}"),
        ("turns an episode", f"{summary['turns']:.1f}"),
        ("judge", ", ".join(summary["judges"]) or "-"),
        (
            "calls answered by",
            ", ".join(f"{name} {count}" for name, count in summary["sources"].items()) or "-",
        ),
    ]
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in rows:
        table.add_row(name, value)
    return table
