"""What each role used: kept apart in the episode, the run's summary and the report."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stb_env import ChatAgent, ScriptedModel, load_agent, play
from stb_env.backend.user import Said
from stb_env.core.request import Request, Slow, drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import JudgeError
from stb_env.evaluation.run_costs import read_costs
from stb_env.runs import Run, plan, run_batch
from stb_env.runs.episode import episode
from stb_env.runs.groups import groups
from stb_env.runs.metrics.cost import role_usage
from stb_env.runs.timing import Stopwatch
from stb_env.saved_episodes import read_trajectories
from stb_env.show.report.saved.saved_run import SavedRun
from stb_env.testing.notes import TASKS, Notebook, notes
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage
from stb_env.verdict import Verdict
from tests.command import stb

JUDGED, ASKED = Usage(total_tokens=100, calls=3, cost=0.5), Usage(total_tokens=7, calls=1)
FIND = {"name": "find_notes", "arguments": {"word": "dentist"}}


class Judge:
    name = "costly"

    def judge(self, case: Any) -> Slow[Verdict]:
        yield from ()
        return Verdict("solved", 1.0, self.name, usage=JUDGED)


class FailingJudge(Judge):
    def judge(self, case: Any) -> Slow[Verdict]:
        yield from ()
        error = JudgeError("unreadable")
        error.usage = JUDGED
        raise error


class User:
    """Answers once, then has nothing more to say."""

    fingerprint: dict[str, Any] = {}  # noqa: RUF012 (never changed)

    def start(self, task: Any, seed: int) -> bool:
        return False

    def reply(self, task: Any, state: bool, text: str) -> Slow[Said]:
        yield from ()
        return Said(None if state else "Go on.", True, ASKED)


def roles(episode: Trajectory) -> dict[str, tuple[float, float]]:
    return {
        role: (usage["calls"], usage["total_tokens"]) for role, usage in (episode.usage_by_role or {}).items()
    }


def chat() -> ChatAgent:
    return ChatAgent(ScriptedModel(lambda request: "Hello."))


def conversation(judge: Any = None) -> ToolEnv:
    return ToolEnv(TASKS, Notebook(), judge or Judge(), user=User())


def test_agent_user_and_judge_are_told_apart_and_add_up():
    episode = play(conversation(), chat(), task_id="day", seed=0)
    assert {role: calls for role, (calls, _) in roles(episode).items()} == {"agent": 2, "user": 2, "judge": 3}
    assert roles(episode)["judge"] == (3, 100)
    assert sum(tokens for _, tokens in roles(episode).values()) == episode.usage["total_tokens"]


def test_what_a_judge_that_failed_cost_is_the_judges():
    episode = play(conversation(FailingJudge()), chat(), task_id="day", seed=0)
    assert not episode.valid
    assert roles(episode)["judge"] == (3, 100)


def test_an_episode_without_models_says_nothing_of_roles():
    episode = play(notes(), load_agent("gold")(), task_id="day", seed=0)
    assert episode.usage_by_role is None
    assert "usage_by_role" not in json.loads(episode.to_json())


def test_roles_are_saved_and_read():
    episode = play(conversation(), chat(), task_id="day", seed=0)
    assert Trajectory.from_json(episode.to_json()).usage_by_role == episode.usage_by_role


def test_what_shared_steps_cost_counts_for_the_first_trial_alone():
    (group,) = groups(conversation(), ["day"], 2, agent=chat, branch_at=1)
    assert [roles(episode)["user"][0] for episode in group.episodes] == [2, 1]


def test_episodes_of_before_count_as_one_role():
    episode = replace(play(conversation(), chat(), task_id="day", seed=0), usage_by_role=None)
    assert role_usage([Trajectory.from_json(episode.to_json())])["together"].calls == 7


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    env = conversation()
    run = Run(tmp_path / "run", {"env": "notes"})
    run_batch(conversation, chat, plan(env.tasks, episodes=2), run)
    run.close()
    return tmp_path / "run"


def test_a_report_gives_calls_tokens_and_time_by_role(folder: Path):
    told = json.loads(stb("costs", folder, "--json").stdout)["runs"][str(folder)]
    assert told["roles"]["judge"]["calls"] == 6
    assert told["roles"]["judge"]["cost"] == 1.0
    assert told["total"]["calls"] == 14
    assert told["per_episode"]["calls"] == 7
    assert told["seconds"] > 0
    assert "judge" in stb("costs", folder).stdout


class SlowJudge(Judge):
    def judge(self, case: Any) -> Slow[Verdict]:
        yield Request(run=lambda: None)
        return Verdict("solved", 1.0, self.name, usage=JUDGED)


class SlowUser(User):
    def reply(self, task: Any, state: bool, text: str) -> Slow[Said]:
        yield Request(run=lambda: None)
        return (yield from super().reply(task, state, text))


class SlowNotebook(Notebook):
    def answer(self, *call: Any) -> Slow[Any]:
        yield Request(run=lambda: None)
        return (yield from super().answer(*call))


def waited(env: ToolEnv, agent: Any) -> dict[str, float]:
    """Return the time that each role got, where every look at the clock is a second after the last one."""
    stopwatch = Stopwatch(itertools.count().__next__)
    drive(episode(env, agent, task_id="day", seed=0, stopwatch=stopwatch))
    return dict(stopwatch.read().waited)


def test_time_goes_to_who_was_waited_for():
    env = ToolEnv(TASKS, SlowNotebook(), SlowJudge(), user=SlowUser())
    assert waited(env, chat()) == {"agent": 2, "user": 2, "judge": 1}
    made = waited(ToolEnv(TASKS, SlowNotebook(), SlowJudge()), load_agent("gold")())
    assert made["tools"] >= 1
    assert made["judge"] == 1


def test_who_was_not_waited_for_has_no_time():
    assert set(waited(notes(), load_agent("gold")())) == {"agent"}


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_report_gives_the_time_waited_for_each_role(tmp_path: Path, concurrency: int):
    def make() -> ToolEnv:
        return ToolEnv(TASKS, Notebook(), SlowJudge(), user=SlowUser())

    run = Run(tmp_path / "run", {"env": "notes"})
    run_batch(make, chat, plan(TASKS, episodes=2), run, concurrency=concurrency)
    run.close()
    told = json.loads(stb("costs", tmp_path / "run", "--json").stdout)["runs"][str(tmp_path / "run")]
    assert set(told["waited"]) == {"agent", "user", "judge"}
    assert 0 < sum(told["waited"].values()) < told["seconds"]


def test_timings_of_before_tell_no_roles(folder: Path):
    (folder / "timings.jsonl").write_text('{"task_id": "day", "trial": 0, "seed": 1, "seconds": 2.0}\n')
    assert (read_costs(folder).seconds, read_costs(folder).waited) == (2.0, {})


def test_a_broken_timing_is_named(folder: Path):
    (folder / "timings.jsonl").write_text('{"seconds": "?"}\n')
    done = stb("costs", folder)
    assert done.exit_code == 2
    assert "timings.jsonl, line 1: not a timing" in done.stderr


def test_a_summary_has_its_roles(folder: Path):
    assert read_costs(folder).roles["user"].calls == 4


def test_each_step_that_was_played_has_its_time(tmp_path: Path):
    assert (
        stb("run", "stb/Sandbox-v1", "--agent", "gold", "--episodes", 3, "--out", tmp_path / "run").exit_code
        == 0
    )
    timings = [json.loads(line) for line in (tmp_path / "run" / "timings.jsonl").read_text().splitlines()]
    for timing, saved in zip(timings, read_trajectories(tmp_path / "run"), strict=True):
        assert len(timing["steps"]) == len(saved.steps)
        assert 0 < sum(timing["steps"]) <= timing["seconds"]
    shown = SavedRun(tmp_path / "run").episode(0)
    assert shown["step_seconds"] == timings[0]["steps"]
