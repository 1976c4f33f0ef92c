"""What a user or a disk does to `stb-env run` is one clear line, never a traceback."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stb_env.evaluation.resolved import Resolved
from stb_env.runs.make import make_env
from stb_env.saved_episodes import read_trajectories
from tests.command import error_of, stb
from tests.processes import wait_until

RUN = ("run", "stb/Sandbox-v1", "--agent", "gold")


def test_a_file_as_out_is_bad_use(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("mine")
    done = stb(*RUN, "--episodes", 2, "--out", file)
    assert done.exit_code == 2
    assert error_of(done) == f"{file} cannot be a folder: a file stands in its place; name another"
    assert file.read_text() == "mine"


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_text('{"agent": "go')])
def test_results_whose_manifest_is_gone_get_no_other_agents_name(
    tmp_path: Path, damage: Callable[[Path], Any]
):
    out = tmp_path / "out"
    assert stb(*RUN, "--episodes", 2, "--out", out).exit_code == 0
    before = (out / "trajectories.jsonl").read_bytes()
    damage(out / "manifest.json")
    done = stb("run", "stb/Sandbox-v1", "--agent", "noop", "--episodes", 2, "--out", out)
    assert done.exit_code == 2
    assert error_of(done).startswith(f"{out}/manifest.json is ")
    assert (out / "trajectories.jsonl").read_bytes() == before


def test_more_episodes_and_trials_extend_a_run_and_another_seed_is_refused(tmp_path: Path):
    for size in ((2, 1), (4, 1), (4, 2)):
        done = stb(*RUN, "--episodes", size[0], "--trials", size[1], "--out", tmp_path / "out", "--json")
        assert done.exit_code == 0
        assert json.loads(done.stdout)["episodes"] == size[0] * size[1]
    refused = stb(*RUN, "--episodes", 4, "--trials", 2, "--seed", 1, "--out", tmp_path / "out")
    assert refused.exit_code == 2
    assert "another configuration (seed: there 0, now 1); use another --out" in error_of(refused)


def test_an_agents_bug_is_told_once_and_ends_a_run_where_it_happens_in_every_episode(tmp_path: Path):
    (tmp_path / "mine.py").write_text("def policy(observation, info):\n    return info['secret']\n")
    mine = ("run", "stb/Sandbox-v1", "--agent", f"{tmp_path}/mine.py:policy", "--episodes", 40)
    done = stb(*mine, "--out", tmp_path / "out", "--json")
    where = "agent 'policy' raised KeyError (mine.py, line 2), which is a bug in it"
    told, stopped = done.stderr.splitlines()
    assert done.exit_code == 1
    assert told == f"{where}; such an episode is invalid"
    assert stopped.startswith(f"error: 20 episodes in a row failed alike (internal): {where}; mend that ")
    assert len(read_trajectories(tmp_path / "out")) == 20


def test_a_bug_that_is_mended_leaves_no_trace_in_the_results(tmp_path: Path):
    broken = "def policy(observation, info):\n    return info['secret']\n"
    mended = "def policy(observation, info):\n    return 'hm'\n"
    for text in (broken, mended):
        (tmp_path / "mine.py").write_text(text)
        for folder in ("run", "whole") if text == mended else ("run",):
            mine = (f"{tmp_path}/mine.py:policy", "--episodes", 3, "--out", tmp_path / folder)
            stb("run", "stb/Sandbox-v1", "--agent", *mine)
    runs = [(tmp_path / name / "trajectories.jsonl").read_bytes() for name in ("run", "whole")]
    assert runs[0] == runs[1]


def test_the_command_closes_its_session(monkeypatch: pytest.MonkeyPatch):
    closed: list[Resolved] = []
    monkeypatch.setattr(Resolved, "close", lambda self: closed.append(self))
    assert stb(*RUN, "--episodes", 1).exit_code == 0
    assert len(closed) == 1


@pytest.mark.heavy
def test_a_folder_that_goes_away_under_the_command_is_one_line(tmp_path: Path):
    command = [sys.executable, "-m", "stb_env", *RUN, "--out", str(tmp_path / "out"), "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    file = tmp_path / "out" / "trajectories.jsonl"
    wait_until(process, lambda: file.exists() and file.stat().st_size > 0)
    shutil.rmtree(tmp_path / "out")
    _, said = process.communicate()
    assert process.returncode == 1
    assert said.count("\n") == 1
    assert said.startswith("error: ")
    assert ".jsonl was deleted while it was written to" in said or "No such file" in said


def test_an_episode_past_its_deadline_is_a_timeout_of_the_episode(tmp_path: Path):
    agent = tmp_path / "mine.py"
    agent.write_text(
        "import asyncio\n\n\nasync def hang(observation, info):\n    await asyncio.Event().wait()\n"
    )
    out = tmp_path / "out"
    words = ("--episodes", 4, "--concurrency", 4, "--episode-timeout", 0.05, "--out", out)
    done = stb("run", "stb/Sandbox-v1", "--agent", f"{agent}:hang", *words)
    assert done.exit_code == 1
    failures = [episode.failure for episode in read_trajectories(out)]
    assert [(failure["kind"], failure["stage"]) for failure in failures if failure] == [
        ("timeout", "episode")
    ] * 4


def test_tasks_are_played_by_their_ids_and_a_wrong_one_names_the_nearest(tmp_path: Path):
    ids = [episode.task_id for episode in _played(tmp_path / "all", "--episodes", "3")]
    assert [one.task_id for one in _played(tmp_path / "two", "--task", ids[2], "--task", ids[0])] == [
        ids[2],
        ids[0],
    ]
    words = ("run", "stb/I1Instruction-v0", "--agent", "gold", "--judge", "heuristic", "--task")
    wrong = f"{_embedded()[0]}7"
    done = stb(*words, wrong)
    assert done.exit_code == 2
    assert f"no task {wrong!r} among the" in error_of(done)
    assert f"Did you mean {_embedded()[0]!r}?" in error_of(done)


def test_a_run_of_named_tasks_goes_on_with_the_same_names_alone(tmp_path: Path):
    ids = [episode.task_id for episode in _played(tmp_path / "all", "--episodes", "2")]
    _played(tmp_path / "one", "--task", ids[0])
    assert len(_played(tmp_path / "one", "--task", ids[0])) == 1
    done = stb(*RUN, "--task", ids[1], "--out", tmp_path / "one")
    assert done.exit_code == 2
    assert "holds a run with another configuration (only:" in error_of(done)
    done = stb(*RUN, "--task", ids[1], "--episodes", "1")
    assert error_of(done) == "name the tasks to play or say how many, not both: --task or --episodes"


def _played(out: Path, *words: str) -> list[Any]:
    done = stb(*RUN, *words, "--out", out)
    assert done.exit_code == 0, done.output
    return list(read_trajectories(out))


def _embedded() -> list[str]:
    return [task.id for task in make_env("stb/I1Instruction-v0", {"judge": "heuristic"}).tasks]
