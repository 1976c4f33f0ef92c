"""Commands and answers as the original evaluator treats them, its quirks included.

The messages are the original's, since a verdict of this mode is compared with the original's.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.rest.curl import Answer
from stb_env.suites.sambanova.common.rest.service import Items, is_literal

_DEFAULTS = (("lang", "&lang=en"), ("units", "&units=standard"), ("mode", "&mode=json"))


def final_command(kept: str, key: str) -> str:
    """Return the command that the original hands to the shell.

    The key is put in as ``str.format`` would; then a blank becomes ``+``, and defaults are added wherever
    their names do not occur anywhere in the text. That is why a city such as Modesto gets no mode, and why a
    command must end with a single quote.

    Args:
        kept: The first curl line of a generation, or all of it.
        key: The service's key.

    Raises:
        CrashError: The text does not get this far.

    Examples:
        >>> final_command("curl 'https://a.example/w?q=modesto&appid={API_KEY}'", "k")
        "curl 'https://a.example/w?q=modesto&appid=k&lang=en&units=standard'"
        >>> final_command('curl "https://a.example"', "k")
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: code does not end with '
    """
    command = _with_key(kept.strip("\n"), key)
    if not command.endswith("'"):
        raise CrashError("code does not end with '")
    command = command.replace("%20", "+")
    if "air_pollution" in command or "direct" in command:
        return command
    added = "".join(text for name, text in _DEFAULTS if name not in command)
    return f"{command[:-1]}{added}'"


def answer_items(answer: Answer, command: str) -> Items:
    """Return what the original reads from the answer to a command.

    Raises:
        CrashError: It cannot read the answer, or the answer is an error.
    """
    body = answer.body
    if answer.medium != "json":
        raise CrashError("invalid syntax (<string>, line 1)")
    # The original reads the answer as a Python literal, to which these words of JSON are unknown.
    if not is_literal(body, null=False):
        raise CrashError("the answer is no Python literal")
    if isinstance(body, Mapping):
        _check_code(body, command)
        return dict(body)
    return dict(enumerate(body))


def _check_code(body: Mapping[str, object], command: str) -> None:
    if "cod" not in body:
        if "air_pollution" not in command:
            raise CrashError("HTTP response should contain 'cod' value.")
    elif str(body["cod"]) != "200":
        raise CrashError(f"HTTP request failed: status code {body['cod']}")


def _with_key(text: str, key: str) -> str:
    """Do what ``text.format(API_KEY=key)`` does, for fields that are a plain name.

    Calling it would let a generation reach into objects and ask for gigabytes of padding, so a field with a
    conversion, a format or an attribute is a crash here, where the original may have run it.
    """
    parts: list[str] = []
    try:
        for literal, field, layout, conversion in Formatter().parse(text):
            parts.append(literal)
            if field is not None:
                parts.append(_field(field, layout or conversion, key))
    except ValueError as error:
        raise CrashError(str(error)) from error
    return "".join(parts)


def _field(field: str, extras: str | None, key: str) -> str:
    if field == "API_KEY" and not extras:
        return key
    if not field or field.isdigit():
        index = field or "0"
        raise CrashError(f"Replacement index {index[:40]} out of range for positional args tuple")
    raise CrashError(repr(field[:80]))
