"""Dials: conditions of an episode that its id carries."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stb_env
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, DataError
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.making import task_of


@given(st.builds(Dials, budget=st.integers(0, 1000), faults=st.integers(0, 50), events=st.integers(0, 1)))
def test_an_id_tells_its_dials(dials: Dials) -> None:
    assert Dials.of(dials.suffix) == dials


@pytest.mark.parametrize("suffix", ["z1", "b0", "b150b150", "150", "b99999", "B150"])
def test_a_suffix_that_no_dials_have_is_no_task(suffix: str) -> None:
    with pytest.raises(DataError, match=r"no part of an id|no task"):
        task_of(f"vet_clinic-1.1.0.{suffix}")


def test_calls_over_the_budget_are_refused_and_gold_is_within_it() -> None:
    env: ToolEnv = stb_env.make("stb/Worlds-v0", split="train", level=2, budget=1.0)
    _, info = env.reset(seed=5)
    task = env.task
    budget = len(task.gold)
    assert f"You have {budget} calls." in task.query
    tool = next(each for each in task.tools if not each.parameters["required"])
    for count in range(1, budget + 2):
        observation, _, ended, cut, _ = env.step(json.dumps({"name": tool.name, "arguments": {}}))
        said = json.loads(observation["result"])["error"]
        assert ("budget" in said) == (count > budget)
        assert not ended
        assert not cut
    assert info["task_id"].endswith(".b100")


def test_a_budget_below_what_gold_needs_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"budget is 0 or from 1 to 10, got 0\.5"):
        stb_env.make("stb/Worlds-v0", budget=0.5)


def test_gold_solves_with_all_dials_together() -> None:
    env: ToolEnv = stb_env.make(
        "stb/Worlds-v0", level=(1, 4), policies=True, budget=1.2, faults=0.2, events=True
    )
    agent = stb_env.load_agent("gold")()
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        agent.reset(env, seed=0)
        over, reward = False, 0.0
        while not over:
            observation, reward, ended, cut, info = env.step(agent.act(observation, info))
            over = ended or cut
        assert reward == 1.0, info["task_id"]
