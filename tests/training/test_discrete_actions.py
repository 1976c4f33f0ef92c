"""MaskablePPO of sb3-contrib takes the wrappers as they come, and learns; a job of its own, for PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the environments)
from stb_env.wrappers import CallBudget, DiscreteActions, FaultInjection, RewardShaping, TextFeatures

maskable = pytest.importorskip("sb3_contrib", reason="needs the extra sb3: pip install 'stb-env[sb3]'")

pytestmark = [pytest.mark.serial, pytest.mark.filterwarnings("ignore:Evaluation environment is not wrapped")]


def choices(**more: Any) -> DiscreteActions:
    env = gym.make("stb/Sandbox-v1", split="train", template="create_event", max_turns=4)
    return DiscreteActions(env, size=16, **more)


def learner(env: gym.Env[Any, Any], seed: int) -> Any:
    return maskable.MaskablePPO(
        "MultiInputPolicy",
        env,
        n_steps=200,
        batch_size=50,
        learning_rate=3e-3,
        ent_coef=0.01,
        seed=seed,
        policy_kwargs={"net_arch": [64]},
    )


def success(model: Any, episodes: int = 40) -> float:
    """Return how often the policy solves tasks that it has not trained on."""
    env = choices()
    solved = 0.0
    for seed in range(10**6, 10**6 + episodes):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=False)
            observation, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        solved += reward
    return solved / episodes


def test_three_thousand_steps_teach_it_to_solve_tasks_that_it_has_not_seen():
    model = learner(choices(), seed=0)
    before = success(model)
    model.learn(3_000)
    assert success(model) > before + 0.1


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda: TextFeatures(choices(texts=True), size=32),
        lambda: RewardShaping(choices(), call_cost=0.01),
        lambda: DiscreteActions(
            CallBudget(FaultInjection(gym.make("stb/Sandbox-v1"), {"share": 0.2}), calls=3), size=16
        ),
    ],
    ids=["text features", "shaped", "budget and faults"],
)
def test_it_takes_every_wrapper_as_it_comes(wrapped: Callable[[], gym.Env[Any, Any]]):
    model = learner(wrapped(), seed=0)
    assert model.learn(200).num_timesteps == 200
