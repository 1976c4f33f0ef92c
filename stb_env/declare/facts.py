"""The tool with which an agent asks the user of a task for what the query does not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env.tools import Tool, ToolId, ToolResult

ASK_USER = "ask_user"
"""Name of the tool."""
_UNKNOWN = "The user does not know that."


def asking_tool(names: Sequence[str], identity: ToolId) -> Tool:
    """Return the tool.

    Args:
        names: What can be asked about, the same in every task, so that the tool tells nothing of it.
        identity: Its identity.
    """
    about = {"type": "string", "enum": list(names), "description": "What to ask about."}
    parameters = {
        "type": "object",
        "properties": {"about": about},
        "required": ["about"],
        "additionalProperties": False,
    }
    description = "Asks the person who made the request about a detail of it, which they may not know."
    return Tool(ASK_USER, description, parameters, identity)


def answer_of(facts: Mapping[str, object], about: str) -> ToolResult:
    """Return what the user says.

    Examples:
        >>> answer_of({"size": 42}, "size").response, answer_of({}, "size").error
        (42, 'The user does not know that.')
    """
    value = facts.get(about)
    return (
        ToolResult.of("", error=_UNKNOWN, source="world")
        if value is None
        else ToolResult.of(value, source="world")
    )
