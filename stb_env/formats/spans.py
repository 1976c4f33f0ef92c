"""Spans of a conversation that its agent wrote, for the mask of a loss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping

NOT_MADE = frozenset({"length", "malformed_call"})
"""Why a server stopped at replies of which nothing is carried out."""


class Span(NamedTuple):
    """A stretch of text in a conversation.

    Attributes:
        message: Index of the message.
        field: Way to the text in the message: ``content``, ``reasoning_content``,
            ``tool_calls.0.function.arguments`` ...
            Arguments that are an object count as their JSON text, and are the agent's as a whole.
        start: First character.
        end: The character after the last.
    """

    message: int
    field: str
    start: int
    end: int


def spans(messages: Sequence[Mapping[str, object]], steps: Sequence[JsonMapping] = ()) -> list[Span]:
    """Return what the agent wrote, in order; ids of calls and whatever others said are not among it.

    A reply that was cut at the length limit, or whose call the provider could not take, has no span: nothing
    in it was carried out, and only its first words are there.

    Args:
        messages: OpenAI chat messages.
        steps: The steps of the episode, whose ``engine`` tells how each reply ended; told apart by their
            order, so without use where there is not one for each message of the assistant.

    Examples:
        >>> call = {"id": "c0", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
        >>> chat = [{"role": "user", "content": "?"}, {"role": "assistant", "tool_calls": [call]}]
        >>> for span in spans(chat):
        ...     print(*span)
        1 tool_calls.0.function.name 0 4
        1 tool_calls.0.function.arguments 0 2
    """
    own = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    ended = [step.get("engine", {}).get("finish_reason") for step in steps]
    cut = (
        {index for index, reason in zip(own, ended, strict=True) if reason in NOT_MADE}
        if (len(own) == len(ended))
        else set()
    )
    return [
        Span(index, field, 0, len(text))
        for index in own
        if index not in cut
        for field, text in _texts(messages[index])
        if text
    ]


def spoken(messages: Sequence[Mapping[str, object]], span: Span) -> str:
    """Return the text of a span.

    Examples:
        >>> spoken([{"role": "assistant", "content": "Hello!"}], Span(0, "content", 0, 5))
        'Hello'
    """
    value: Any = messages[span.message]
    for part in span.field.split("."):
        value = value[int(part) if part.isdecimal() else part]
    return _text(value)[span.start : span.end]


def _texts(message: JsonMapping) -> Iterator[tuple[str, str]]:
    for name in ("reasoning_content", "content"):
        yield name, message.get(name) or ""
    for number, call in enumerate(message.get("tool_calls") or ()):
        for name in ("name", "arguments"):
            yield f"tool_calls.{number}.function.{name}", _text(call["function"][name])


def _text(value: object) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)
