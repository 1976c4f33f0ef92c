"""Actions of saved steps, to be played again."""

from __future__ import annotations

from typing import Any

from stb_env.actions import Action
from stb_env.core.jsontypes import JsonMapping
from stb_env.tools import PYTHON


def saved_action(step: JsonMapping) -> Any:
    """Return the action of a saved step: its program, else its calls, else its text, with why it was refused.

    Examples:
        >>> saved_action({"calls": [], "text": "Hello."})
        'Hello.'
        >>> program = {"id": "call_0", "code": "1 + 1", "error": "", "response": ""}
        >>> saved_action({"calls": [], "program": program})
        {'id': 'call_0', 'name': 'python', 'arguments': {'code': '1 + 1'}}
    """
    program = step.get("program")
    if program is not None:
        return {"id": program["id"], "name": PYTHON, "arguments": {"code": program["code"]}}
    calls = [{name: call[name] for name in ("id", "name", "arguments")} for call in step["calls"]]
    text = step.get("text", "")
    if "problem" in step and not calls:
        return Action((), text, problem=step["problem"])
    return calls or text
