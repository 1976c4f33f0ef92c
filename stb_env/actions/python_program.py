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
from stb_env.actions.turn import stretches
from stb_env.tools import PYTHON

_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)[ \t]*\r?\n"
    r"(?P<code>.*?)(?:^[ \t]*(?P<end>(?P=fence))|\Z)",
    re.DOTALL | re.MULTILINE,
)
_PYTHON = frozenset({"python", "python3", "py", "tool_code"})
_BROKEN_CODE = re.compile(r'\s*\{\s*"code"\s*:')
_KNOWN = frozenset({PYTHON})

CUT = "the program breaks off: its block has no ``` at the end; nothing was run"
CUT_CALL = "the arguments of python break off or are no JSON; write the whole call; nothing was run"
SEVERAL = "a reply holds one program, got {}; put what they do into one; nothing was run"
BEHIND = "a program ends its reply, and text stands behind this one; leave that out; nothing was run"


def read_program(action: ActionLike) -> Action:
    r"""Read an action where actions are programs; never raises, whatever it is given.

    The program is the one fenced block of Python, which ends the text, or else the ``code`` of the one call
    of ``python``. A block behind a question is offered, and not run. What a model makes up behind a block as
    a tool's answer, and marks that end its turn, are no part of its reply. A Finish that is called on its own
    stays a call, and so do any other calls, for the environment to refuse.

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
        if content and (found := _fenced(content, thought_of(action))):
            if not calls:
                return found
            called = _called(action)
            if found.program is not None and (called.program is None or not _alike(found, called)):
                return Action((), found.text, found.thought, problem=SEVERAL.format(1 + len(calls)))
            return called
    return _called(action)


def _alike(one: Action, other: Action) -> bool:
    programs = [action.program.code.strip() for action in (one, other) if action.program is not None]
    return len(set(programs)) == 1


def _fenced(text: str, thought: str) -> Action | None:
    if "```" not in text and "~~~" not in text:
        return None
    hidden, said = split(clean(text)[:MAX_TEXT])
    blocks = [block for block in _FENCE.finditer(said) if block["language"].lower() in _PYTHON]
    if not blocks:
        return None
    thoughts = "\n".join(filter(None, (thought, hidden)))
    block = blocks[0]
    before = said[: block.start()]
    if asks(before):
        return Action((), said, thoughts)
    if block["end"] is not None and (is_last(said, block.end()) or not stretches(said[block.end() :], 2)):
        code = re.sub(rf"^[ \t]{{0,{len(block['indent'])}}}", "", block["code"], flags=re.MULTILINE)
        if code.lstrip().startswith(("{", "[{")) and (call := parse_action(code)).calls:
            return replace(call, text=outside([before]), thought=thoughts)
        return Action((), outside([before]), thoughts, Program(code))
    problem = BEHIND
    if blocks[-1]["end"] is None:
        problem = CUT
    elif len(blocks) > 1:
        problem = SEVERAL.format(len(blocks))
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
    if isinstance(call.arguments, str) and _BROKEN_CODE.match(code):
        return Action((), parsed.text, parsed.thought, problem=CUT_CALL)
    return Action((), parsed.text, parsed.thought, Program(code, call.id))
