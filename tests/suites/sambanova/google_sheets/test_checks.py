"""The standing checks, the oracle and the agents that deserve nothing."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from stb_env.envs.tool_env import ToolEnv
from stb_env.runs import play
from stb_env.runs.baselines import load_agent
from stb_env.suites.sambanova.google_sheets.env import make
from stb_env.suites.sambanova.google_sheets.tasks import TEST_SIZE
from stb_env.testing.conformance import validate


@pytest.mark.heavy
@pytest.mark.parametrize("settings_", [{}, {"split": "train"}, {"compat": "original"}])
def test_the_standing_checks_hold(settings_: dict[str, Any]):
    env = gym.make("stb/GoogleSheets-v1", **settings_).unwrapped
    assert isinstance(env, ToolEnv)
    # Sheets are large, so each attempt of the red team is slow.
    report = validate("stb/GoogleSheets-v1", env, seeds=4, red_team=2)
    assert [check for check in report.checks if not check.passed] == []
    assert report.counts["scores"]["gold"] == 1.0


@pytest.mark.heavy
@pytest.mark.parametrize("agent", ["noop", "give_up", "echo", "inject", "random"])
def test_agents_that_deserve_nothing_get_nothing_on_the_test_tasks(agent: str):
    env, null = make(), load_agent(agent)()
    # Every third task; `stb-env validate` plays as many as it is told.
    played = [play(env, null, task_id=f"test-{index}", seed=index) for index in range(0, TEST_SIZE, 3)]
    assert sum(episode.reward for episode in played) == 0.0


@pytest.mark.heavy
@pytest.mark.parametrize("compat", [None, "original"])
def test_the_oracle_solves_every_test_task_and_so_does_its_label(compat: str | None):
    gold = load_agent("gold")()
    for program in (False, True):
        env = make(compat=compat, program=program)
        for index in range(TEST_SIZE):
            if not program:
                assert play(env, gold, task_id=f"test-{index}", seed=0).reward == 1.0
                continue
            env.reset(seed=0, options={"task_id": f"test-{index}"})
            assert env.step(env.task.goal["labels"][0])[1] == 1.0
