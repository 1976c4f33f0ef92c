"""The agent that reads as a program does, and the one that errs besides."""

from __future__ import annotations

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.backend.faults import UNAVAILABLE, Faults
from stb_env.backend.virtual import VirtualBackend
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.experiments.lab.reader import NoisyOracle, Reader
from stb_env.experiments.lab.sandbox_api import LiveTemplate, WorldAPI, reading_tasks
from stb_env.runs import Agent, play
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.tools import FINISH
from stb_env.trajectory import Trajectory


def episodes(agent: Agent, count: int = 120, faults: Faults | None = None) -> list[Trajectory]:
    tasks = reading_tasks()[:count]
    simulator = LiveTemplate() if faults and faults.action == "simulator" else None
    backend = VirtualBackend(mode="live", real=WorldAPI(check=None), live_simulator=simulator, faults=faults)
    env = ToolEnv(tasks, backend, ExactJudge(), oracle=oracle)
    return [play(env, agent, task_id=task.id, seed=n) for n, task in enumerate(tasks)]


def test_it_solves_every_task_on_tools_that_work():
    assert all(episode.solved for episode in episodes(Reader(), 60))


def test_what_a_silent_tool_says_is_its_answer_word_for_word():
    for episode in episodes(Reader(), 30, Faults(1.0, 0, "unavailable")):
        assert episode.valid
        assert UNAVAILABLE in episode.final_answer


def test_it_takes_inventions_for_truth_and_says_something_about_every_task():
    played = episodes(Reader(), 60, Faults(1.0, 0, "simulator"))
    assert all(episode.valid and episode.final_answer for episode in played)
    assert sum(episode.solved for episode in played) < 0.1 * len(played)


def test_about_the_given_share_of_episodes_goes_wrong():
    failed = [episode for episode in episodes(NoisyOracle(0.5)) if not episode.solved]
    # An eighth of the mistakes happens to do no harm.
    assert 0.35 * 120 < len(failed) < 0.6 * 120


def test_most_episodes_with_a_mistake_fail_in_more_than_one_way():
    played, sound = episodes(NoisyOracle(1.0)), episodes(Reader())
    assert sum(episode.solved for episode in played) < 0.25 * len(played)
    assert any(not episode.final_answer for episode in played)
    assert any(len(one.steps) < len(other.steps) for one, other in zip(played, sound, strict=True))


def test_without_errors_the_noisy_oracle_is_the_reader():
    answers = [
        [episode.final_answer for episode in episodes(agent, 20)] for agent in (NoisyOracle(0.0), Reader())
    ]
    assert answers[0] == answers[1]


def test_equal_seeds_make_equal_mistakes():
    assert episodes(NoisyOracle(0.7), 40) == episodes(NoisyOracle(0.7), 40)


@pytest.mark.parametrize("action", ["simulator", "unavailable"])
def test_a_mistake_on_tools_that_fail_ends_no_episode_with_an_exception(action):
    for episode in episodes(NoisyOracle(1.0), 60, Faults(0.5, 2, action)):
        assert episode.valid
        assert episode.steps[-1]["calls"][-1]["name"] == FINISH


def test_the_noisy_oracle_plays_the_sandbox_alone():
    env = gym.make("stb/I1Instruction-v0")
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=r"^the noisy oracle plays the Sandbox alone"):
        NoisyOracle().reset(env, 0)


def test_an_error_rate_that_is_no_share_is_refused():
    with pytest.raises(ConfigError, match=r"^error_rate is a share from 0 to 1, got 1\.5$"):
        NoisyOracle(1.5)
