"""Tools and calls as plain text, for models whose chat template shows them neither."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from stb_env.actions import parse_action
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.request import Slow
from stb_env.models.chat import ChatReply, ChatRequest, Sampling
from stb_env.models.contract import SAY, calls, converses
from stb_env.models.model import WrappedModel, ask, fingerprint
from stb_env.models.prompting import prompt
from stb_env.tools import ToolCall

Spelling = Literal["react", "json"]
"""ReAct text (Yao et al., 2023), or one JSON object a reply, which a server's grammar can enforce."""

_PROMPTS = {"react": ("react", "v2"), "json": ("calls_as_json", "v1")}
_OBSERVATION = "Observation:"
_WORDS = f' To say something to the user instead, write {{"{SAY}": ...}}.'


def write_request(request: ChatRequest, spelling: Spelling) -> ChatRequest:
    """Return a request whose tools, earlier calls and results stand in the text of its messages.

    A message is written alike whatever follows it, so a conversation's requests still extend one another.

    Examples:
        >>> ping = {"type": "function", "function": {"name": "ping", "parameters": {}}}
        >>> asked = ChatRequest([{"role": "user", "content": "Ping it."}], [ping])
        >>> written = write_request(asked, "json")
        >>> written.tools, [message["role"] for message in written.messages]
        ((), ['system', 'user'])
        >>> written.response_format["type"]
        'json_schema'
    """
    lines = "\n".join(jsontext.dumps(tool.get("function", tool)) for tool in request.tools)
    talks = spelling == "json" and converses(request.tools)
    words = {"words": _WORDS if talks else ""} if spelling == "json" else {}
    system = prompt(*_PROMPTS[spelling]).render(tools=lines, **words)
    written = replace(
        request,
        messages=tuple(_merged([*_opened(request.messages, system, spelling, talks)])),
        tools=(),
        tool_choice=None,
        contract=None,
    )
    if spelling == "json":
        return replace(written, response_format=calls(request.tools).response_format)
    return replace(written, sampling=_stopped(request.sampling))


def read_written(reply: ChatReply, tools: Sequence[JsonMapping]) -> ChatReply:
    r"""Return a reply with the calls of known tools that its text holds as OpenAI's tool calls.

    Examples:
        >>> ping = {"function": {"name": "ping"}}
        >>> reply = read_written(ChatReply({"content": 'Action: ping\nAction Input: {"n": 1}'}), [ping])
        >>> reply.tool_calls[0]["function"], reply.finish_reason
        ({'name': 'ping', 'arguments': '{"n": 1}'}, 'tool_calls')
        >>> read_written(ChatReply({"content": "Hello."}), [ping]).text
        'Hello.'
    """
    if reply.tool_calls:
        return reply
    known = {tool["function"]["name"] for tool in tools}
    action = parse_action(reply.text)
    if not action.calls or not all(call.name in known for call in action.calls):
        said = _said(reply.text)
        return reply if said is None else replace(reply, message={**reply.message, "content": said})
    message = {"role": "assistant", "content": action.text, "tool_calls": [*map(_openai, action.calls)]}
    reason = "tool_calls" if reply.finish_reason == "stop" else reply.finish_reason
    return replace(reply, message=message, finish_reason=reason)


class ReactModel(WrappedModel):
    r"""Has tools written into the text of every request, and reads the calls out of ReAct text.

    Args:
        model: Answers; needs no function calling.

    Examples:
        >>> from stb_env import ScriptedModel
        >>> ping = {"type": "function", "function": {"name": "ping", "parameters": {}}}
        >>> model = ReactModel(ScriptedModel(["Thought: Try.\nAction: ping\nAction Input: {}"]))
        >>> reply = model.complete(ChatRequest([{"role": "user", "content": "Ping it."}], [ping]))
        >>> reply.text, reply.tool_calls[0]["function"]["name"]
        ('Try.', 'ping')
    """

    @property
    def fingerprint(self) -> dict[str, object]:
        """Settings that decide the answers of the model inside, and the style."""
        return {**fingerprint(self.model), "style": "react"}

    def answer(self, request: ChatRequest) -> Slow[ChatReply]:
        """Ask the model inside; what has no tools goes as it is."""
        written = write_request(request, "react") if request.tools else request
        reply: ChatReply = yield ask(self.model, written)
        return read_written(reply, request.tools) if request.tools else reply


def _opened(
    messages: Sequence[Mapping[str, object]], system: str, spelling: Spelling, talks: bool
) -> Iterator[dict[str, object]]:
    rest = list(messages)
    if rest and rest[0]["role"] == "system":
        system = f"{rest.pop(0).get('content') or ''}\n\n{system}"
    yield {"role": "system", "content": system}
    for message in rest:
        yield _plain(message, spelling, talks)


def _plain(message: JsonMapping, spelling: Spelling, talks: bool) -> dict[str, object]:
    content = message.get("content") or ""
    if message["role"] == "tool":
        return {"role": "user", "content": f"{_OBSERVATION} {content}"}
    if not message.get("tool_calls"):
        if message["role"] == "assistant" and talks:
            content = jsontext.dumps({SAY: content})
        return {"role": message["role"], "content": content}
    functions = [call["function"] for call in message["tool_calls"]]
    write = _react if spelling == "react" else _json
    return {"role": "assistant", "content": write(content, functions)}


def _react(thought: str, functions: Sequence[JsonMapping]) -> str:
    lines = [f"Thought: {thought}"] if thought else []
    for function in functions:
        lines += [f"Action: {function['name']}", f"Action Input: {function['arguments']}"]
    return "\n".join(lines)


def _json(_thought: str, functions: Sequence[JsonMapping]) -> str:
    return "\n".join(
        f'{{"name": {jsontext.dumps(function["name"])}, "arguments": {function["arguments"]}}}'
        for function in functions
    )


def _merged(messages: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Yield the messages, user messages in a row as one: many templates demand that roles alternate."""
    pending: JsonObject | None = None
    for message in messages:
        if pending and pending["role"] == message["role"] == "user":
            pending = {"role": "user", "content": f"{pending['content']}\n{message['content']}"}
            continue
        if pending:
            yield pending
        pending = message
    if pending:
        yield pending


def _stopped(sampling: Sampling) -> Sampling:
    # A model that goes on after its call invents the result.
    return sampling if sampling.stop else replace(sampling, stop=(f"\n{_OBSERVATION}",))


def _said(text: str) -> str | None:
    try:
        value = jsontext.loads(text)
    except ValueError:
        return None
    said = value.get(SAY) if isinstance(value, Mapping) and len(value) == 1 else None
    return said if isinstance(said, str) else None


def _openai(call: ToolCall) -> dict[str, object]:
    arguments = call.arguments if isinstance(call.arguments, str) else jsontext.dumps(call.arguments)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
