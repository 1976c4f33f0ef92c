"""Environments travel to other processes: each id, split and mode, wherever an episode stands."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from stb_env.runs.baselines import load_agent
from stb_env.runs.make import make_env
from stb_env.suites.sambanova.few_shot import FewShotPrompt
from stb_env.suites.sambanova.tasks import SUITE

IDS = sorted({task.env_id for task in SUITE.values()})
MODES: list[dict[str, Any]] = [
    {},
    {"program": True},
    {"compat": "original"},
    {"program": True, "compat": "original"},
]
CASES = [
    (env_id, {"split": split, **mode})
    for env_id in IDS
    for split in ("test", "train")
    for mode in MODES
    # In the original's shop an action is one line.
    if (env_id, len(mode)) != ("stb/WebShop-v1", 2)
]
ODD = ["no program", {"name": "no_such_tool", "arguments": {}}]


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value, protocol=5))


def solution(env_id: str, settings: dict[str, Any], seed: int) -> list[Any]:
    """Return the actions that solve the task which an environment draws with a seed."""
    env = make_env(env_id, settings | {"program": False})
    observation, info = env.reset(seed=seed)
    agent = load_agent("gold")()
    agent.reset(env, seed)
    actions: list[Any] = []
    terminated = False
    while not terminated:
        actions.append(agent.act(observation, info))
        observation, _, terminated, _, info = env.step(actions[-1])
    return actions


def played(env: gym.Env[Any, Any], actions: list[Any]) -> bytes:
    """Play on to the end of the episode and into the next one; return all that can be seen, to the byte."""
    seen: list[Any] = []
    for action in actions:
        seen.append(env.step(action))
        if seen[-1][2] or seen[-1][3]:
            break
    seen.append(env.reset())
    return repr(seen).encode()


@pytest.mark.parametrize(("env_id", "settings"), CASES, ids=str)
def test_an_environment_goes_on_elsewhere_wherever_its_episode_stands(env_id: str, settings: dict[str, Any]):
    actions = solution(env_id, settings, 3)
    env = make_env(env_id, settings)
    before = again(env)
    assert before.reset(seed=3) == env.reset(seed=3)
    assert played(before, actions) == played(again(env), actions)
    # A whole program is the first action and the last.
    *steps, last = actions[:1] if settings.get("program") else [*ODD, *actions]
    for action in steps:
        env.step(action)
        copy = again(env)
        assert (copy.snapshot(), copy.messages) == (env.snapshot(), env.messages)
    assert played(again(env), [last]) == played(env, [last])


@pytest.mark.parametrize("chat", ["none", "tags", "turns"])
@pytest.mark.parametrize("task", SUITE)
def test_a_prompted_environment_goes_on_elsewhere(task: str, chat: Any):
    settings = {} if SUITE[task].is_stepwise else {"program": True}
    env = FewShotPrompt(gym.make(SUITE[task].env_id, **settings), task=task, chat=chat)
    copy = again(env)
    assert copy.reset(seed=3) == env.reset(seed=3)
    actions = solution(SUITE[task].env_id, {}, 3)
    for action in actions[:-1] if SUITE[task].is_stepwise else []:
        env.step(action)
        copy = again(env)
        assert (copy.question, copy.messages) == (env.question, env.messages)
    assert played(again(env), actions[-1:]) == played(env, actions[-1:])


def test_official_prompt_texts_travel_with_the_environment(tmp_path: Path):
    (tmp_path / "functions").mkdir()
    (tmp_path / "test.jsonl").write_text('{"prompt": "Find", "completion": ["API.search()"]}\n')
    (tmp_path / "functions" / "search").write_text("# Searches everything.\nAPI.search()")
    data = pickle.dumps(FewShotPrompt(gym.make("stb/HomeSearch-v1"), data=tmp_path), protocol=5)
    (tmp_path / "functions" / "search").unlink()
    env = pickle.loads(data)
    env.reset(seed=0)
    assert "# Searches everything.\nAPI.search()\n" in env.question[0]["content"]


def test_a_pickle_names_the_texts_of_its_prompts_and_holds_none():
    env = FewShotPrompt(gym.make("stb/VirtualHome-v1"))
    bare = len(pickle.dumps(env.unwrapped, protocol=5))
    assert len(pickle.dumps(env, protocol=5)) < bare + 4_000


@pytest.mark.heavy
def test_a_new_process_goes_on_as_this_one_does(tmp_path: Path):
    envs = [gym.make(env_id) for env_id in IDS]
    for env in envs:
        env.reset(seed=3)
    (tmp_path / "envs").write_bytes(pickle.dumps(envs, protocol=5))
    code = (
        "import pickle, sys; print([env.step('no program') for env in pickle.load(open(sys.argv[1], 'rb'))])"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "envs")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"{[env.step('no program') for env in envs]}\n"
