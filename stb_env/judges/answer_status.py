"""The function by which a model reports a status, and the reader of its reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stb_env.core import jsontext
from stb_env.models import ChatReply
from stb_env.verdict import VerdictStatus, Vote

FIELD = "answer_status"

_STATUSES: Mapping[str, VerdictStatus] = {"solved": "solved", "unsure": "unsure", "unsolved": "unsolved"}
_MAX_REASON = 1_000
# A line that is a status, or begins with one and goes on after a stop: "not solved" must never pass.
_LINE = re.compile(
    r"[^\w{[]*(?:(?:(?:answer[_ ]?)?status|verdict)[^\w{[]+)?"
    r"(solved|unsure|unsolved)\b(?:\W*|\W*[.,:;–—-]\s.*)",
    re.IGNORECASE,
)


def status_tool(name: str, statuses: Sequence[str] = ("Solved", "Unsure", "Unsolved")) -> dict[str, object]:
    """Return the OpenAI spec of a function that takes a status and the reason for it.

    Args:
        name: Name of the function.
        statuses: What can be reported.

    Examples:
        >>> status_tool("report")["function"]["parameters"]["required"]
        ['answer_status', 'reason']
    """
    parameters = {
        "type": "object",
        "properties": {
            FIELD: {"type": "string", "enum": list(statuses)},
            "reason": {"type": "string", "description": "What decided it, in one or two sentences."},
        },
        "required": [FIELD, "reason"],
    }
    description = "Report the status of the answer."
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


def forced(name: str) -> dict[str, object]:
    """Return OpenAI's tool choice that allows this function alone."""
    return {"type": "function", "function": {"name": name}}


def read_vote(reply: ChatReply) -> Vote | None:
    """Read a status from a call, from JSON in the text, or from a line that is hardly more than its word.

    Returns:
        The vote, or None where the reply holds no status or several that differ.

    Examples:
        >>> read_vote(ChatReply({"content": '{"answer_status": "Unsolved", "reason": "It refuses."}'}))
        Vote(status='unsolved', reason='It refuses.')
        >>> read_vote(ChatReply({"content": "Status: Solved"})).status
        'solved'
        >>> read_vote(ChatReply({"content": "This is not solved"})) is None
        True
    """
    found = [vote for data in _objects(reply) if (vote := _from_object(data)) is not None]
    found = found or list(_from_lines(reply.text))
    return found[0] if len({vote.status for vote in found}) == 1 else None


def _objects(reply: ChatReply) -> Iterator[object]:
    for call in reply.tool_calls:
        yield _loads(str(call["function"]["arguments"]))
    text = reply.text
    yield _loads(text[text.find("{") : text.rfind("}") + 1])


def _loads(text: str) -> Any:
    try:
        return jsontext.loads(text)
    except ValueError:
        return None


def _from_object(data: Any) -> Vote | None:
    value = data.get(FIELD) if isinstance(data, Mapping) else None
    status = _STATUSES.get(value.strip().lower()) if isinstance(value, str) else None
    if status is None:
        return None
    reason = data.get("reason")
    return Vote(status, reason[:_MAX_REASON] if isinstance(reason, str) else "")


def _from_lines(text: str) -> Iterator[Vote]:
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match:
            yield Vote(_STATUSES[match[1].lower()], " ".join(text.split())[:_MAX_REASON])
