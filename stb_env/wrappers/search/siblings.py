"""The children that a node has: what was tried there before, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.trajectory import CallRecord
from stb_env.wrappers.search.tree import SearchTree

Tried = JsonObject

# As much of an observation as the published search ever shows, in characters.
_MOST = 1024


def tried_at(tree: SearchTree, index: int) -> list[Tried]:
    """Return the actions that were taken at a node, in order.

    Each has ``calls`` (name, arguments, error, response), or ``text`` where it made none, and ``outcome``:
    where its branch led to at last.
    """
    return [_tried(tree, child) for child in sorted(tree.nodes[index].children)]


def _tried(tree: SearchTree, index: int) -> Tried:
    step = tree.nodes[index].step
    calls = [] if step is None else [_call(record) for record in step.calls]
    said: Tried = {"calls": calls} if calls or step is None else {"text": step.text[:_MOST]}
    return {**said, "outcome": outcome_of(tree, index)}


def _call(record: CallRecord) -> dict[str, object]:
    result, arguments = record.result, record.arguments
    said = {"name": record.name, "arguments": arguments if isinstance(arguments, str) else dict(arguments)}
    answered = {"error": result.error, "response": result.response}
    if len(result.text) > _MOST:
        answered = {name: jsontext.cut(value, _MOST) for name, value in answered.items()}
    return {**said, "arguments": jsontext.cut(said["arguments"], _MOST), **answered}


def outcome_of(tree: SearchTree, index: int) -> str:
    """Return what came of a branch: of its last node, unless any gave an answer.

    Examples:
        >>> from stb_env.wrappers.search.tree import Node
        >>> tree = SearchTree((Node(),)).added(0, Node()).added(1, Node(outcome="give_up"))
        >>> outcome_of(tree, 1)
        'give_up'
    """
    while tree.nodes[index].children:
        last = max(tree.nodes[index].children)
        answered = (child for child in tree.nodes[index].children if tree.nodes[child].outcome == "answer")
        index = next(answered, last)
    return tree.nodes[index].outcome


def listing(tried: Sequence[Mapping[str, object]]) -> str:
    """Return what was tried as readable JSON text."""
    return json.dumps(tried, indent=2)


def with_tried(result: str, tried: Sequence[Tried], limit: int) -> str:
    """Return an observation's result with what was tried under ``tried``; an object, never too long.

    Args:
        result: The result: an object, a list of them, or nothing.
        tried: What `tried_at` returned.
        limit: Bound on the text, in characters.

    Examples:
        >>> with_tried("", [{"text": "Hm.", "outcome": "give_up"}], 256)
        '{"error": "", "response": "", "tried": [{"text": "Hm.", "outcome": "give_up"}]}'
    """
    data = _object(result)
    text = jsontext.dumps({**data, "tried": tried})
    if len(text) <= limit:
        return text
    shorter = {"error": jsontext.cut(data["error"], max(64, limit // 8)), "response": ""}
    shorter["tried"] = jsontext.cut(list(tried), max(64, limit // 3))
    room = limit - len(jsontext.dumps(shorter))
    return jsontext.dumps({**shorter, "response": jsontext.cut(data["response"], max(64, room))})


def _object(result: str) -> dict[str, object]:
    try:
        data = jsontext.loads(result) if result else ""
    except ValueError:
        data = result
    if isinstance(data, dict) and data.keys() == {"error", "response"}:
        return data
    return {"error": "", "response": data}
