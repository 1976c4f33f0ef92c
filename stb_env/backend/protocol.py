"""What answers the tool calls of an episode."""

from __future__ import annotations

from typing import Any, Protocol

from stb_env.request import Slow
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult


class Backend(Protocol):
    """Answers tool calls. Holds no episode: the episode's state goes in and comes out.

    The state is an immutable value (None, a frozen dataclass, a tuple ...), so that a snapshot is a
    reference and a fork costs nothing. It must be picklable.
    """

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Plain data that decides the answers (mode, hashes, versions), for the run's manifest."""
        ...

    def start(self, task: Task, seed: int) -> Any:
        """Return the state at the start of an episode of this task."""
        ...

    def answer(self, state: Any, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, Any]]:
        """Answer one call whose arguments are valid (coerced already); return the result and the new state.

        Raises:
            InfrastructureError: No usable answer came.
        """
        ...

    def recorded(self, state: Any, tool: Tool, call: ToolCall) -> ToolResult | None:
        """Return what was recorded for exactly this call, valid or not, or None.

        A recording is what the API really said, so it is preferred to our own complaint about the
        arguments. Backends without recordings return None.
        """
        ...

    def close(self) -> None:
        """Release handles."""
        ...
