"""Reads actions of a shopper: ``search[...]``, ``click[...]``, or calls in any of the general forms."""

from __future__ import annotations

import re
from collections.abc import Callable

from stb_env.actions import MAX_TEXT, Action, parse_action
from stb_env.actions.action import MAX_CALLS, arrange
from stb_env.actions.known import Known
from stb_env.actions.parse import ActionLike
from stb_env.tools import ToolCall

SEARCH, CLICK = "search", "click"

_ARGUMENTS = {SEARCH: "query", CLICK: "element"}
_ON_PAGE = re.compile(r"(?m)^((?:search|click)\[.*)$")
_START = re.compile(r"\s*(?:Action:\s*)?(search|click)\[(.*)\]", re.IGNORECASE)


def parse(action: ActionLike) -> Action:
    r"""Read an action; never raises.

    Each line that begins with ``search[`` or ``click[`` is a call; other lines are passed over.

    Examples:
        >>> [call.arguments for call in parse("I look.\nsearch[desk lamp]\nClick[B01]").calls]
        [{'query': 'desk lamp'}, {'element': 'B01'}]
    """
    return _read(action, _lines, _ARGUMENTS)


def parse_original(action: ActionLike) -> Action:
    r"""Read an action as the original does: one, at the very start of the text, and nothing after it counts.

    Examples:
        >>> [call.arguments for call in parse_original("search[lamp] then\nclick[B01]").calls]
        [{'query': 'lamp'}]
        >>> parse_original(" search[lamp]").calls, parse_original("search[a [b]]").calls
        ((), ())
    """
    return _read(action, _first)


def turns(trajectory: str) -> list[tuple[str, str]]:
    r"""Return the pages of a trajectory with the action on each.

    Examples:
        >>> turns("WebShop\nSearch\nsearch[lamp]\nResults\nclick[b01]")
        [('WebShop\nSearch', 'search[lamp]'), ('Results', 'click[b01]')]
    """
    parts = _ON_PAGE.split(trajectory)
    return [(page.strip(), action) for page, action in zip(parts[::2], parts[1::2], strict=False)]


def calls(trajectory: str) -> list[str]:
    """Return the names of the actions of a trajectory.

    Examples:
        >>> calls("search[lamp]")
        ['search']
    """
    return [action.split("[")[0] for _, action in turns(trajectory)]


def _read(action: ActionLike, read: Callable[[str], list[ToolCall]], known: Known = None) -> Action:
    if isinstance(action, str) and "[" in action:
        calls = read(action[:MAX_TEXT])
        if calls:
            return arrange(calls, "")
    return parse_action(action, known=known)


def _lines(text: str) -> list[ToolCall]:
    calls: list[ToolCall] = []
    for line in text.split("\n"):
        match = _START.match(line)
        if match and match[2].strip() and len(calls) < MAX_CALLS:
            name = match[1].lower()
            calls.append(ToolCall(name, {_ARGUMENTS[name]: match[2].strip()}))
    return calls


def _first(text: str) -> list[ToolCall]:
    # The pattern is (.+)\[(.+)\], each part as long as it can be; searching from the end finds the same
    # in linear time.
    line = text.split("\n", 1)[0]
    end = line.rfind("]")
    start = line.rfind("[", 1, end - 1) if end > 1 else -1
    name = line[:start] if start > 0 else ""
    return [ToolCall(name, {_ARGUMENTS[name]: line[start + 1 : end]})] if name in _ARGUMENTS else []
