"""Queries that are declared with their solution and what checks an answer to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Annotated, Any, get_type_hints

from stb_env.actions import finish_arguments, parse_action
from stb_env.core.answers import object_schema, schema_of
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.kinds import Named
from stb_env.core.settings import checks_settings
from stb_env.core.signatures import function_of
from stb_env.declare.check_calls import check_tools, checked_call
from stb_env.declare.json_values import plain
from stb_env.envs.finish import finish_form
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.judges.checks import Called, Check, InOrder, NotCalled, StateRead, Words
from stb_env.judges.judge import Case
from stb_env.tasks import Task
from stb_env.tools import FINISH, Tool, ToolCall

CheckFunction = Callable[..., Any]
"""Of the answer and the state at the end, or of the case; returns what a judge may say
(`stb_env.judges.own_judge`)."""

Checks = Annotated[
    CheckFunction | Check | Sequence[CheckFunction | Check],
    Named("a function, one of stb_env.checks or a list of them"),
]

Lacking = Annotated[
    tuple[str, Sequence[str]], Named("a reason and what is lacking, such as ('not_found', ['order'])")
]

Event = Callable[[Any], Any]
"""Of the state, which it changes or whose successor it returns."""

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
        checks: Checks of what was done and said, each of which must hold.
        tools: Names of the tools that it offers; None for all.
        events: What happens before a call, by the number of the call.
    """

    text: str
    gold: Gold = ()
    check: CheckFunction | None = None
    schema: JsonMapping | None = None
    answer: JsonMapping | None = None
    cannot: JsonMapping | None = None
    id: str = ""
    state: Any = None
    group: str = ""
    split: str = "test"
    checks: tuple[Check, ...] = ()
    tools: tuple[str, ...] | None = None
    policy: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    today: date | None = None
    events: Mapping[int, Event] = field(default_factory=dict)

    def of_split(self, split: str) -> Query:
        """Return the same query in another split."""
        return replace(self, split=split)

    @property
    def is_open(self) -> bool:
        """True if it has no check, no answer and no ``cannot``."""
        return self.check is None and not self.checks and not self.answer and self.cannot is None


