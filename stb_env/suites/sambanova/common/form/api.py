"""The description of one form: its functions, its values and what they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from stb_env.core.jsontypes import JsonMapping
from stb_env.tools import Tool, ToolId

Criteria = Mapping[str, object]
Signatures = Mapping[str, tuple[str, ...]]
"""Names of parameters, all of them required, by the name of the function."""

PROGRAM = "program"
SEARCH = "search"


class Fill(Protocol):
    """The effect of a call on the criteria."""

    def __call__(self, criteria: Criteria, name: str, value: object, *, strict: bool) -> Criteria:
        """Return the criteria after a call.

        Args:
            criteria: What is filled in so far; it stays as it is.
            name: The function.
            value: Its argument; None where it takes none.
            strict: Whether what the documentation forbids is refused although the original lets it through.

        Raises:
            CrashError: The call is not allowed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Made:
    """A value that a program constructs, such as ``Loc("Fargo")``.

    Attributes:
        name: Its class.
        arguments: What it was made of, by parameter.
    """

    name: str
    arguments: JsonMapping


@dataclass(frozen=True, slots=True)
class Form:
    """The state of an episode.

    Attributes:
        criteria: What is filled in.
        submitted: Whether they were searched for as they are.
    """

    criteria: Criteria = field(default_factory=dict)
    submitted: bool = False


@dataclass(frozen=True, eq=False)
class FormApi:
    """A form that programs fill in through the methods of one object; equal to itself alone.

    Attributes:
        name: Name of the world.
        version: Raised where equal calls get another answer.
        tools: Its methods, and the tool that takes a whole program.
        classes: Values that programs construct.
        fill: What a call does.
        find: What is there for the criteria; never raises, whatever these hold.
    """

    name: str
    version: int
    tools: tuple[Tool, ...]
    classes: Signatures
    fill: Fill
    find: Callable[[Criteria], Any]

    @cached_property
    def by_name(self) -> Mapping[str, Tool]:
        """Tools by their names."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def methods(self) -> Signatures:
        """Parameters of each method."""
        return {
            tool.name: tuple(tool.parameters["properties"]) for tool in self.tools if tool.name != PROGRAM
        }


def program_tool(category: str, service: str) -> Tool:
    """Return the tool that takes a whole program.

    Examples:
        >>> program_tool("Travel", "trips").name
        'program'
    """
    text = {"type": "string", "description": "The program."}
    return Tool(
        PROGRAM,
        "Makes all the calls of a program on API. Plain Python is read, within bounds: variables, loops, "
        "functions and formatted texts, without classes, files or libraries other than math.",
        {"type": "object", "properties": {"text": text}, "required": ["text"]},
        ToolId.of(category, service, PROGRAM),
    )


def method_tool(
    category: str,
    service: str,
    name: str,
    description: str,
    parameter: str = "",
    schema: Mapping[str, object] | None = None,
) -> Tool:
    """Return the tool of a method that takes one argument, or none.

    Examples:
        >>> method_tool("Travel", "trips", "search", "Searches.").parameters["required"]
        []
    """
    properties = {parameter: schema} if parameter else {}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return Tool(name, description, parameters, ToolId.of(category, service, name))
