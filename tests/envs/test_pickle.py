"""Environments, wrappers and snapshots pickle, and what comes back goes on byte for byte."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from stb_env.runs.baselines import load_agent
from stb_env.runs.make import env_ids, make_env
from stb_env.wrappers import (
    BeamSearch,
    BestFirstSearch,
    ChainOfThought,
    DepthFirstSearch,
    DiscreteActions,
    IndependentChains,
    MonteCarloTreeSearch,
    ToolRetrieval,
)

WRAPPERS = (
    BeamSearch,
    BestFirstSearch,
    ChainOfThought,
    DepthFirstSearch,
    IndependentChains,
    MonteCarloTreeSearch,
    ToolRetrieval,
)


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value, protocol=5))


def gold(env: gym.Env[Any, Any], seed: int) -> list[Any]:
    """Play gold to the end, through a copy after every step, and return every transition."""
    agent = load_agent("gold")()
    observation, info = env.reset(seed=seed)
    agent.reset(env, seed)
    transitions: list[Any] = [(observation, info)]
    over = False
    while not over:
        copy, action = again(env), agent.act(observation, info)
        transition = env.step(action)
        assert copy.step(action) == transition
        transitions.append(transition)
        observation, _, terminated, truncated, info = transition
        over = terminated or truncated
    return transitions


@pytest.mark.heavy
@pytest.mark.parametrize("env_id", env_ids())
def test_a_pickled_environment_plays_on_as_the_first(env_id: str):
    env = make_env(env_id, {})
    assert gold(again(env), 3) == gold(env, 3)


@pytest.mark.heavy
@pytest.mark.parametrize("env_id", env_ids())
def test_a_pickled_snapshot_restores_in_an_equal_environment(env_id: str):
    env, other = make_env(env_id, {}), make_env(env_id, {})
    _, info = env.reset(seed=1)
    call = {"name": info["tools"][0]["function"]["name"], "arguments": {}}
    env.step(call)
    other.reset(seed=2)
    other.restore(again(env.snapshot()))
    assert other.step(call) == env.step(call)


@pytest.mark.parametrize(
    "search", ["bm25", *(pytest.param(name, marks=pytest.mark.heavy) for name in ("ngram", "hybrid"))]
)
def test_every_way_to_search_pickles(search: str):
    env = make_env("stb/APIBankRetrieve-v1", {"search": search})
    assert gold(again(env), 3) == gold(env, 3)


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=lambda wrapper: wrapper.__name__)
def test_a_pickled_wrapper_plays_on_as_the_first(wrapper: Any):
    env = wrapper(make_env("stb/Sandbox-v1", {}))
    env.reset(seed=0)
    call = {"name": env.unwrapped.task.tools[0].name, "arguments": {}}
    env.step(call)
    copy = again(env)
    assert copy.step(call) == env.step(call)


def test_pickled_discrete_actions_offer_the_same():
    env = DiscreteActions(make_env("stb/Sandbox-v1", {}))
    env.reset(seed=0)
    copy = again(env)
    first, second = env.step(0), copy.step(0)
    assert str(first) == str(second)


def test_an_environment_with_models_pickles_without_their_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MY_KEY", "not-to-be-seen")
    table = 'base_url = "http://127.0.0.1:9/v1"\nmodel = "mine"\napi_key_env = "MY_KEY"\n'
    models = tmp_path / "models.toml"
    models.write_text(f"[models.simulator]\n{table}[models.judge]\n{table}", encoding="utf-8")
    env = make_env("stb/I1Instruction-v0", {"mode": "live", "models": str(models)})
    env.reset(seed=0)
    assert b"not-to-be-seen" not in pickle.dumps(env)
    assert again(env).rules.backend.fingerprint == env.rules.backend.fingerprint
