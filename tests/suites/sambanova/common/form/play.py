"""Plays one program against one task and returns the verdict flat."""

from __future__ import annotations

import ast
from typing import Any

import gymnasium as gym

import stb_env  # noqa: F401 (registers the ids)
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH

DONE = {"name": FINISH, "arguments": {"return_type": "give_answer", "final_answer": ""}}


def env_of(env_id: str, task: Task, **settings: Any) -> gym.Env[Any, Any]:
    env = gym.make(env_id, data=TaskSet([task]), **settings)
    env.reset(seed=0)
    return env


def judged(env_id: str, task: Task, *actions: Any, **settings: Any) -> dict[str, Any]:
    env = env_of(env_id, task, **settings)
    for action in actions[:-1]:
        assert not env.step(action)[2]
    _, reward, terminated, _, info = env.step(actions[-1])
    assert terminated
    verdict = info["verdict"]
    assert reward == verdict["score"] == float(verdict["metrics"]["success"])
    return verdict | verdict["metrics"]


def ends_with_search(program: str) -> bool:
    body = ast.parse(program).body
    return bool(body) and ast.unparse(body[-1]) == "API.search()"
