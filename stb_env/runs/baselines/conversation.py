"""The chat messages of one episode, as the agent's model gets to see them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject

# A result is never cut below this many characters: it must still say what it was.
_LEAST = 160
# What one round of shortening takes off the whole conversation.
_OFF = 0.5
# What OpenAI's endpoint takes as a function's name, in the history too.
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME = 64


class Conversation:
    """OpenAI chat messages that grow turn by turn, and whose tool results can be shortened.

    Args:
        messages: The messages to begin with; tool results among them can be shortened too.

    Examples:
        >>> talk = Conversation([{"role": "user", "content": "Weather in Oslo?"}])
        >>> call = {"id": "c", "type": "function", "function": {"name": "now", "arguments": "{}"}}
        >>> talk.say({"role": "assistant", "tool_calls": [call]})
        >>> talk.hear('{"error": "", "response": "sunny"}', [{"id": "c"}])
        >>> talk.messages[-1]["role"], talk.shorten()
        ('tool', False)
    """

    def __init__(self, messages: Sequence[Mapping[str, object]]) -> None:
        self.messages: list[JsonObject] = [dict(message) for message in messages]
        self._results = [index for index, said in enumerate(self.messages) if said["role"] == "tool"]

    def say(self, message: Mapping[str, object]) -> None:
        """Add what the model said."""
        self.messages.append(dict(message))

    def hear(self, result: str, calls: Sequence[JsonMapping]) -> None:
        """Add what came back from the last action.

        Every call that the model wrote gets a message, because servers refuse a conversation in which one
        is unanswered; without such calls the result comes as a user message.

        Args:
            result: The observation's ``result``: one JSON object, or a list of them for several calls.
            calls: The calls that were made, in the order of the results.
        """
        written = [call["id"] for call in self.messages[-1].get("tool_calls") or ()]
        if not written:
            self._add({"role": "user", "content": result})
            return
        texts = [result] if len(calls) <= 1 else [jsontext.dumps(item) for item in jsontext.loads(result)]
        by_id = {call["id"]: text for call, text in zip(calls, texts, strict=False)}
        for call_id in written:
            content = by_id.get(call_id, '{"error": "this call was not made", "response": ""}')
            self._add({"role": "tool", "tool_call_id": call_id, "content": content})

    def _add(self, message: dict[str, object]) -> None:
        self._results.append(len(self.messages))
        self.messages.append(message)

    def shorten(self) -> bool:
        """Cut the oldest tool results, until about half of the conversation's characters are gone.

        What is cut still parses, and keeps its beginning.

        Returns:
            Whether there was anything to cut.
        """
        goal = int(sum(len(str(message)) for message in self.messages) * _OFF)
        gone = 0
        for index in self._results:
            if gone >= goal:
                break
            message = self.messages[index]
            text = message["content"]
            shorter = _cut(text, max(_LEAST, len(text) - (goal - gone)))
            gone += len(text) - len(shorter)
            self.messages[index] = message | {"content": shorter}
        return gone > 0


def mended(message: JsonMapping, known: Collection[str] = ()) -> dict[str, object]:
    """Return an assistant's message in a form that every server takes back as history.

    Chat templates read the arguments of earlier calls as JSON objects: a single call that was written
    otherwise would make a server refuse every later request. What was written stays to be read, as the one
    member of an object. Names that no function can have are refused too.

    Args:
        message: Any chat message; one without calls stays as it is.
        known: Names of tools, which stay as they are.

    Examples:
        >>> call = {"id": "c", "type": "function", "function": {"name": "a tool", "arguments": "{1"}}
        >>> mended({"role": "assistant", "tool_calls": [call]})["tool_calls"][0]["function"]
        {'name': 'a_tool', 'arguments': '{"not_json": "{1"}'}
    """
    calls = message.get("tool_calls")
    return {**message, "tool_calls": [_mended(call, known) for call in calls]} if calls else dict(message)


def _mended(call: JsonMapping, known: Collection[str]) -> dict[str, object]:
    function = call["function"]
    name, arguments = str(function.get("name", "")), function.get("arguments", "")
    if name not in known:
        name = _NO_NAME.sub("_", name)[:_LONGEST_NAME] or "unnamed"
    text = arguments if isinstance(arguments, str) else jsontext.dumps(arguments)
    return {**call, "function": {**function, "name": name, "arguments": _object_text(text)}}


def _object_text(text: str) -> str:
    if _is_strict(text):
        return text
    try:
        value = jsontext.loads(text)
    except ValueError:
        value = None
    if isinstance(value, Mapping):
        return jsontext.dumps(value)
    return jsontext.dumps({"not_json": text}) if text.strip() else "{}"


def _is_strict(text: str) -> bool:
    """Return whether a text is a JSON object for any reader, as far as a glance at its depth tells."""
    if text.count("{") + text.count("[") > jsontext.MAX_DEPTH:
        return False
    # What `decode` does around the parser takes longer than the parser.
    text = text.strip(" \t\n\r")
    try:
        value, end = _STRICT.raw_decode(text)
    except ValueError:
        return False
    return end == len(text) and isinstance(value, dict)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


_STRICT = json.JSONDecoder(parse_constant=_refuse)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return jsontext.dumps(jsontext.cut(jsontext.loads(text), limit))
