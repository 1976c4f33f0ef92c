"""Wire form of actions and tasks between a server of sessions and its client, as plain data."""

from __future__ import annotations

import json
from collections.abc import Sequence

from stb_env.actions import Action, Program
from stb_env.actions.action import MAX_CALLS
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from stb_env.trajectory import CallRecord

READ = "read"
"""Name under which an action travels that was read already, in place of ``action``."""

_NOTES = ("problem", "written")


def encoded(value: object) -> bytes:
    r"""Return a value as JSON in ASCII: lone surrogates, which UTF-8 cannot hold, come through.

    Examples:
        >>> encoded({"said": "\ud800"})
        b'{"said":"\\ud800"}'
    """
    return json.dumps(value, separators=(",", ":")).encode()


def action_data(action: object) -> dict[str, object]:
    """Return the part of a request that holds an action.

    Examples:
        >>> action_data("hello"), action_data(Action((), "hello"))
        ({'action': 'hello'}, {'read': {'calls': [], 'text': 'hello', 'thought': ''}})
    """
    if not isinstance(action, Action):
        return {"action": action}
    calls = [_call_data(call) for call in action.calls]
    read: JsonObject = {"calls": calls, "text": action.text, "thought": action.thought}
    if action.program is not None:
        read["program"] = action.program._asdict()
    read |= {name: text for name in _NOTES if (text := getattr(action, name))}
    return {READ: read}


def read_action(data: JsonMapping) -> object:
    """Return the action that a request holds.

    Raises:
        DataError: An action that was read already is not of the form that `action_data` writes.

    Examples:
        >>> read_action(action_data(Action((), "hello"))).text
        'hello'
    """
    if READ not in data:
        return data.get("action", "")
    try:
        read = data[READ]
        calls = tuple(read_call(call) for call in read["calls"])
        text, thought = _text(read["text"]), _text(read["thought"])
        written = read.get("program")
        program = None if written is None else Program(_text(written["code"]), _text(written["id"]))
        notes = {name: _text(read.get(name, "")) for name in _NOTES}
    except (KeyError, TypeError) as error:
        raise DataError(
            f"{READ} holds calls, text and thought of an action ({error!r:.100}); send action"
        ) from None
    if len(calls) > MAX_CALLS:
        raise DataError(f"an action has at most {MAX_CALLS} calls, got {len(calls)}")
    return Action(calls, text, thought, program, **notes)


def task_data(task: Task, *, answers: bool) -> dict[str, object]:
    """Return a task as plain data.

    Args:
        task: The task.
        answers: Whether it comes with what solves it: gold calls, what the verifier checks, its record.
    """
    data: JsonObject = {
        "id": task.id,
        "query": task.query,
        "tools": [_tool_data(tool, answers=answers) for tool in task.tools],
        "suite": task.suite,
        "group": task.group,
        "split": task.split,
        "relevant": [list(identity) for identity in task.relevant] if answers else [],
        # The form of the answer, which every agent sees.
        "answer": task.answer,
        "cannot": task.cannot,
    }
    if answers:
        data["gold"] = [_call_data(call) for call in task.gold]
        data |= {"goal": dict(task.goal), "record": dict(task.record)}
    return data


def read_task(data: JsonMapping) -> Task:
    """Return the task that plain data describe.

    Examples:
        >>> from stb_env.testing.notes import TASKS
        >>> read_task(json.loads(encoded(task_data(TASKS[0], answers=True)))) == TASKS[0]
        True
        >>> read_task(task_data(TASKS[0], answers=False)).gold
        ()
    """
    return Task(
        data["id"],
        data["query"],
        tuple(_tool(tool) for tool in data["tools"]),
        suite=data["suite"],
        group=data["group"],
        split=data["split"],
        relevant=tuple(ToolId(*identity) for identity in data["relevant"]),
        gold=tuple(read_call(call) for call in data.get("gold", ())),
        goal=data.get("goal", {}),
        record=data.get("record", {}),
        answer=data["answer"],
        cannot=data["cannot"] and {reason: tuple(whats) for reason, whats in data["cannot"].items()},
        # The server's own environment has checked it, or has it as another program made it.
        checked=False,
    )


def texts_of(calls: Sequence[CallRecord]) -> list[str] | None:
    """Return the texts of results, where one is not what its error and response are written as."""
    texts = [call.result.text for call in calls]
    written = [
        jsontext.dumps({"error": call.result.error, "response": call.result.response}) for call in calls
    ]
    return None if texts == written else texts


def result_data(result: ToolResult) -> dict[str, object]:
    """Return a result as an oracle needs it."""
    return {"response": result.response, "error": result.error, "source": result.source}


def _tool_data(tool: Tool, *, answers: bool) -> dict[str, object]:
    data: JsonObject = {**json.loads(tool.spec)["function"], "id": list(tool.id)}
    return {**data, "record": dict(tool.record)} if answers else data


def _tool(data: JsonMapping) -> Tool:
    return Tool(
        data["name"],
        data["description"],
        data["parameters"],
        ToolId(*data["id"]),
        data.get("record", {}),
        checked=False,
    )


def _call_data(call: ToolCall) -> dict[str, object]:
    arguments = call.arguments if isinstance(call.arguments, str) else dict(call.arguments)
    return {"name": call.name, "arguments": arguments, "id": call.id}


def read_call(data: JsonMapping) -> ToolCall:
    """Return the call that plain data describe.

    Raises:
        KeyError: A part is missing.
        TypeError: A part is of another type.
    """
    arguments = data["arguments"]
    if not isinstance(arguments, str | dict):
        raise TypeError("arguments are an object or a text")
    return ToolCall(_text(data["name"]), arguments, _text(data["id"]))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} where a text belongs")
    return value
