"""Plays one program against one task and returns the verdict flat."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

import stb_env  # noqa: F401 (registers the ids)
from stb_env.suites.sambanova.common.form.api import FormApi
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


@dataclass(frozen=True, kw_only=True)
class FormCase:
    """What the tests of forms play.

    Attributes:
        env_id: Id of the environment.
        api: The form.
        build: Builds a task.
        programs: Programs of training tasks.
        start: First lines of the label.
        label: An accepted program.
        steps: Actions that make the label's calls one after another.
        spelled: Other programs that make the same calls.
        misspelled: Programs that make other calls.
        wrong: A call that fails after the start and can be made good.
        last: A call that fails after the search.
        stopping: Calls that fail after the start.
        first: Begins the error of a label that starts twice.
        differences: Programs, and whether each is executable and a success for the original and by default.
        errors: Actions, with status and error of the last.
        expected_by_default: Returns the default's figures of a recorded case; None where it cannot tell.
    """

    env_id: str
    api: FormApi
    build: Callable[..., Task]
    programs: list[str]
    start: str
    label: str
    steps: list[Any]
    spelled: Sequence[str]
    misspelled: list[str]
    wrong: str
    last: str
    stopping: Sequence[str]
    first: str
    differences: list[tuple[str, tuple[bool, bool], tuple[bool, bool]]]
    errors: list[tuple[list[Any], int, str]]
    expected_by_default: Callable[[dict[str, Any]], tuple[bool, bool] | None]

    def task(self, *labels: str) -> Task:
        return self.build("1", "test", "goal", (), labels or (self.label,))

    def env(self) -> gym.Env[Any, Any]:
        return env_of(self.env_id, self.task())

    def judged(self, *actions: Any, labels: Sequence[str] = (), **settings: Any) -> dict[str, Any]:
        return judged(self.env_id, self.task(*labels), *actions, **settings)
