"""Streamed chat completions: server-sent events, and the chunks in them put together."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import Json, JsonArray, JsonMapping, JsonObject
from stb_env.models.completion import parse

END = b"[DONE]"
"""What OpenAI-compatible servers send as the last event."""

_TEXTS = ("content", "refusal", "reasoning_content", "reasoning")


class EventStream:
    r"""Cuts a stream of bytes into the data of its events.

    Comments, which servers send to keep a connection open, and fields other than ``data`` are left out.

    Examples:
        >>> stream = EventStream()
        >>> stream.feed(b': wait\n\ndata: {"a"'), stream.feed(b': 1}\r\n\r\ndata: [DONE]\n\n')
        ([], [b'{"a": 1}', b'[DONE]'])
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """Take in some bytes and return the data that became complete."""
        # By hand, because str.splitlines also cuts at characters that JSON strings may hold.
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        return [line[5:].strip() for line in lines if line.startswith(b"data:")]

    def close(self) -> list[bytes]:
        """Return the data of a last line without an end."""
        rest, self._rest = self._rest, b""
        return [rest[5:].strip()] if rest.startswith(b"data:") else []


class Chunks:
    """Adds up chunks.

    What is no chunk, such as an error in the middle of the stream, stands for the whole answer.

    Examples:
        >>> chunks = Chunks()
        >>> chunks.add({"choices": [{"delta": {"content": "Rai"}}]})
        >>> chunks.add({"choices": [{"delta": {"content": "n."}, "finish_reason": "stop"}]})
        >>> chunks.add({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
        >>> chunks.completion["choices"], chunks.finished
        ([{'message': {'content': 'Rain.'}, 'finish_reason': 'stop'}], True)
    """

    def __init__(self) -> None:
        self._body: JsonObject = {"choices": []}
        self._calls: list[JsonObject] = []
        self._indices: list[Json] = []
        self._instead: Json = None
        self._ended = False

    @property
    def completion(self) -> object:
        """The chat completion so far, in the form of one that is sent as a whole."""
        return self._body if self._instead is None else self._instead

    @property
    def finished(self) -> bool:
        """True if the reply seems complete: the server said so, or why it stopped."""
        if self._ended or self._instead is not None:
            return True
        choices = self._body["choices"]
        return all("message" not in one or one.get("finish_reason") is not None for one in choices)

    @property
    def counted(self) -> bool:
        """True if the server counted the tokens that it read and wrote."""
        return isinstance(self._body.get("usage"), Mapping)

    def read(self, data: bytes) -> None:
        """Take in the data of the next event.

        Raises:
            ModelError: It is not JSON.
        """
        if data == END:
            self._ended = True
        else:
            self.add(parse(data))

    def add(self, chunk: object) -> None:
        """Take in the next chunk."""
        if not isinstance(chunk, Mapping) or not isinstance(chunk.get("choices"), list):
            self._instead = chunk if self._instead is None else self._instead
            return
        if chunk.get("error"):
            # Some send a last choice along, with nothing in it.
            self._instead = {"error": chunk["error"]} if self._instead is None else self._instead
            return
        # Some repeat the usage with every chunk; the last counts.
        self._body |= {
            name: value for name, value in chunk.items() if name != "choices" and value is not None
        }
        # Who asks for one answer gets one.
        for choice in chunk["choices"][:1]:
            self._add_choice(choice)

    def _add_choice(self, given: object) -> None:
        if not isinstance(given, Mapping):
            self._instead = {"choices": [given]}
            return
        choices = self._body["choices"]
        if not choices:
            choices.append({})
        choice = choices[0]
        for name, value in given.items():
            if name in ("delta", "message"):
                self._add_delta(choice, value)
            elif value is not None and name != "index":
                # Reasons to stop are said again by some; logprobs and token ids go on.
                choice[name] = value if isinstance(value, str) else _joined(choice.get(name), value)

    def _add_delta(self, choice: JsonObject, delta: object) -> None:
        if not isinstance(delta, Mapping):
            return
        message = choice.setdefault("message", {})
        for name in _TEXTS:
            if isinstance(delta.get(name), str | list):
                message[name] = _joined(message.get(name), delta[name])
        calls = delta.get("tool_calls")
        if isinstance(calls, list):
            for call in calls:
                self._add_call(call)
            if self._calls:
                message["tool_calls"] = self._calls
        elif calls is not None:
            message["tool_calls"] = calls

    def _add_call(self, part: object) -> None:
        if not isinstance(part, Mapping):
            self._start_call(part)
            return
        call = self._continued(part)
        if call is None:
            self._start_call({**part, "function": dict(_mapping(part.get("function")))}, part.get("index"))
            return
        function, more = call["function"], _mapping(part.get("function"))
        if more.get("name") not in (None, function.get("name")):
            function["name"] = _joined(function.get("name"), more["name"])
        if more.get("arguments") is not None:
            function["arguments"] = _joined(function.get("arguments"), more["arguments"])

    def _start_call(self, call: Json, index: object = None) -> None:
        self._calls.append(call)
        self._indices.append(index)

    def _continued(self, part: Mapping[str, object]) -> JsonObject | None:
        """Return the call that a part goes on with; None where it begins one.

        Some servers number every call 0 and some none at all: then a name with a new id begins a new call.
        Some give every part an id of its own.
        """
        index, named = part.get("index"), bool(_mapping(part.get("function")).get("name"))
        for known, number in zip(reversed(self._calls), reversed(self._indices), strict=True):
            if number == index and isinstance(known, dict):
                other = named and part.get("id") not in (None, "", known.get("id"))
                return None if other else known
        return None


def _mapping(value: object) -> JsonMapping:
    return value if isinstance(value, Mapping) else {}


def _joined(known: object, more: object) -> Json:
    """Return what two chunks say together: texts and lists go on, anything else replaces."""
    if isinstance(known, str) and isinstance(more, str):
        return known + more
    if isinstance(known, list) and isinstance(more, list):
        both: JsonArray = [*known, *more]
        return both
    if isinstance(known, Mapping) and isinstance(more, Mapping):
        return {**known, **{name: _joined(known.get(name), value) for name, value in more.items()}}
    return more
