"""`stb-env groups`: groups beside an ordinary run folder, saved whole, resumed to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stb_env.runs.groups.group_run import read_groups
from stb_env.saved_episodes import read_trajectories
from tests.command import error_of, stb
from tests.saved import unsum

AGENT = """
from stb_env import Agent
from stb_env.seeding import rng


class Coin(Agent):
    name = "coin"

    def reset(self, env, seed):
        self.answer = rng(seed).choice(["Tuesday", "Monday"])

    def act(self, observation, info):
        arguments = {"return_type": "give_answer", "final_answer": self.answer}
        return {"name": "Finish", "arguments": arguments}
"""
NOTES = "stb_env.testing.notes:test/Notes-v0"


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "coin.py").write_text(AGENT)
    return ("groups", NOTES, "--agent", f"{tmp_path / 'coin.py'}:Coin", "--k", "6", "--json")


def test_dense_rewards_are_refused_before_anything_is_written(tmp_path: Path):
    out = tmp_path / "run"
    done = stb("groups", "stb/Sandbox-v1", "--agent", "gold", "--set", "reward=dense", "--out", out)
    assert done.exit_code == 2
    assert error_of(done).startswith("reward='dense' tells the episodes of a group nothing")
    assert not out.exists()


def files(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("trajectories.jsonl", "groups.jsonl", "summary.json")]


def test_each_line_says_what_a_trainer_needs(tmp_path: Path, command: tuple[str, ...]):
    done = stb(*command, "--tasks", 1, "--out", tmp_path / "run")
    assert done.exit_code == 0
    (group,) = read_groups(tmp_path / "run")
    rewards = [episode.reward for episode in read_trajectories(tmp_path / "run")]
    assert (group["task_id"], group["trials"], group["rewards"]) == ("day", [0, 1, 2, 3, 4, 5], rewards)
    assert sum(group["advantages"]) == pytest.approx(0.0, abs=1e-9)
    assert group["varied"] is (len(set(rewards)) > 1) is True
    assert json.loads(done.stdout)["groups"] == 1


def test_a_trial_keeps_the_time_of_each_of_its_own_steps_and_of_its_agent(tmp_path: Path):
    stb(
        "groups",
        "stb/Sandbox-v1",
        "--agent",
        "gold",
        "--k",
        3,
        "--tasks",
        1,
        "--branch-at",
        1,
        "--out",
        tmp_path,
    )
    lead, *others = map(json.loads, (tmp_path / "timings.jsonl").read_text().splitlines())
    steps = [len(episode.steps) for episode in read_trajectories(tmp_path)]
    assert [len(lead["steps"]), *(len(other["steps"]) + 1 for other in others)] == steps
    assert all(0 < line["waited"]["agent"] < line["seconds"] for line in (lead, *others))


def test_more_tasks_extend_a_run_and_concurrency_changes_no_byte(tmp_path: Path, command: tuple[str, ...]):
    for tasks in (1, 3):
        assert stb(*command, "--tasks", tasks, "--out", tmp_path / "grown").exit_code == 0
    assert stb(*command, "--tasks", 3, "--concurrency", 8, "--out", tmp_path / "whole").exit_code == 0
    assert files(tmp_path / "grown") == files(tmp_path / "whole")


def test_a_group_that_a_killed_process_left_half_saved_is_played_again(
    tmp_path: Path, command: tuple[str, ...]
):
    out = tmp_path / "run"
    assert stb(*command, "--out", out).exit_code == 0
    before = files(out)
    unsum(out)
    for name, kept in (("groups.jsonl", 1), ("trajectories.jsonl", 9)):
        text = (out / name).read_bytes().splitlines(keepends=True)
        (out / name).write_bytes(b"".join(text[:kept]) + text[kept][:40])
    assert stb(*command, "--out", out).exit_code == 0
    assert files(out) == before
    assert len((out / "failures.jsonl").read_bytes().splitlines()) == 3


def test_trials_of_another_number_are_refused(tmp_path: Path, command: tuple[str, ...]):
    assert stb(*command, "--tasks", 1, "--out", tmp_path / "run").exit_code == 0
    refused = stb(*command, "--k", 4, "--tasks", 1, "--out", tmp_path / "run")
    assert refused.exit_code == 2
    assert "holds a run with another configuration (groups: there" in error_of(refused)


def test_a_group_of_one_is_bad_use(tmp_path: Path, command: tuple[str, ...]):
    refused = stb(*command, "--k", 1, "--out", tmp_path / "run")
    assert refused.exit_code == 2
    assert error_of(refused) == "a group takes at least 2 trials, got k=1"
    assert not (tmp_path / "run").exists()


def test_the_table_says_how_many_groups_have_variance(tmp_path: Path, command: tuple[str, ...]):
    done = stb(*command[:-1], "--stop-equal", 2, "--out", tmp_path / "run")
    assert done.exit_code == 0
    assert "with variance" in done.stdout
    assert "stopped early" in done.stdout


SLEEPER = """
    async def act(self, observation, info):
        if self.answer == "Monday" and not Path({awake!r}).exists():
            await asyncio.Event().wait()
        arguments = {{"return_type": "give_answer", "final_answer": self.answer}}
        return {{"name": "Finish", "arguments": arguments}}
"""


def test_a_trial_past_its_deadline_is_invalid_and_its_group_is_played_again(tmp_path: Path):
    awake, out = tmp_path / "awake", tmp_path / "run"
    head = AGENT.partition("    def act")[0]
    agent = "import asyncio\nfrom pathlib import Path\n" + head + SLEEPER.format(awake=str(awake))
    (tmp_path / "sleeper.py").write_text(agent)
    words = (
        "groups",
        NOTES,
        "--agent",
        f"{tmp_path / 'sleeper.py'}:Coin",
        "--k",
        6,
        "--tasks",
        1,
        "--out",
        out,
    )
    assert stb(*words, "--call-timeout", 0.01, "--step-timeout", 60, "--episode-timeout", 60).exit_code == 0
    (group,) = read_groups(out)
    late = [episode.failure for episode in read_trajectories(out) if not episode.valid]
    assert {(failure["kind"], failure["stage"]) for failure in late if failure} == {("timeout", "call")}
    assert 0 < group["rewards"].count(None) == len(late) < 6
    awake.touch()
    assert stb(*words).exit_code == 0
    (group,) = read_groups(out)
    assert None not in group["rewards"]
    assert len((out / "failures.jsonl").read_bytes().splitlines()) == 6


def test_a_deadline_of_nothing_is_bad_use(tmp_path: Path, command: tuple[str, ...]):
    refused = stb(*command, "--step-timeout", 0, "--out", tmp_path / "run")
    assert refused.exit_code == 2
    assert error_of(refused) == "the step deadline must be above 0 seconds, got 0"
