"""The agent that errs at a known rate and believes what it reads."""

from __future__ import annotations

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.backend.faults import Faults
from stb_env.backend.virtual import VirtualBackend
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.lab.noisy_oracle import APOLOGY, NoisyOracle
from stb_env.lab.world_api import LiveTemplate, WorldAPI, reading_tasks
from stb_env.rollout import play
from stb_env.suites.sandbox.oracle import oracle
from stb_env.suites.sandbox.verifier import ExactJudge
from stb_env.tools import FINISH
from stb_env.trajectory import Trajectory


def episodes(rate: float, count: int = 120, faults: Faults | None = None) -> list[Trajectory]:
    tasks = reading_tasks()[:count]
    simulator = LiveTemplate() if faults and faults.action == "simulator" else None
    backend = VirtualBackend(mode="live", real=WorldAPI(check=None), live_simulator=simulator, faults=faults)
    env = ToolEnv(tasks, backend, ExactJudge(), oracle=oracle)
    return [play(env, NoisyOracle(rate), task_id=task.id, seed=n) for n, task in enumerate(tasks)]


def test_about_the_given_share_of_episodes_goes_wrong():
    failed = [episode for episode in episodes(0.5) if not episode.solved]
    # An eighth of the mistakes happens to do no harm.
    assert 0.35 * 120 < len(failed) < 0.6 * 120


def test_most_episodes_with_a_mistake_fail_in_more_than_one_way():
    played = episodes(1.0)
    assert sum(episode.solved for episode in played) < 0.25 * len(played)
    assert any(not episode.answer for episode in played)
    assert any(
        len(episode.steps) < len(sound.steps) for episode, sound in zip(played, episodes(0.0), strict=True)
    )


def test_equal_seeds_make_equal_mistakes():
    assert episodes(0.7, 40) == episodes(0.7, 40)


def test_it_apologises_where_no_tool_says_anything():
    assert {episode.answer for episode in episodes(0.0, 40, Faults(1.0, 0, "unavailable"))} == {APOLOGY}


def test_it_answers_from_invented_responses_as_if_they_were_true():
    played = episodes(0.0, 60, Faults(1.0, 0, "simulator"))
    assert all(episode.answer and episode.answer != APOLOGY for episode in played)
    assert sum(episode.solved for episode in played) < 0.1 * len(played)


def test_an_answer_that_fits_no_solution_ends_no_episode_with_an_exception():
    for episode in episodes(0.3, 120, Faults(0.5, 2, "simulator")):
        assert episode.valid
        assert episode.steps[-1]["calls"][-1]["name"] == FINISH


def test_it_plays_the_sandbox_alone():
    env = gym.make("stb/I1Instruction-v0")
    env.reset(seed=0)
    with pytest.raises(ConfigError, match=r"^the noisy oracle plays the Sandbox alone"):
        NoisyOracle().reset(env, 0)


def test_an_error_rate_that_is_no_share_is_refused():
    with pytest.raises(ConfigError, match=r"^error_rate is a share from 0 to 1, got 1\.5$"):
        NoisyOracle(1.5)
