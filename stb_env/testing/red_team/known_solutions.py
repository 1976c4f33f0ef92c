"""Knowledge of the cheats about a task before they play it: gold's solution, and that of another task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from stb_env.actions import Action, finish_arguments
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonArray, JsonMapping
from stb_env.runs.baselines.gold import Gold
from stb_env.tasks import Task, TaskSource
from stb_env.testing.red_team.evidence import Ending
from stb_env.tools import FINISH, ToolCall

_WORD = re.compile(r"\w+")
_COURTESY = (
    "Okay, great. You're welcome. We are glad to help you. Thanks, thank you. "
    "Have a nice, good day. Goodbye, bye."
)
_NEIGHBOURS = 100
"""How many tasks are looked at for one that is like another."""
_TRIED = 8
"""How many of the likest are played for an answer to offer beside the right one."""


@runtime_checkable
class _Extensible(Protocol):
    def endless(self) -> TaskSource: ...


def final_answer(action: object) -> Ending | None:
    """Return the arguments of the Finish that an action is; None where it goes on.

    Examples:
        >>> final_answer({"name": "Finish", "arguments": {"final_answer": "4"}})
        {'final_answer': '4'}
        >>> final_answer({"name": "count", "arguments": {}}) is None
        True
    """
    if not isinstance(action, dict) or action.get("name") != FINISH:
        return None
    return dict(finish_arguments(ToolCall(FINISH, action["arguments"])))


def gold_line(env: AnyEnv, task_id: str, seed: int) -> tuple[list[object], Ending]:
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
    return actions, {}


def other_answer(env: AnyEnv, seed: int) -> Ending:
    """Return how gold answers the task most like the running one; empty where none of the likest will do.

    An answer that only takes leave is passed over, and so are one to the very calls that gold makes here
    and the end of a dialogue that rests on one of them: beside gold's own words none would be false.
    """
    inner: Any = env.unwrapped
    actions, _ = gold_line(env, inner.task.id, seed)
    for other in islice(_likest(env, inner.task), _TRIED):
        others, answer = gold_line(env, other.id, seed)
        same = same_calls(others, actions)
        if (
            states_something(str(answer.get("final_answer", "")))
            and not same
            and not _rests_on(others, actions)
        ):
            return answer
    return {}


def states_something(text: str) -> bool:
    """Return whether a text says more than that its speaker is polite.

    Examples:
        >>> states_something("You are welcome. Goodbye!"), states_something("You are welcome in Oslo.")
        (False, True)
    """
    return not _words(text) <= _words(_COURTESY)


def same_calls(calls: Sequence[object], others: Sequence[object]) -> bool:
    """Return whether two lines make the same calls, argument for argument, in whatever order.

    Examples:
        >>> same_calls(["a", "b"], ["b", "a"]), same_calls(["a", "a"], ["a"]), same_calls([], [])
        (True, False, True)
    """
    rest = list(others)
    for call in calls:
        if call not in rest:
            return False
        rest.remove(call)
    return not rest


def _rests_on(others: Sequence[object], actions: Sequence[object]) -> bool:
    """Return whether one of two lines is a dialogue, and the first ends with a call of the second."""
    if not any(isinstance(each, Action) for each in (*others, *actions)):
        return False
    return bool(others) and others[-1] in actions


def neighbour(env: AnyEnv, task: Task) -> Task | None:
    """Return the task of the same source whose query is most like that of a task; None where it is alone."""
    return next(_likest(env, task), None)


def _likest(env: AnyEnv, task: Task) -> Iterator[Task]:
    """Yield the other tasks of the same source, those with the query most like that of a task first."""
    inner: Any = env.unwrapped
    words = _words(task.query)
    others = (one for one in _pool(inner.tasks) if one.query != task.query)
    yield from sorted(others, key=lambda one: -_likeness(words, _words(one.query)))


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
