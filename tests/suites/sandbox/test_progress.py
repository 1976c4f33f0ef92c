"""Dense rewards: potential-based shaping that changes no return."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import pytest

from stb_env.errors import ConfigError
from stb_env.runs import plan, play
from stb_env.runs.baselines import load_agent


def env(reward: str, **settings: Any) -> Any:
    return gym.make("stb/Sandbox-v1", reward=reward, **settings).unwrapped


@pytest.mark.heavy
@pytest.mark.parametrize("agent", ["gold", "random", "give_up", "noop"])
def test_shaping_changes_no_return(agent: str):
    for job in plan(env("sparse").tasks, episodes=25):
        returns = [
            play(env(reward), load_agent(agent)(), task_id=job.task_id, seed=job.seed).reward
            for reward in ("sparse", "dense")
        ]
        assert returns[0] == pytest.approx(returns[1])


def test_each_gold_call_earns_its_share_at_once():
    for job in plan(env("dense").tasks, episodes=25):
        trajectory = play(env("dense"), load_agent("gold")(), task_id=job.task_id, seed=job.seed)
        *calls, last = [step["reward"] for step in trajectory.steps]
        assert all(reward >= 0 for reward in calls)
        assert sum(calls) == pytest.approx(1.0)
        assert last == pytest.approx(0.0)


def test_a_call_off_the_path_earns_nothing():
    dense = env("dense")
    dense.reset(seed=0)
    assert dense.step({"name": "no_such_tool", "arguments": {}})[1] == 0.0


def test_an_unknown_reward_is_refused():
    with pytest.raises(ConfigError, match=r"^reward must be None, 'sparse', 'partial' or 'dense', got 'sha"):
        env("shaped")
