"""Runs for the tests of readers: really played, and long ones made of lines that were."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stb_env.core.checksums import sealed
from stb_env.envs.tool_env import ToolEnv
from stb_env.evaluation.play_run import play_run
from stb_env.evaluation.resolved import RunSpec, resolve
from stb_env.runs import Agent, Run, play
from stb_env.runs.baselines import load_agent
from stb_env.seeding import rng
from stb_env.testing.notes import notes
from stb_env.trajectory import Trajectory
from stb_env.wrappers.search.uct import MonteCarloTreeSearch

NOTES: Mapping[str, Any] = {"env": "stb_env.testing.notes:test/Notes-v0", "judge": "exact", "settings": {}}


def played(folder: Path, env_id: str, agent: str = "gold", episodes: int = 3) -> Path:
    """A run of an environment, as ``stb-env run`` leaves it."""
    play_run(resolve(RunSpec(env_id, agent, episodes=episodes)), folder)
    return folder


def notes_run(folder: Path, agent: str = "gold") -> Path:
    """A run of a small environment, which costs next to nothing."""
    env = notes()
    run = Run(folder, NOTES)
    for place in range(env.tasks.size or 0):
        run.add(play(env, load_agent(agent)(), task_id=env.tasks.at(place).id, seed=2**62 + place), 0.25)
    run.close()
    return folder


def long_run(folder: Path, like: Path, episodes: int, *, statuses: tuple[str, ...] = ("solved",)) -> Path:
    """A run of so many episodes, whose lines are those of a real one under other ids."""
    lines = [json.loads(line) for line in (like / "trajectories.jsonl").read_text("utf-8").splitlines()]
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_bytes((like / "manifest.json").read_bytes())
    with (folder / "trajectories.jsonl").open("w", encoding="utf-8") as out:
        for number in range(episodes):
            like_it = lines[number % len(lines)].items()
            episode = {name: value for name, value in like_it if name not in ("run", "sha256")}
            verdict = {**(episode["verdict"] or {}), "status": statuses[number % len(statuses)]}
            text = json.dumps({**episode, "task_id": f"task-{number}", "verdict": verdict})
            out.write(sealed(text) + "\n")
    return folder


class Guesser(Agent):
    """Makes calls at random, and now and then gives up or guesses: what a search has work with."""

    name = "guesser"

    def reset(self, env: Any, seed: int) -> None:
        self._draw = rng("guesser", seed)
        self._space = env.action_space
        self._space.seed(seed % 2**31)

    def act(self, observation: Any, info: Any) -> Any:
        drawn = self._draw.random()
        if drawn < 0.12:
            return {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}
        if drawn < 0.3:
            cannot = {"reason": "missing_detail", "what": [self._draw.choice(["account", "amount", "date"])]}
            return {"name": "Finish", "arguments": {"cannot": cannot}}
        return self._space.sample()


def searched(env: ToolEnv, task_id: str, queries: int = 24) -> Trajectory:
    """An episode of a real tree search."""
    return play(MonteCarloTreeSearch(env, max_queries=queries), Guesser(), task_id=task_id, seed=1)
