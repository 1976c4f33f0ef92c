"""``stb-env play``: a person plays an episode, or watches an agent."""

from __future__ import annotations

import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from stb_env.console import options
from stb_env.console.output import emit, reporting
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.options import EnvironmentOptions, Seed
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.evaluation.manifest import fingerprint_of, run_manifest
from stb_env.runs.agent import Agent
from stb_env.runs.baselines import load_agent
from stb_env.runs.driven import DrivenEpisode
from stb_env.runs.make import make_env
from stb_env.show.cli.run import EnvId
from stb_env.show.terminal.played_folder import PlayedFolder
from stb_env.trajectory import Trajectory

PERSON = "person"
"""Who plays, in the manifest of what a person played."""

TaskId = Annotated[
    str | None, typer.Option("--task", help="Id of the task; one that the seed draws where not given.")
]
Watch = Annotated[bool, typer.Option("--watch", help="Watch an agent: space for a step, a to run on.")]
AgentName = Annotated[
    str, typer.Option("--agent", help="With --watch: who plays, as in `stb-env run`; gold where not given.")
]


@reporting
def play(
    env_id: EnvId,
    environment: EnvironmentOptions,
    task: TaskId = None,
    watch: Watch = False,
    agent: AgentName = "",
    seed: Seed = 0,
    out: options.Out = None,
    settings: options.Settings = None,
    as_json: options.AsJson = False,
) -> None:
    """Play an episode by hand in the terminal, or watch an agent play one.

    Choose a tool and fill in its form, or type a call; F2 gives the answer, F3 takes a step back, F4 forks.
    Every episode that comes to its end is kept in --out. What was taken back is not in it.

    Example: stb-env play stb/Sandbox-v1 --out runs/mine
    """
    if agent and not watch:
        raise ConfigError("--agent names who is watched; add --watch, or leave it out to play yourself")
    _check_terminal()
    chosen = environment.given() | options.read_settings(settings)
    player = load_agent(agent or "gold", models=environment.models)() if watch else None
    env = make_env(env_id, chosen)
    with closing(env):
        who = agent or "gold" if watch else PERSON
        manifest = _manifest(env, env_id, chosen, who, player, seed)
        # Found before there is a folder: what cannot be played leaves nothing behind.
        task_id = env.tasks.get(task).id if task is not None else _drawn(env, seed)
        with closing(PlayedFolder(out, manifest, seed)) as folder:
            _show(env, env_id, player, folder, task_id)
            emit(_report(folder.kept, out), as_json, _table(folder.kept, out))


def _show(env: ToolEnv, env_id: str, player: Agent | None, folder: PlayedFolder, task_id: str) -> None:
    from stb_env.show.terminal.apps.play_app import PlayApp
    from stb_env.show.terminal.apps.watch_app import WatchApp
    from stb_env.show.terminal.playthrough import Attempt

    job = folder.job(task_id)
    if player is not None:
        WatchApp(env, player, job, env_id, folder.keep).run_to_end()
        return
    episode = DrivenEpisode(env)
    episode.start(task_id=job.task_id, seed=job.seed)
    PlayApp(Attempt(episode), env_id, folder.keep).run_to_end()


def _check_terminal() -> None:
    if find_spec("textual") is None:
        raise ConfigError(
            "playing in the terminal needs textual, which is not installed here; pip install 'stb-env[play]'"
        )
    # Textual draws on stderr, so that stdout may go to a file.
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ConfigError("play needs a terminal on its input and its errors; use `stb-env run` in a script")


def _drawn(env: ToolEnv, seed: int) -> str:
    env.reset(seed=seed)
    return env.task.id


def _manifest(
    env: ToolEnv, env_id: str, settings: JsonMapping, who: str, player: Agent | None, seed: int
) -> dict[str, object]:
    played = {"agent": who, "agent_settings": None if player is None else fingerprint_of(player)}
    size = {"seed": seed, "episodes": None, "trials": None}
    return run_manifest(env, env_id, settings, played | size)


def _report(kept: list[Trajectory], out: Path | None) -> dict[str, object]:
    episodes = [
        {
            "task_id": episode.task_id,
            "trial": episode.trial,
            "steps": len(episode.steps),
            "reward": episode.reward,
            "valid": episode.valid,
            "verdict": episode.verdict,
        }
        for episode in kept
    ]
    return {"episodes": episodes, "out": None if out is None else str(out)}


def _table(kept: list[Trajectory], out: Path | None) -> Table:
    caption = f"saved in {out}" if out else "not saved; keep what you play with --out DIR"
    table = Table(title=f"{len(kept)} episodes came to their end", caption=caption)
    for head in ("task", "steps", "verdict", "judge"):
        table.add_column(head, justify="right" if head == "steps" else "left")
    for episode in kept:
        verdict = episode.verdict or {"status": "no verdict", "judge": "-"}
        table.add_row(episode.task_id, str(len(episode.steps)), str(verdict["status"]), str(verdict["judge"]))
    return table