@checks_settings
def task(
    query: str,
    *,
    gold: Gold = (),
    check: Checks | None = None,
    answer: object = None,
    schema: Mapping[str, object] | None = None,
    cannot: Lacking | None = None,
    id: str = "",
    state: object = None,
    group: str = "",
    split: str = "test",
    tools: Sequence[str | Callable[..., object]] | None = None,
    policy: str = "",
    facts: Mapping[str, object] | None = None,
    today: date | str | None = None,
    events: Mapping[int, Event] | None = None,
) -> Query:
    """Declare a task of an environment.

    Args:
        query: What the user asks.
        gold: Calls that solve it, in any form that an agent may write them, as in ``"add(title='milk')"``;
            one a line where it takes several. After the last one comes ``answer`` or ``cannot``, or else what
            that call answered.
        check: A function of the answer and the state at the end, or of the case alone (a parameter called
            ``case``, or hinted `Case`): whether the task is solved, its score from 0 to 1, or whether each
            part of it is, by name. May be ``async``. The answer is the typed one where the task has one
            (``cannot`` where that is declared), else the final text. Or a check of `stb_env.checks`, or a
            list of these with one function at most; each must hold.
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
        tools: Tools that it offers, as names or functions; all of the environment where not given.
        policy: What its agent is told beside the usual.
        facts: What the user knows and the query does not say, by what it is called: agents ask with the tool
            ``ask_user``. A value may be any JSON.
        today: Its day, for tools and checks that take the clock.
        events: What others do, by the number of the call before which it happens: functions of the state.

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
    function, checks = _parted(check, query)
    if answer is not None and cannot is not None:
        raise ConfigError(f"the task {query[:60]!r} has answer= and cannot=; give the one that is right")
    values = answer if answer is None or isinstance(answer, Mapping) else {"answer": answer}
    if schema is not None:
        _check_schema(schema, query)
    elif values is not None:
        schema = schema_of(values)
    elif cannot is not None:
        schema = object_schema({})
    for name, text in (("id", id), ("split", split), ("group", group)):
        if not text.isprintable() or text.strip() != text or (name == "split" and not text):
            raise ConfigError(f"{name} of the task {query[:60]!r} is {text!r:.60}; give a name in one line")
    lacking = None if cannot is None else _lacking(cannot, query)
    names = (
        None if tools is None else tuple(each if isinstance(each, str) else each.__name__ for each in tools)
    )
    return Query(
        query,
        gold,
        function,
        schema,
        values,
        lacking,
        id,
        state,
        group,
        split,
        checks,
        names,
        policy,
        _facts(facts, query),
        a_day(today, f"today of the task {query[:60]!r}"),
        _events(events, query),
    )


def a_day(today: date | str | None, what: str) -> date | None:
    """Return a day.

    Raises:
        ConfigError: It is none.
    """
    if today is None or isinstance(today, date):
        return today
    try:
        return date.fromisoformat(today)
    except (TypeError, ValueError):
        raise ConfigError(f"{what} is {today!r:.40}; give a date, as in '2026-03-09'") from None


def _events(events: Mapping[int, Event] | None, query: str) -> Mapping[int, Event]:
    found = {} if events is None else dict(events)
    for call, event in found.items():
        if type(call) is not int or call < 1:
            raise ConfigError(
                f"events of the task {query[:60]!r} have {call!r:.60}; give each by the number of the call "
                "before which it happens, from 1"
            )
        expected = f"the event before call {call} of the task {query[:60]!r} is a function of the state"
        function_of(event, ["state"], expected)
    return found


def _facts(facts: Mapping[str, object] | None, query: str) -> dict[str, Any]:
    found = {} if facts is None else dict(facts)
    try:
        if not all(isinstance(name, str) for name in found):
            raise TypeError("no names")
        plain(found)
    except (TypeError, ValueError, RecursionError):
        raise ConfigError(
            f"facts of the task {query[:60]!r} are {facts!r:.60}; give JSON values by what each is called"
        ) from None
    return found


def _parted(check: Any, query: str) -> tuple[CheckFunction | None, tuple[Check, ...]]:
    """Return the function and the records of what a task gives as its check."""
    given = [] if check is None else list(check) if isinstance(check, list | tuple) else [check]
    records = [one for one in given if isinstance(one, Called | NotCalled | InOrder | StateRead | Words)]
    functions = [one for one in given if one not in records]
    for one in functions:
        _check_signature(one, query)
    if len(functions) > 1:
        raise ConfigError(
            f"the task {query[:60]!r} has {len(functions)} functions as checks; give one that asks all"
        )
    return next(iter(functions), None), tuple(records)


def takes_case(check: CheckFunction) -> bool:
    """Return whether a check is a function of the case alone."""
    try:
        parameters = list(inspect.signature(check).parameters.values())
    except ValueError:
        return False
    needed = [each for each in parameters if each.default is each.empty]
    return len(needed) == 1 and (needed[0].name == "case" or _hint_of(check, needed[0].name) is Case)


def _hint_of(check: CheckFunction, name: str) -> object:
    try:
        return get_type_hints(check).get(name)
    except (NameError, TypeError):
        return None


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
    expected = f"check of the task {query[:60]!r} is a function of answer and state, or of case"
    if callable(check) and not isinstance(check, type) and takes_case(check):
        return
    function = function_of(check, ["answer", "state"], expected)
    with suppress(ValueError):
        if list(inspect.signature(function).parameters)[:2] == ["state", "answer"]:
            raise ConfigError(f"{expected}; the answer comes first")


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
    tools: Mapping[str, Tool],
    offered: Sequence[Tool],
    reasons: Reasons | None = None,
) -> Task:
    """Return a declared query as a task, its gold calls and checks compared with the tools.

    Args:
        query: The query.
        task_id: Id of the task.
        suite: Name of its suite.
        tools: All tools that there are, by name.
        offered: Those that the task offers.
        reasons: What may be lacking, by the reason for which a request cannot be met.

    Raises:
        ConfigError: A gold call or a check names no tool, or has arguments that it does not take; or the
            answer does not fit its schema.
    """
    known = {tool.name: tool for tool in offered}
    calls = _calls(query.gold, task_id)
    made = [checked_call(call, f"gold of task {task_id!r}", known) for call in calls if call.name != FINISH]
    check_tools(query.checks, f"a check of task {task_id!r}", tools, known)
    goal: JsonObject = {}
    if query.answer is not None:
        goal["answer"] = dict(query.answer)
    if query.cannot is not None:
        goal["cannot"] = query.cannot
    if query.check is not None:
        goal["check"] = getattr(query.check, "__qualname__", type(query.check).__name__)
    if query.checks:
        goal["checks"] = [check.form for check in query.checks]
    task = Task(
        task_id,
        query.text,
        tuple(offered),
        suite=suite,
        group=query.group,
        split=query.split,
        goal=goal,
        record={"knows": {name: [value] for name, value in query.facts.items()}} if query.facts else {},
        answer=query.schema,
        cannot=None if query.schema is None else reasons,
    )
    # Gold may have a Finish of its own; the right answer must be one that can be given all the same.
    endings = [call for call in (*calls, _ending(query)) if call is not None and call.name == FINISH]
    made += [_finish(call, task) for call in endings][:1]
    _check_names(query, task_id)
    return replace(task, gold=tuple(made))


def _ending(query: Query) -> ToolCall | None:
    if query.answer is not None:
        return ToolCall(FINISH, {"answer": dict(query.answer)})
    return None if query.cannot is None else ToolCall(FINISH, {"cannot": query.cannot})


def _check_names(query: Query, task_id: str) -> None:
    properties = {} if query.schema is None else query.schema["properties"]
    for name in query.answer or ():
        if name not in properties:
            raise ConfigError(
                f"the answer of task {task_id!r} has {name!r}, and its schema has "
                f"{', '.join(properties) or 'no properties'}.{did_you_mean(name, properties)}"
            )


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
