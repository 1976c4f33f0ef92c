"""Calls of gold and of checks are compared with the tools that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env.actions.validation import check_call
from stb_env.errors import ConfigError, did_you_mean
from stb_env.judges.checks import Called, Check, InOrder, StateRead, tools_of
from stb_env.tools import Tool, ToolCall


def checked_call(call: ToolCall, what: str, tools: Mapping[str, Tool]) -> ToolCall:
    """Return a call as its tool takes it.

    Args:
        call: The call.
        what: What errors call whatever makes it.
        tools: The tools that there are, by name.

    Raises:
        ConfigError: It names no tool, or has arguments that the tool does not take.
    """
    tool = _known(call.name, what, tools)
    checked = check_call(call, tool)
    if checked.violations:
        problems = "; ".join(violation.message for violation in checked.violations)
        raise ConfigError(f"{what} calls {call.name!r} with wrong arguments: {problems}")
    return ToolCall(call.name, checked.arguments)


def _known(name: str, what: str, tools: Mapping[str, Tool]) -> Tool:
    if name not in tools:
        near = did_you_mean(name, tools)
        raise ConfigError(f"{what} calls {name!r}, which is none of the tools ({', '.join(tools)}).{near}")
    return tools[name]


def check_tools(
    checks: Sequence[Check], what: str, tools: Mapping[str, Tool], offered: Mapping[str, Tool]
) -> None:
    """Check that calls that checks name can be made.

    Args:
        checks: The checks.
        what: What errors call them.
        tools: The tools that there are, by name.
        offered: Those that the task offers.

    Raises:
        ConfigError: One names no tool, has arguments that the tool does not take, or wants a call of a tool
            that the task does not offer.
    """
    for check in checks:
        if isinstance(check, InOrder) or (isinstance(check, Called) and check.least):
            for call in tools_of([check]):
                if call.name in tools and call.name not in offered:
                    raise ConfigError(
                        f"{what} wants a call of {call.name!r}, which the task does not offer; it offers "
                        f"{', '.join(offered) or 'no tools'}"
                    )
        for call in tools_of([check]):
            tool = _known(call.name, what, tools)
            properties = tool.parameters.get("properties", {})
            unknown = [name for name in call.arguments if name not in properties]
            if unknown and properties:
                takes, near = ", ".join(properties), did_you_mean(unknown[0], properties)
                raise ConfigError(
                    f"{what} gives {call.name!r} the argument {unknown[0]!r}; it takes {takes}.{near}"
                )
            if not isinstance(check, StateRead):
                _check_values(call, what, tool)
        if isinstance(check, StateRead):
            checked_call(check.call, what, tools)


def _check_values(call: ToolCall, what: str, tool: Tool) -> None:
    """Check the arguments that a check gives: some of the call's, and of objects and lists some members."""
    for violation in check_call(call, tool).violations:
        is_part = violation.kind == "other" and violation.got.startswith(("an object", "an array"))
        if violation.kind != "required" and not is_part:
            raise ConfigError(f"{what} gives {call.name!r} a wrong argument: {violation.message}")
