"""Errors that the tools of a world answer with."""

from __future__ import annotations


class ApiError(Exception):
    """A call that a tool refuses; nothing was changed.

    Args:
        message: What the agent reads.
        arguments: Whether the arguments are at fault, and not the state of the world.
    """

    def __init__(self, message: str, *, arguments: bool = False) -> None:
        super().__init__(message)
        self.arguments = arguments
