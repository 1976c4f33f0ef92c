"""Queries that are declared with their solution and what checks an answer to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stb_env.actions import finish_arguments, parse_action
from stb_env.actions.validation import check_call
from stb_env.core.answers import object_schema, schema_of
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.declare.function import Function
from stb_env.envs.finish import finish_form
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.tasks import Task
from stb_env.tools import FINISH, ToolCall

Check = Callable[[Any, Any], Any]
"""Of the answer and the state at the end; returns what a judge may say (`stb_env.judges.own_judge`)."""

Gold = str | ToolCall | JsonMapping | Sequence[str | ToolCall | JsonMapping]
"""Calls in any form that `parse_action` reads."""

Reasons = Mapping[str, Sequence[str]]
"""What may be lacking, by the reason for which a request cannot be met."""


@dataclass(frozen=True, slots=True)
class Query:
    """A task as `task` declares it; see there.

    Attributes:
        schema: JSON Schema of the typed answer; None where the answer is text.
        answer: The right values, or None where a check or ``cannot`` decides.
        cannot: Why the request cannot be met, as Finish takes it.
    """

    text: str
    gold: Gold = ()
    check: Check | None = None
    schema: JsonMapping | None = None
    answer: JsonMapping | None = None
    cannot: JsonMapping | None = None
    id: str = ""
    state: Any = None
    group: str = ""
    split: str = "test"

    @property
    def is_open(self) -> bool:
        """True if it has no check, no answer and no ``cannot``."""
        return self.check is None and not self.answer and self.cannot is None


def task(
    query: str,
    *,
    gold: Gold = (),
    check: Check | None = None,
    answer: object = None,
    schema: Mapping[str, object] | None = None,
    cannot: tuple[str, Sequence[str]] | None = None,
    id: str = "",
    state: object = None,
    group: str = "",
    split: str = "test",
) -> Query:
    """Declare a task of an environment.

    Args:
        query: What the user asks.
        gold: Calls that solve it, in any form that an agent may write them, as in ``"add(title='milk')"``;
            one a line where it takes several. After the last one comes ``answer`` or ``cannot``, or else what
            that call answered.
        check: Of the answer and the state at the end: whether the task is solved, or its score from 0 to 1.
            May be ``async``. It is given the typed answer where the task has one (``cannot`` where
            that is declared), else the final text.
        answer: The right answer: values by name, as in ``{"count": 2, "due": "2026-03-09"}``; their types
            make the schema of what Finish takes, and `stb_env.core.answers` compares. A bare value is named
            ``answer``. With ``check`` too, both must hold.
        schema: JSON Schema of the answer in place of the one that the values suggest, with descriptions,
            enumerations or a ``tolerance``. Without ``answer`` the check alone decides.
        cannot: Why the request cannot be met, and what is lacking: ``("not_found", ["order"])``. The
            environment's ``cannot`` lists both.
        id: Its id; its number among the tasks where not given.
        state: State that it starts with in place of the environment's.
        group: Group that it belongs to.
        split: Split that it belongs to.

    Raises:
        ConfigError: It has no query, ``check`` cannot be called with an answer and a state, the answer is of
            no type that can be told, or the schema is none of an object.

    Examples:
        >>> task("How many items are open?", gold="count()", answer={"count": 3}).schema["properties"]
        {'count': {'type': 'integer'}}
        >>> task("How many items are open?", gold="count()", answer=3).answer
        {'answer': 3}
        >>> task("  ")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: a task needs a query, got '  '; say what the user asks
    """
    if not isinstance(query, str) or not query.strip():
        raise ConfigError(f"a task needs a query, got {query!r}; say what the user asks")
    if check is not None:
        _check_signature(check, query)
    if answer is not None and cannot is not None:
        raise ConfigError(f"the task {query[:60]!r} has answer= and cannot=; give the one that is right")
    values = answer if answer is None or isinstance(answer, Mapping) else {"answer": answer}
    if schema is not None:
        _check_schema(schema, query)
    elif values is not None:
        schema = schema_of(values)
    elif cannot is not None:
        schema = object_schema({})
    lacking = None if cannot is None else _lacking(cannot, query)
    return Query(query, gold, check, schema, values, lacking, id, state, group, split)


def _check_schema(schema: object, query: str) -> None:
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(properties, Mapping):
        raise ConfigError(
            f"schema of the task {query[:60]!r} is {schema!r:.80}, without properties; give the JSON Schema "
            "of an object, such as {'type': 'object', 'properties': {'count': {'type': 'integer'}}}"
        )
    for name, value in properties.items():
        tolerance = value.get("tolerance", 0) if isinstance(value, Mapping) else 0
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not tolerance >= 0:
            raise ConfigError(
                f"tolerance of {name!r} in the task {query[:60]!r} is {tolerance!r}; give a number from 0"
            )


def _check_signature(check: object, query: str) -> None:
    wanted = "give a function of answer and state"
    if not callable(check):
        raise ConfigError(f"check of the task {query[:60]!r} is {check!r}; {wanted}")
    try:
        signature = inspect.signature(check)
    except ValueError:
        # Some functions that are written in C do not tell.
        return
    try:
        signature.bind(None, None)
    except TypeError as error:
        raise ConfigError(
            f"check of the task {query[:60]!r} takes {signature}, which {error}; {wanted}"
        ) from error


def _lacking(cannot: object, query: str) -> dict[str, object]:
    match cannot:
        case [str() as reason, [*what]] if what and all(isinstance(each, str) for each in what):
            return {"reason": reason, "what": list(what)}
    raise ConfigError(
        f"cannot of the task {query[:60]!r} is {cannot!r}; give a reason and what is lacking, such as "
        "('not_found', ['order'])"
    )


def to_task(
    query: Query,
    task_id: str,
    suite: str,
    functions: Mapping[str, Function],
    reasons: Reasons | None = None,
) -> Task:
    """Return a declared query as a task, its gold calls checked against the tools.

    Raises:
        ConfigError: A gold call names no tool, or has arguments that it does not take; or the answer does
            not fit its schema.
    """
    calls = _calls(query.gold, task_id)
    made = [_checked(call, task_id, functions) for call in calls if call.name != FINISH]
    goal: JsonObject = {}
    if query.answer is not None:
        goal["answer"] = dict(query.answer)
    if query.cannot is not None:
        goal["cannot"] = query.cannot
    if query.check is not None:
        goal["check"] = getattr(query.check, "__qualname__", type(query.check).__name__)
    task = Task(
        task_id,
        query.text,
        tuple(function.tool for function in functions.values()),
        suite=suite,
        group=query.group,
        split=query.split,
        goal=goal,
        answer=query.schema,
        cannot=None if query.schema is None else reasons,
    )
    ending = next((call for call in calls if call.name == FINISH), _ending(query))
    return replace(task, gold=tuple(made if ending is None else [*made, _finish(ending, task)]))


def _ending(query: Query) -> ToolCall | None:
    if query.answer is not None:
        return ToolCall(FINISH, {"answer": dict(query.answer)})
    return None if query.cannot is None else ToolCall(FINISH, {"cannot": query.cannot})


def _finish(call: ToolCall, task: Task) -> ToolCall:
    """Return a Finish of gold as the task takes it."""
    form = finish_form(task)
    try:
        finish = form.read(call)
    except DataError as error:
        raise ConfigError(f"the schema of task {task.id!r} is broken: {error}") from error
    if finish.kind != "answer":
        raise ConfigError(
            f"the answer of task {task.id!r} is none that its Finish takes: {finish.problem or 'it gives up'}"
        )
    given = {"answer": finish.answer, "cannot": finish.cannot, "final_answer": finish.final_answer or None}
    arguments = {name: value for name, value in given.items() if value is not None}
    return ToolCall(FINISH, arguments or dict(finish_arguments(call)))


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
