"""What the cheats know of a task before they play it: how gold does it, and how gold does another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym

from stb_env.baselines.gold import Gold
from stb_env.envs.finish import read_finish
from stb_env.jsontypes import Json, JsonArray, JsonMapping
from stb_env.tasks import Task, TaskSource
from stb_env.tools import FINISH, ToolCall

_WORD = re.compile(r"\w+")
_NEIGHBOURS = 100
"""How many tasks are looked at for one that is like another."""


@runtime_checkable
class _Extensible(Protocol):
    def endless(self) -> TaskSource: ...


def final_answer(action: Json) -> str | None:
    """Return the answer that an action gives; None where it goes on.

    Examples:
        >>> final_answer({"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "4"}})
        '4'
        >>> final_answer({"name": "count", "arguments": {}}) is None
        True
    """
    if not isinstance(action, dict) or action.get("name") != FINISH:
        return None
    return read_finish(ToolCall(FINISH, action["arguments"])).answer


def gold_line(env: gym.Env[Any, Any], task_id: str, seed: int) -> tuple[JsonArray, str]:
    """Return what gold does in a task and what it answers; plays a copy, and leaves the environment alone."""
    inner: Any = env.unwrapped
    copy, agent = inner.fork(), Gold()
    observation: JsonMapping
    observation, info = copy.reset(seed=seed, options={"task_id": task_id})
    agent.reset(copy, seed)
    actions: JsonArray = []
    over = False
    while not over:
        action = agent.act(observation, info)
        answer = final_answer(action)
        if answer is not None:
            return actions, answer
        actions.append(action)
        observation, _, terminated, truncated, info = copy.step(action)
        over = terminated or truncated
    return actions, ""


def other_answer(env: gym.Env[Any, Any], seed: int) -> str:
    """Return how gold answers the task that is most like the running one; empty where there is no other."""
    inner: Any = env.unwrapped
    other = neighbour(env, inner.task)
    return "" if other is None else gold_line(env, other.id, seed)[1]


def neighbour(env: gym.Env[Any, Any], task: Task) -> Task | None:
    """Return the task of the same source whose query is most like that of a task; None where it is alone."""
    inner: Any = env.unwrapped
    words = _words(task.query)
    others = (one for one in _pool(inner.tasks) if one.query != task.query)
    return max(others, key=lambda one: _likeness(words, _words(one.query)), default=None)


def _likeness(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / (len(words | others) or 1)


@lru_cache(maxsize=4_096)
def _words(query: str) -> frozenset[str]:
    return frozenset(_WORD.findall(query.casefold()))


@lru_cache(maxsize=4)
def _pool(tasks: TaskSource) -> tuple[Task, ...]:
    return tuple(_drawn(tasks))


def _drawn(tasks: TaskSource) -> Iterator[Task]:
    """Yield tasks of a source; of one that also generates training tasks, some of those, too."""
    for index in range(min(tasks.size or _NEIGHBOURS, _NEIGHBOURS)):
        yield tasks.at(index)
    if tasks.size is not None and isinstance(tasks, _Extensible):
        endless = tasks.endless()
        for index in range(_NEIGHBOURS):
            yield endless.at(index)
