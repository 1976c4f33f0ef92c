"""Calls in Markdown fences, and texts with a fence around them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stb_env.actions.action import Reading
from stb_env.actions.call_body import calls_of
from stb_env.actions.known import Known
from stb_env.tools import ToolCall

FENCE = "```"

_REST = re.compile(r"[\s\]`]*")
_FENCED = re.compile(r"\s*(?:```[ \t]*(?:[\w+-]*[ \t]*\r?\n|json\b)\s*)?")
_QUESTION = re.compile(r"[?？]\s*(?:```[\w+-]*\s*)?\Z")
_PROGRAM = re.compile(r"[ \t]*(?:python3?|py)\b", re.IGNORECASE)
_LANGUAGE = re.compile(r"[ \t]*(?:[\w+-]*[ \t]*(?:\r?\n|\Z)|(?:json|python|tool_code|tool_call)\b)")


def read_fences(text: str, max_calls: int, known: Known = None) -> Reading | None:
    r"""Read JSON calls or a program inside Markdown fences, the last of which ends the text.

    Examples:
        >>> read_fences('So:\n```json\n{"name": "a", "arguments": {"n": 1}}\n```', 64)
        Reading(calls=[ToolCall(name='a', arguments={'n': 1}, id='')], text='So:')
    """
    segments = text.split(FENCE)
    closed = len(segments) % 2 == 1
    # Behind a fence in the middle of a text its author says more about it.
    if len(segments) < 2 or (closed and segments[-1].strip()) or asks(segments[0]):
        return None
    said = any(part.strip() for part in segments[0::2])
    calls: list[ToolCall] = []
    for body in segments[1::2][:max_calls]:
        # Prose shows programs, and seldom calls by them.
        if not (said and _PROGRAM.match(body)):
            calls += calls_of(_without_language(body), max_calls, known, closed=closed)
    return Reading(calls, outside(segments[0::2])) if calls else None


def is_last(text: str, position: int) -> bool:
    r"""True if a text says nothing from a position on, but for marks that end what stands before.

    Examples:
        >>> is_last("[a()]\n```", 4), is_last("a() now", 3)
        (True, False)
    """
    return _REST.fullmatch(text, position) is not None


def asks(text: str) -> bool:
    """True if a text ends with a question: what follows is offered.

    Examples:
        >>> asks("Shall I call it?"), asks("Why not? I call it:")
        (True, False)
    """
    return _QUESTION.search(text) is not None


def after_fence(text: str, position: int) -> int:
    r"""Return where a text goes on behind blanks, and behind the beginning of a fence with its language.

    Examples:
        >>> after_fence('f \n```json\n{"n": 1}\n```', 1)
        11
    """
    begin = _FENCED.match(text, position)
    return begin.end() if begin else position


def unfence(text: str) -> str:
    r"""Remove blanks and a fence around a text.

    Examples:
        >>> unfence(' ```json\n{"n": 1}\n``` '), unfence("a ``` b")
        ('{"n": 1}', 'a ``` b')
    """
    text = text.strip()
    if text.startswith(FENCE):
        text = _without_language(text[len(FENCE) :])
    return text.removesuffix(FENCE).strip()


def _without_language(body: str) -> str:
    language = _LANGUAGE.match(body)
    return body[language.end() :] if language else body


def outside(parts: Iterable[str]) -> str:
    """Join what stands around calls, a part a line, without blanks and empty parts."""
    return "\n".join(part for part in (part.strip() for part in parts) if part)
