"""Reads the program of an action: a fenced block of Python, or the code of a native call."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stb_env.actions.action import Action, Program
from stb_env.actions.blocks import outside
from stb_env.actions.parse import ActionLike, parse_action
from stb_env.actions.plain import MAX_TEXT, clean
from stb_env.actions.structured import read_data
from stb_env.actions.thought import split, thought_of
from stb_env.tools import FINISH, PYTHON

# A block without an end goes on to the end of the text: servers leave out the mark at which they stop.
_FENCE = re.compile(
    r"^[ \t]*```[ \t]*(?:python3?|py)[ \t]*\r?\n(?P<code>.*?)(?:^[ \t]*```|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
_KNOWN = frozenset({PYTHON})


def read_program(action: ActionLike) -> Action:
    r"""Read an action where actions are programs; never raises, whatever it is given.

    The program is the first fenced block of Python, or else the ``code`` of the first call of ``python``. A
    Finish that is called on its own stays a call, and so does any other call, for the environment to refuse.

    Args:
        action: Text, a call, a list of calls or an assistant message.

    Examples:
        >>> action = read_program("I add.\n```python\nprint(1 + 1)\n```")
        >>> action.text, action.program
        ('I add.', Program(code='print(1 + 1)\n', id='call_0'))
        >>> read_program({"name": "python", "arguments": {"code": "1 + 1"}, "id": "a"}).program
        Program(code='1 + 1', id='a')
        >>> read_program("It is 2.").program is None
        True
    """
    if isinstance(action, str):
        return _fenced(action, "") or _called(action)
    if isinstance(action, Mapping):
        calls, content = read_data(action)
        if content and not calls and (found := _fenced(content, thought_of(action))):
            return found
    return _called(action)


def _fenced(text: str, thought: str) -> Action | None:
    if "```" not in text:
        return None
    hidden, said = split(clean(text)[:MAX_TEXT])
    block = _FENCE.search(said)
    if block is None:
        return None
    around = outside([said[: block.start()], said[block.end() :]])
    thoughts = "\n".join(filter(None, (thought, hidden)))
    return Action((), around, thoughts, Program(block["code"]))


def _called(action: ActionLike) -> Action:
    parsed = parse_action(action, known=_KNOWN)
    for call in parsed.calls:
        if call.name == FINISH:
            break
        if call.name != PYTHON:
            continue
        # Some models write the program where its JSON should stand.
        code = call.arguments if isinstance(call.arguments, str) else call.arguments.get("code")
        if isinstance(code, str):
            return Action((), parsed.text, parsed.thought, Program(code, call.id))
    return parsed
