"""The gold solution of a task whose action is one request: its one call."""

from __future__ import annotations

from collections.abc import Generator

from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a task: yields its call, is sent the result, returns the final answer.

    Examples:
        >>> from stb_env.tools import Tool
        >>> task = Task("1", "Ping?", (Tool("ping", "", {}),), gold=(ToolCall("ping", {}),))
        >>> next(oracle(task)).name
        'ping'
    """
    yield task.gold[0]
    return "The request is sent."
