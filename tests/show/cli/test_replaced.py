"""Ids that were replaced: nobody makes them, and their saved runs are still read."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import pytest

import stb_env
from stb_env.errors import ConfigError
from stb_env.saved_episodes import read_trajectories
from tests.saved import unsum
from tests.show.cli.test_commands import report, stb

OLD, NEW = "stb/Sandbox-v0", "stb/Sandbox-v1"
SINCE_3 = ("final_answer", "cannot", "reward_mode", "run", "sha256")


@pytest.fixture(scope="module")
def old_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three episodes as the version before wrote it: answers are text, lines have no checksum."""
    folder = tmp_path_factory.mktemp("old") / "run"
    report("run", NEW, "--agent", "gold", "--episodes", "3", "--out", folder)
    lines = [json.loads(line) for line in (folder / "trajectories.jsonl").read_text("utf-8").splitlines()]
    for line in lines:
        line |= {"version": 2, "answer": line["final_answer"] or "The balance is 12."}
        for name in SINCE_3:
            line.pop(name, None)
    (folder / "trajectories.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    unsum(folder)
    (folder / "manifest.json").write_text(json.dumps({**manifest, "env": OLD}), "utf-8")
    return folder


@pytest.mark.parametrize("words", [("run", OLD, "--agent", "gold"), ("validate", OLD), ("groups", OLD)])
def test_a_command_that_would_play_one_names_the_id_that_followed(words: tuple[str, ...], tmp_path: Path):
    more = ("--agent", "gold", "--out", tmp_path / "out") if words[0] == "groups" else ()
    more = (*more, "--out", tmp_path / "out") if words[0] == "run" else more
    result = stb(*words, *more)
    assert result.exit_code == 2
    assert f"{OLD} was replaced by {NEW}" in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_making_one_names_the_id_that_followed():
    with pytest.raises(gym.error.DeprecatedEnv, match=f"use `{NEW}`"):
        gym.make(OLD)
    with pytest.raises(ConfigError, match=f"^{OLD} was replaced by {NEW}, whose scores are not comparable"):
        stb_env.make(OLD)


def test_a_saved_run_is_read_compared_reported_and_exported(old_run: Path, tmp_path: Path):
    episodes = read_trajectories(old_run)
    assert [(episode.answer, episode.solved) for episode in episodes] == [(None, True)] * 3
    assert all(episode.final_answer for episode in episodes)
    assert report("compare", old_run, old_run)["solved"] == [1.0, 1.0]
    page = tmp_path / "report.html"
    assert stb("report", old_run, "--out", page).exit_code == 0
    assert OLD in page.read_text("utf-8")
    written = report("export", old_run, "--format", "sft", "--out", tmp_path / "sft.jsonl")
    assert written
    assert len((tmp_path / "sft.jsonl").read_text("utf-8").splitlines()) == 3


def test_a_saved_run_is_not_compared_with_one_of_the_new_id(old_run: Path, tmp_path: Path):
    report("run", NEW, "--agent", "gold", "--episodes", "3", "--out", tmp_path / "new")
    result = stb("compare", old_run, tmp_path / "new")
    assert result.exit_code == 2
    assert f"env is {OLD} and {NEW}" in result.stderr


@pytest.mark.parametrize("named", [(), ("--judge", "heuristic")])
def test_judging_a_saved_run_again_says_that_its_judge_is_gone(old_run: Path, named: tuple[str, ...]):
    result = stb("judge", old_run, *named)
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    assert f"a run of {OLD}, which was replaced by {NEW}: its judge is gone" in said
    assert not list(old_run.glob("verdicts*"))
