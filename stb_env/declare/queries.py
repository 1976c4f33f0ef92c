"""Queries that are declared with their solution and what checks an answer to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stb_env.actions import finish_arguments, parse_action
from stb_env.declare.function import Function
from stb_env.errors import ConfigError, did_you_mean
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.tasks import Task
from stb_env.tools import FINISH, ToolCall
from stb_env.validation import check_call

Check = Callable[[str, Any], Any]
"""Of the final answer and the state at the end; returns what a judge may say (`stb_env.judges.own_judge`)."""

Gold = str | ToolCall | JsonMapping | Sequence[str | ToolCall | JsonMapping]
"""Calls in any form that `parse_action` reads."""


@dataclass(frozen=True, slots=True)
class Query:
    """What `task` declares; see there."""

    text: str
    gold: Gold = ()
    check: Check | None = None
    answer: str | float | None = None
    id: str = ""
    state: Any = None
    group: str = ""
    split: str = "test"


def task(
    query: str,
    *,
    gold: Gold = (),
    check: Check | None = None,
    answer: str | float | None = None,
    id: str = "",
    state: Any = None,
    group: str = "",
    split: str = "test",
) -> Query:
    """Declare a task of an environment.

    Args:
        query: What the user asks.
        gold: Calls that solve it, in any form that an agent may write them, as in ``"add(title='milk')"``;
            one a line where it takes several. After the last one comes ``answer``, or else what that call
            answered.
        check: Of the final answer and the state at the end: whether the task is solved, or its score from
            0 to 1. May be ``async``.
        answer: The right answer. Case, blanks around it and the form of a number do not matter; any other
            word does. With ``check`` too, both must hold.
        id: Its id; its number among the tasks where not given.
        state: State that it starts with in place of the environment's.
        group: Group that it belongs to.
        split: Split that it belongs to.

    Raises:
        ConfigError: It has no query, or ``check`` cannot be called.

    Examples:
        >>> task("How many items are open?", gold="count()", answer=3).answer
        3
        >>> task("  ")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a task needs a query, got '  '; say what the user asks
    """
    if not isinstance(query, str) or not query.strip():
        raise ConfigError(f"a task needs a query, got {query!r}; say what the user asks")
    if check is not None and not callable(check):
        raise ConfigError(
            f"check of the task {query[:60]!r} is {check!r}; give a function of answer and state"
        )
    return Query(query, gold, check, answer, id, state, group, split)


def to_task(query: Query, task_id: str, suite: str, functions: Mapping[str, Function]) -> Task:
    """Return a declared query as a task, its gold calls checked against the tools.

    Raises:
        ConfigError: A gold call names no tool, or has arguments that it does not take.
    """
    calls = [_checked(call, task_id, functions) for call in _calls(query.gold, task_id)]
    if query.answer is not None and not any(call.name == FINISH for call in calls):
        calls.append(_finish(str(query.answer)))
    goal: JsonObject = {} if query.answer is None else {"answer": query.answer}
    if query.check is not None:
        goal["check"] = getattr(query.check, "__qualname__", type(query.check).__name__)
    return Task(
        task_id,
        query.text,
        tuple(function.tool for function in functions.values()),
        suite=suite,
        group=query.group,
        split=query.split,
        gold=tuple(calls),
        goal=goal,
    )


def _calls(gold: Gold, task_id: str) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for part in (gold,) if isinstance(gold, str | Mapping | ToolCall) else gold:
        read = (part,) if isinstance(part, ToolCall) else parse_action(part).calls
        if part and not read:
            raise ConfigError(
                f"gold of task {task_id!r} holds no call: {str(part)[:80]!r}; write calls as "
                "name(argument='value'), one a line"
            )
        calls += read
    return calls


def _checked(call: ToolCall, task_id: str, functions: Mapping[str, Function]) -> ToolCall:
    if call.name == FINISH:
        return _finish(str(finish_arguments(call).get("final_answer", "")))
    function = functions.get(call.name)
    if function is None:
        near = did_you_mean(call.name, functions)
        raise ConfigError(
            f"gold of task {task_id!r} calls {call.name!r}, which is none of the tools "
            f"({', '.join(functions)}).{near}"
        )
    checked = check_call(call, function.tool)
    if checked.violations:
        problems = "; ".join(violation.message for violation in checked.violations)
        raise ConfigError(f"gold of task {task_id!r} calls {call.name!r} with wrong arguments: {problems}")
    return ToolCall(call.name, checked.arguments)


def _finish(answer: str) -> ToolCall:
    return ToolCall(FINISH, {"return_type": "give_answer", "final_answer": answer})
