"""Excerpts of an episode for a judge, within a budget of characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stb_env.core import jsontext
from stb_env.core.jsontext import CUT_MARK
from stb_env.tools import FINISH
from stb_env.trajectory import CallRecord

# Below this a call says nothing any more, so some are left out instead.
_LEAST = 400


@dataclass(frozen=True, slots=True)
class Room:
    """Budget of characters for each text in a judge's prompt.

    The defaults keep a prompt below some 25,000 tokens.

    Attributes:
        query: The user's query.
        answer: The final answer.
        tools: Names and descriptions of the tools that were used.
        calls: All calls with their results.
    """

    query: int = 8_000
    answer: int = 16_000
    tools: int = 8_000
    calls: int = 48_000


def excerpt(text: str, limit: int) -> str:
    """Return a text, or its beginning and a mark where it is longer than ``limit`` characters.

    Examples:
        >>> excerpt("abcdefghijklmnop", 12), excerpt("abc", 12)
        ('abcd...[cut]', 'abc')
    """
    return text if len(text) <= limit else text[: limit - len(CUT_MARK)] + CUT_MARK


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide room among texts: small ones get all they need, the others what is left in equal parts.

    Examples:
        >>> shares([10, 500, 300], 210)
        [10, 100, 100]
    """
    given = [0] * len(sizes)
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    for position, index in enumerate(order):
        given[index] = min(sizes[index], room // (len(order) - position))
        room -= given[index]
    return given


def call_lines(calls: Sequence[CallRecord], room: int) -> list[str]:
    """Return the calls in order, Finish left out, each as one line of JSON; together within ``room``.

    Where there are too many, those in the middle are left out and a mark stands for them.
    """
    data = [call_data(call) for call in calls if call.name != FINISH]
    most = max(2, room // _LEAST)
    if len(data) > most:
        gap: Any = CUT_MARK
        data = [*data[: most // 2], gap, *data[len(data) - most // 2 :]]
    texts = [jsontext.dumps(item) for item in data]
    return [
        text if len(text) <= share else jsontext.dumps(_shortened(item, share))
        for text, item, share in zip(texts, data, shares([len(text) for text in texts], room), strict=True)
    ]


def call_data(call: CallRecord) -> dict[str, object]:
    """Return a call with its result as plain data."""
    result = call.result
    return {
        "tool": call.name,
        "arguments": call.arguments if isinstance(call.arguments, str) else dict(call.arguments),
        "error": result.error,
        "response": result.response,
    }


def _shortened(item: Mapping[str, object], limit: int) -> dict[str, object]:
    """Cut the response first of all: name, arguments and error say more per character."""
    quarter = max(64, limit // 4)
    kept = {
        "tool": jsontext.cut(item["tool"], 64),
        "arguments": jsontext.cut(item["arguments"], quarter),
        "error": jsontext.cut(item["error"], quarter),
        "response": "",
    }
    room = limit - len(jsontext.dumps(kept))
    return kept | {"response": jsontext.cut(item["response"], max(64, room))}
