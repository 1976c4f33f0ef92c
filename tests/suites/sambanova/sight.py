"""Whether what decides an answer is in sight: the text that a model reads before it acts, and the gold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import gymnasium as gym

from stb_env.envs.tool_env import ToolEnv
from stb_env.suites.sambanova.few_shot import FewShotPrompt
from stb_env.tasks import Task

See = Callable[[Task], str]
"""Returns all that a model reads of a task."""

Want = Callable[[Task], Any]
"""Returns what is asked for, as a value whose ``repr`` tells different answers apart."""


def labels_of(task: Task) -> Any:
    """Return what the goal of a task accepts, or its gold calls where it does not name programs."""
    return task.goal.get("labels") or [(call.name, call.arguments) for call in task.gold]


def look_alikes(tasks: Iterable[Task], see: See, want: Want = labels_of) -> list[list[str]]:
    """Return the ids of tasks that read alike and ask for different things, group by group.

    A policy that only reads cannot do right by two tasks of a group: something that decides is out of sight.
    """
    groups: defaultdict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for task in tasks:
        groups[see(task)][repr(want(task))].append(task.id)
    return [[ids[0] for ids in wanted.values()] for wanted in groups.values() if len(wanted) > 1]


def observed(env_id: str, **settings: Any) -> See:
    """Return what shows a task as the environment's first observation, its tools included."""
    env = gym.make(env_id, **settings).unwrapped
    assert isinstance(env, ToolEnv)

    def see(task: Task) -> str:
        observation, _ = env.reset(seed=0, options={"task_id": task.id})
        assert env.task.key == task.key
        return "\n".join(str(observation[key]) for key in sorted(observation))

    return see


def prompted(env_id: str, **settings: Any) -> See:
    """Return what shows a task as the protocol's prompt, without documents and examples."""
    env = FewShotPrompt(gym.make(env_id, program=True, **settings), documents=0, examples=0)

    def see(task: Task) -> str:
        env.reset(seed=0, options={"task_id": task.id})
        return "\n".join(str(message["content"]) for message in env.question)

    return see
