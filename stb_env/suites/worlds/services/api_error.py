"""Errors that the tools of a world answer with."""

from __future__ import annotations

from stb_env.tools import Status, ToolResult


class ApiError(Exception):
    """A call that a tool refuses; nothing was changed.

    Args:
        message: What the agent reads.
        arguments: Whether the arguments are at fault, and not the state of the world.
        unheard: Whether nobody has looked at what the call asks for.
    """

    def __init__(self, message: str, *, arguments: bool = False, unheard: bool = False) -> None:
        super().__init__(message)
        self.arguments = arguments
        self.unheard = unheard

    @property
    def result(self) -> ToolResult:
        """The result of the call."""
        status = Status.INVALID_ARGUMENTS if self.arguments else Status.TOOL_ERROR
        return ToolResult.of("", error=str(self), source="env" if self.unheard else "world", status=status)
