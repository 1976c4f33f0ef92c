"""The gold solution of a household task: the steps of its first label."""

from __future__ import annotations

from collections.abc import Generator

from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a task: yields its steps one by one, returns the final answer.

    Examples:
        >>> from stb_env.suites.sambanova.virtual_home.tasks import VirtualHomeTasks
        >>> next(oracle(VirtualHomeTasks().at(0))).name in ("Find", "WalkTo", "RunTo")
        True
    """
    # Results are sent to a generator; the iterator of a tuple cannot take them.
    for call in task.gold:  # noqa: UP028
        yield call
    return "Done."
