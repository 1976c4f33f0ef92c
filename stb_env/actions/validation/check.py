"""The two checks of a call: as it is written, and after lossless coercion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from stb_env.actions.braces import end_of
from stb_env.actions.validation.coercion import coerce_arguments
from stb_env.actions.validation.schema import compiled
from stb_env.actions.validation.violation import Violation, mismatch
from stb_env.core.jsontypes import JsonMapping
from stb_env.tools import Tool, ToolCall


@dataclass(frozen=True, slots=True)
class Checked:
    """Outcome of `check_call`.

    Attributes:
        arguments: The arguments after coercion; text where they are no object.
        violations: What is still wrong; empty for a valid call.
        coercions: What was changed, each of kind ``coerced``.
    """

    arguments: JsonMapping | str
    violations: tuple[Violation, ...] = ()
    coercions: tuple[Violation, ...] = ()


def validate_call(call: ToolCall, tool: Tool) -> list[Violation]:
    """Return every violation of the tool's schema by a call as it is written; none means valid.

    A parameter that the schema does not name is a violation, unless the schema sets
    ``additionalProperties``. Blank raw text counts as no arguments.

    Raises:
        DataError: The tool's schema is broken.

    Examples:
        >>> properties = {"city": {"type": "string"}}
        >>> weather = Tool("weather", "", {"type": "object", "properties": properties, "required": ["city"]})
        >>> for violation in validate_call(ToolCall("weather", {"citty": "Rome"}), weather):
        ...     print(violation.message)
        unknown parameter 'citty'. Did you mean 'city'?
        missing required parameter 'city' (string)
        >>> validate_call(ToolCall("weather", {"city": "Rome"}), weather)
        []
    """
    schema = compiled(tool.spec)
    arguments = _as_object(call.arguments)
    if arguments is None:
        return [_not_object(call.arguments)]
    return [] if schema.fits(arguments) else schema.report(arguments)


def check_call(call: ToolCall, tool: Tool) -> Checked:
    """Validate a call; where it is invalid, coerce its arguments without loss and validate again.

    A number is read from its text and written as text where the schema wants the other, likewise true and
    false; a whole float becomes an integer, JSON text the array or object that it spells; positional
    arguments take the names of the schema's parameters in order. ``"5.5"`` is no integer and ``"05"`` no 5.

    Raises:
        DataError: The tool's schema is broken.

    Examples:
        >>> page = Tool("page", "", {"type": "object", "properties": {"n": {"type": "integer"}}})
        >>> check_call(ToolCall("page", {"n": "5"}), page).arguments
        {'n': 5}
        >>> check_call(ToolCall("page", {"n": "five"}), page).violations[0].message
        "'n' must be an integer, got the text 'five'"
    """
    arguments = call.arguments
    schema = compiled(tool.spec)
    # 5.0 is a valid integer, but a tool that counts with it would fail.
    if type(arguments) is dict and schema.fits(arguments) and float not in map(type, arguments.values()):
        return Checked(arguments)
    given = _as_object(arguments)
    if given is None:
        return Checked(arguments, (_not_object(arguments),))
    coerced, coercions = coerce_arguments(given, schema.parameters)
    violations = () if schema.fits(coerced) else tuple(schema.report(coerced))
    return Checked(coerced, violations, coercions)


def _as_object(arguments: Mapping[str, object] | str) -> dict[str, object] | None:
    if isinstance(arguments, str):
        return None if arguments.strip() else {}
    return arguments if type(arguments) is dict else dict(arguments)


def _not_object(arguments: object) -> Violation:
    wrong = mismatch("", "an object", arguments, "not_object")
    written = arguments.strip() if isinstance(arguments, str) else ""
    # Tags of arguments are taken for text only where the closing one is missing.
    if written.startswith("<") or (written.startswith("{") and end_of(written, 0) is None):
        return replace(wrong, message=f"{wrong.message}, which breaks off; write the whole call")
    return replace(wrong, message=f"{wrong.message}, which is no JSON") if written.startswith("{") else wrong
