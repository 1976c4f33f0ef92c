"""Reads the program of an action: a fenced block of Python, or the code of a native call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from stb_env.actions.action import Action, Program
from stb_env.actions.blocks import asks, is_last, outside
from stb_env.actions.parse import ActionLike, parse_action
from stb_env.actions.plain import MAX_TEXT, clean
from stb_env.actions.structured import read_data
from stb_env.actions.thought import split, thought_of
from stb_env.tools import PYTHON

_FENCE = re.compile(
    r"^[ \t]*```[ \t]*(?P<language>[^\s`]*)[ \t]*\r?\n(?P<code>.*?)(?:^[ \t]*(?P<end>```)|\Z)",
    re.DOTALL | re.MULTILINE,
)
_PYTHON = frozenset({"python", "python3", "py"})
_KNOWN = frozenset({PYTHON})

CUT = "the program breaks off: its block has no ``` at the end; nothing was run"
SEVERAL = "a reply holds one program, got {} blocks; put what they do into one; nothing was run"
BEHIND = "a program ends its reply, and text stands behind this one; leave that out; nothing was run"


def read_program(action: ActionLike) -> Action:
    r"""Read an action where actions are programs; never raises, whatever it is given.

    The program is the one fenced block of Python, which ends the text, or else the ``code`` of the one call
    of ``python``. A block behind a question is offered, and not run. A Finish that is called on its own stays
    a call, and so do any other calls, for the environment to refuse.

    Args:
        action: Text, a call, a list of calls or an assistant message.

    Examples:
        >>> action = read_program("I add.\n```python\nprint(1 + 1)\n```")
        >>> action.text, action.program
        ('I add.', Program(code='print(1 + 1)\n', id='call_0'))
        >>> read_program({"name": "python", "arguments": {"code": "1 + 1"}, "id": "a"}).program
        Program(code='1 + 1', id='a')
        >>> read_program("It is 2.").is_text
        True
        >>> read_program("```python\nprint(1 + 1)").problem
        'the program breaks off: its block has no ``` at the end; nothing was run'
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
    blocks = [block for block in _FENCE.finditer(said) if block["language"].lower() in _PYTHON]
    if not blocks:
        return None
    thoughts = "\n".join(filter(None, (thought, hidden)))
    before, last = said[: blocks[0].start()], blocks[-1]
    if asks(before):
        return Action((), said, thoughts)
    if last["end"] is None:
        problem = CUT
    elif len(blocks) > 1:
        problem = SEVERAL.format(len(blocks))
    elif not is_last(said, last.end()):
        problem = BEHIND
    elif (call := parse_action(last["code"])).calls and last["code"].lstrip().startswith(("{", "[{")):
        return replace(call, text=outside([before]), thought=thoughts)
    else:
        return Action((), outside([before]), thoughts, Program(last["code"]))
    return Action((), said, thoughts, problem=problem)


def _called(action: ActionLike) -> Action:
    parsed = parse_action(action, known=_KNOWN)
    if len(parsed.calls) != 1 or parsed.calls[0].name != PYTHON:
        return parsed
    (call,) = parsed.calls
    # Some models write the program where its JSON should stand.
    code = call.arguments if isinstance(call.arguments, str) else call.arguments.get("code")
    if not isinstance(code, str):
        return parsed
    return Action((), parsed.text, parsed.thought, Program(code, call.id))
