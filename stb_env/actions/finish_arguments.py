"""The arguments of Finish, recovered even from broken text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from stb_env.actions.python_text import POSITIONAL
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.tools import ToolCall

PARAMETERS = ("return_type", "final_answer")

_CHOICES = ("give_answer", "give_up_and_restart")
_RETURN_TYPE = re.compile(r'"return_type"\s*:\s*"([^"]*)')
_FINAL_ANSWER = re.compile(r'"final_answer"\s*:\s*"')


def finish_arguments(
    call: ToolCall, names: Sequence[str] = PARAMETERS, *, compat: bool = False
) -> Mapping[str, object]:
    """Read the arguments of Finish; text that is no JSON gives what can be recovered from it.

    Positional arguments of a program take the names in order; they are those of the original where the
    first one is a ``return_type``. JSON that is no object gives no arguments.

    Args:
        call: The call to Finish.
        names: What Finish takes, in order.
        compat: Recover as the code of Guo et al., 2024, does: keys only where they are written with exactly
            one blank, and a final answer that keeps its closing quote and brace.

    Examples:
        >>> broken = ToolCall("Finish", '{"return_type": "give_answer", "final_answer": "say "hi""}')
        >>> finish_arguments(broken)
        {'return_type': 'give_answer', 'final_answer': 'say "hi"'}
        >>> finish_arguments(broken, compat=True)["final_answer"]
        'say "hi""}'
    """
    arguments = call.arguments
    if not isinstance(arguments, str):
        return _named(arguments, names)
    try:
        value = jsontext.loads(arguments)
    except ValueError:
        return _recover_literally(arguments) if compat else _recover(arguments)
    return value if isinstance(value, dict) else {}


def _named(arguments: Mapping[str, object], names: Sequence[str]) -> Mapping[str, object]:
    positional = arguments.get(POSITIONAL)
    if not isinstance(positional, list):
        return arguments
    rest = {key: value for key, value in arguments.items() if key != POSITIONAL}
    if positional and positional[0] in _CHOICES:
        names = PARAMETERS
    return dict(zip(names, positional, strict=False)) | rest


def _recover(text: str) -> dict[str, object]:
    found: JsonObject = {}
    if return_type := _RETURN_TYPE.search(text):
        found["return_type"] = return_type[1]
    if answer := _FINAL_ANSWER.search(text):
        body = text[answer.end() :]
        # The keys may stand in either order; an answer followed by the other key ends before it.
        following = body.rfind('"return_type"')
        if following >= 0:
            body = body[:following].rstrip().removesuffix(",")
        found["final_answer"] = body.rstrip().removesuffix("}").rstrip().removesuffix('"')
    return found


def _recover_literally(text: str) -> dict[str, object]:
    found: JsonObject = {}
    mark = '"return_type": "'
    if mark in text:
        whole = (choice for choice in _CHOICES if f'{mark}{choice}"' in text)
        start = text.find(mark) + len(mark)
        found["return_type"] = next(whole, text[start : text.find('",')])
    mark = '"final_answer": "'
    if mark in text:
        found["final_answer"] = text[text.find(mark) + len(mark) :]
    return found
