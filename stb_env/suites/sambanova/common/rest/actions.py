"""Read actions that are one curl command, or calls in any of the general forms."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from stb_env.actions import MAX_TEXT, Action, parse_action
from stb_env.actions.action import arrange
from stb_env.actions.known import Known
from stb_env.actions.parse import ActionLike
from stb_env.suites.sambanova.common.calls import named_arguments
from stb_env.tools import Tool, ToolCall, ToolId

_CONTINUED = re.compile(r"\\\r?\n")

CURL = "curl"
"""Name of the tool that takes a command as it is written."""

Translate = Callable[[ToolCall], ToolCall]
"""Puts a call into the form in which a world wants it."""


def curl_tool(category: str, service: str, host: str) -> Tool:
    """Return the tool that takes a whole command.

    Examples:
        >>> curl_tool("Weather", "open_weather", "api.example").name
        'curl'
    """
    description = (
        f"Sends one request to {host}, written as a curl command line. Only curl is understood, and nothing "
        "that a shell would add to it."
    )
    command = {"type": "string", "description": "The command, with its address in quotes."}
    parameters = {"type": "object", "properties": {"command": command}, "required": ["command"]}
    return Tool(CURL, description, parameters, ToolId.of(category, service, CURL))


def kept_line(text: str) -> str:
    r"""Return the first line that begins with ``curl``, stripped; the text as it is where none does.

    The original cuts every generation down like this: of several commands the first is the one that counts.

    Examples:
        >>> kept_line("Sure:\n  curl 'https://a.example' \nDone.")
        "curl 'https://a.example'"
        >>> kept_line("no command ")
        'no command '
    """
    return next((line.strip() for line in text.split("\n") if _is_command(line)), text)


def command_of(call: ToolCall) -> str | None:
    """Return the command of a call to `curl`; None where the call is another or has none."""
    if call.name != CURL or isinstance(call.arguments, str):
        return None
    command = named_arguments(call.arguments, ["command"]).get("command")
    return command if isinstance(command, str) else None


def curl_reader(
    translate: Translate, *, continued: bool = True, known: Known = None
) -> Callable[[ActionLike], Action]:
    r"""Return a reader of actions that never raises.

    A text with a line that begins with ``curl`` is the call of that command; calls in the rest of the text,
    such as Finish, follow it. Any other action is read by `parse_action`.

    Args:
        translate: Applied to every call.
        continued: Whether a backslash at the end of a line joins the next line to it.
        known: Names of the tools; with them, only these are called in the middle of prose.

    Examples:
        >>> read = curl_reader(lambda call: call)
        >>> action = read("I look.\ncurl \\\n 'https://a.example'\n{\"name\": \"Finish\", \"arguments\": {}}")
        >>> [call.name for call in action.calls], action.calls[0].arguments
        (['curl', 'Finish'], {'command': "curl   'https://a.example'"})
    """
    # No inner function: what an environment holds is pickled with it.
    return partial(_read_action, translate, continued, known)


def _read_action(translate: Translate, continued: bool, known: Known, action: ActionLike) -> Action:
    if isinstance(action, str):
        return _read_text(translate, continued, known, action[:MAX_TEXT])
    parsed = parse_action(action, known=known)
    if parsed.calls:
        return arrange(map(translate, parsed.calls), parsed.text)
    return _read_text(translate, continued, known, parsed.text)


def _read_text(translate: Translate, continued: bool, known: Known, text: str) -> Action:
    if CURL in text:
        lines = (_CONTINUED.sub(" ", text) if continued else text).split("\n")
        at = next((at for at, line in enumerate(lines) if _is_command(line)), None)
        if at is not None:
            beside = _beside(lines, at, known)
            command = ToolCall(CURL, {"command": lines[at].strip()})
            return arrange(map(translate, (command, *beside.calls)), beside.text)
    parsed = parse_action(text, known=known)
    return arrange(map(translate, parsed.calls), parsed.text) if parsed.calls else parsed


def _beside(lines: list[str], at: int, known: Known) -> Action:
    """Read what stands around the command: first together, then each side for itself."""
    before, after = "\n".join(lines[:at]).strip(), "\n".join(lines[at + 1 :]).strip()
    if not before and not after:
        return Action((), "")
    parsed = parse_action(after, known=known)
    if parsed.calls:
        return Action(parsed.calls, "\n".join(filter(None, (before, parsed.text))))
    return parse_action(f"{before}\n{after}".strip(), known=known)


def _is_command(line: str) -> bool:
    return line.strip().startswith(CURL)
