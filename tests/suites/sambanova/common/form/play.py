"""Plays one program against one task and returns the verdict flat."""

from __future__ import annotations

import ast
import builtins
from typing import Any

import gymnasium as gym

import stb_env  # noqa: F401 (registers the ids)
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH

# What programs are read with: calls of methods, names for values, and sums, differences and products.
READ = (
    *(ast.Module, ast.Expr, ast.Assign, ast.Name, ast.Load, ast.Store, ast.Call, ast.keyword, ast.Attribute),
    *(ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult),
)
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
    assert reward == verdict["score"] == float(verdict["parts"]["success"])
    return verdict | verdict["parts"] | verdict["metrics"]


def ends_with_search(program: str) -> bool:
    body = ast.parse(program).body
    return bool(body) and ast.unparse(body[-1]) == "API.search()"


def unread(program: str) -> set[str]:
    """What a program has of Python that is not read: such programs are refused, though SambaNova runs them.

    See spec toolbench-tasks 14, on cases whose syntax is ``python``.
    """
    nodes = list(ast.walk(ast.parse(program.strip())))
    called = [
        node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    kinds = {type(node).__name__ for node in nodes if not isinstance(node, READ)}
    return kinds | (set(called) & set(dir(builtins)))
