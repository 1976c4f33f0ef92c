"""Plays somebody else's environment in everything that plays ours: ``python play.py ID FOLDER JUDGES``."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
from typer.testing import CliRunner

import stb_env
from stb_env.show.cli.main import app
from stb_env.wrappers.search import DepthFirstSearch

PLAN = """[eval]
groups = ["{env_id}"]
[[agent]]
name = "gold"
[[agent]]
name = "give_up"
"""


def command(*words: str) -> dict[str, Any]:
    """Run a command of ``stb-env`` and return what it reports."""
    done = CliRunner().invoke(app, [*words, "--json"])
    assert done.exit_code == 0, f"stb-env {' '.join(words)}: {done.output}"
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def play_commands(env_id: str, folder: Path, judges: str) -> None:
    """Run, judge, export, evaluate and validate."""
    run = folder / "run"
    played = command("run", env_id, "--agent", "gold", "--out", str(run))
    assert (played["solved"], played["planned"], played["judges"]) == (10, 10, ["exact"]), played
    judged = command("judge", str(run), "--judge", f"{judges}:Graded(worth=0.25)")
    assert (judged["judge"], judged["judged"], judged["solved"]) == ("graded", 10, 10), judged
    run = folder / "own"
    own = command("run", env_id, "--agent", "gold", "--judge", f"{judges}:brief", "--out", str(run))
    manifest = json.loads((run / "manifest.json").read_text())
    assert (own["solved"], manifest["judge"]) == (10, "brief"), own
    assert manifest["judge_settings"]["source"].startswith("brief@"), manifest
    command("export", str(run), "--format", "sft", "--out", str(folder / "sft"))
    assert sum(len(file.read_text().splitlines()) for file in (folder / "sft").glob("*.jsonl")) == 10
    (folder / "plan.toml").write_text(PLAN.format(env_id=env_id))
    evaluated = command("eval", str(folder / "plan.toml"), "--out", str(folder / "eval"))
    assert [row["mean"] for row in evaluated["averages"]] == [1.0, 0.0], evaluated
    valid = command("validate", env_id)
    assert valid["passed"], valid
    assert valid["scores"]["gold"] == 1.0, valid


def play_search(env_id: str) -> None:
    """Solve a task in the second branch of a depth-first search."""
    search = DepthFirstSearch(stb_env.make(env_id))
    search.reset(seed=0, options={"task_id": "6"})
    search.step("find(1)")
    search.step({"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}})
    search.step("count()")
    answer = {"name": "Finish", "arguments": {"answer": {"answer": 2}}}
    _, reward, terminated, _, _ = search.step(answer)
    assert (reward, terminated) == (1.0, True)


def play_vector(env_id: str) -> None:
    """Play in processes that know nothing of this one."""
    settings = {"shared_memory": False, "context": "spawn"}
    spec = stb_env.make(env_id, order="sequential").spec
    made = gym.make_vec(spec, num_envs=2, vectorization_mode="async", vector_kwargs=settings)
    other = gym.vector.AsyncVectorEnv([partial(stb_env.make, env_id, order="sequential")], **settings)
    for env, rewards in ((made, [1.0, 0.0]), (other, [1.0])):
        count = len(rewards)
        observation, _ = env.reset(seed=0)
        assert observation["query"] == ("Lend Emma to Bo.",) * count, observation["query"]
        env.step(["lend('Emma', 'Bo')", "lend('Emma', 'Cy')"][:count])
        finish = '{"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "Done."}}'
        assert list(env.step([finish] * count)[1]) == rewards
        env.close()


if __name__ == "__main__":
    play_commands(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
    play_search(sys.argv[1])
    play_vector(sys.argv[1])
    sys.stdout.write(f"{sys.argv[1]} plays everywhere\n")
