"""Steps of an episode: calls with their results, and the chat that they make."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.tools import PYTHON, Source, Status, ToolResult

_NOTHING: JsonMapping = {}
READS = "reads"
"""Names among a step's extras the calls that its judge asked for when the episode had ended."""


# Named tuples, not dataclasses: several are made on every step, and these cost a third as much.
class CallRecord(NamedTuple):
    """One executed (or refused) call with its result.

    Attributes:
        id: Identifies the call among those of its step.
        name: Tool name as written.
        arguments: Arguments after lossless coercion, or the raw text where they are no object.
        result: What came back.
        violations: Messages of every schema violation or coercion, in order.
    """

    id: str
    name: str
    arguments: JsonMapping | str
    result: ToolResult
    violations: tuple[JsonMapping, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return the form that ``info["calls"]`` and saved steps have; new objects each time.

        ``origin`` and ``key`` are there only where a cache answered, ``class`` only where an API was
        observed.
        """
        result = self.result
        data: JsonObject = {
            "id": self.id,
            "name": self.name,
            "arguments": _copy(self.arguments),
            "error": result.error,
            "response": result.response,
            "source": result.source,
            "status": int(result.status),
            "violations": [dict(violation) for violation in self.violations],
        }
        if result.origin:
            data["origin"] = result.origin
        if result.key:
            data["key"] = result.key
        if result.api_class:
            data["class"] = result.api_class
        return data

    @classmethod
    def from_dict(cls, data: JsonMapping) -> CallRecord:
        """Read the form that `to_dict` writes."""
        source: Source = data["source"]
        result = ToolResult.of(
            data["response"], error=data["error"], source=source, status=Status(data["status"])
        ).noted(origin=data.get("origin", ""), api_class=data.get("class", ""), key=data.get("key", ""))
        return cls(data["id"], data["name"], data["arguments"], result, tuple(data["violations"]))


def _copy(value: object) -> object:
    # Most are texts, and a check against an abstract class costs several times as much.
    if isinstance(value, str):
        return value
    if isinstance(value, (dict, Mapping)):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value


class ProgramRecord(NamedTuple):
    """A program that was run as an action, and what became of it.

    Attributes:
        id: Id of the native call that it stood in.
        code: The program.
        error: Why it did not reach its end; empty where it did.
        output: What it printed, and its last value.
    """

    id: str
    code: str
    error: str = ""
    output: str = ""

    def to_dict(self) -> JsonObject:
        """Return the form that ``info["program"]`` and saved steps have."""
        return {"id": self.id, "code": self.code, "error": self.error, "response": self.output}

    @classmethod
    def from_dict(cls, data: JsonMapping) -> ProgramRecord:
        """Read the form that `to_dict` writes."""
        return cls(data["id"], data["code"], data["error"], data["response"])


class Step(NamedTuple):
    """One action with everything that followed from it.

    Attributes:
        calls: The calls it made, in order.
        text: What the agent wrote besides the calls (a thought), or all of it where there was no call.
        result: The observation's ``result`` text.
        status: The highest status of its calls.
        reward: Reward of this step.
        terminated: Whether the episode ended by its own rules here.
        truncated: Whether it was cut off here.
        extra: What the engine gave with the action (token ids, logprobs, loss mask), kept as given.
        program: The program that made the calls, where actions are programs.
    """

    calls: tuple[CallRecord, ...]
    text: str = ""
    result: str = ""
    status: Status = Status.OK
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    extra: JsonMapping = _NOTHING
    program: ProgramRecord | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the step as plain data."""
        data: JsonObject = {
            "calls": [call.to_dict() for call in self.calls],
            "reward": self.reward,
            "terminated": self.terminated,
            "truncated": self.truncated,
        }
        if self.text:
            data["text"] = self.text
        if self.program is not None:
            data["program"] = self.program.to_dict()
        return data | dict(self.extra)


def messages(system: str, query: str, steps: Iterable[Step]) -> list[dict[str, object]]:
    """Render an episode as OpenAI chat messages; tool results are ``role: tool`` with JSON content.

    Args:
        system: System message; left out where empty.
        query: The user's message.
        steps: The steps so far.
    """
    chat: list[JsonObject] = [{"role": "system", "content": system}] if system else []
    chat.append({"role": "user", "content": query})
    for step in steps:
        chat.extend(_step_messages(step))
    return chat


def _step_messages(step: Step) -> Iterator[dict[str, object]]:
    assistant: JsonObject = {"role": "assistant", "content": step.text or None}
    if step.program is not None:
        function = {"name": PYTHON, "arguments": jsontext.dumps({"code": step.program.code})}
        assistant["tool_calls"] = [{"id": step.program.id, "type": "function", "function": function}]
        yield assistant
        yield {"role": "tool", "tool_call_id": step.program.id, "content": step.result}
        return
    if step.calls:
        assistant["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_text(call.arguments)},
            }
            for call in step.calls
        ]
    yield assistant
    for call in step.calls:
        yield {"role": "tool", "tool_call_id": call.id, "content": call.result.text}
    if step.calls:
        return
    if step.status is not Status.OK:
        # An action without a call gets its complaint as a user message: no call id exists to answer.
        yield {"role": "user", "content": step.result}
    elif not step.terminated:
        # The user of a conversation heard it, and said something back.
        yield {"role": "user", "content": json.loads(step.result)["response"]}


def arguments_text(arguments: JsonMapping | str) -> str:
    """Return the text form of arguments, as OpenAI messages carry it."""
    return arguments if isinstance(arguments, str) else jsontext.dumps(dict(arguments))
