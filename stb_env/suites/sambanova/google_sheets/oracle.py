"""The gold solution: the calls of the task, or its first accepted program."""

from __future__ import annotations

from collections.abc import Generator

from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a task: yields its calls, is sent the results, returns the final answer.

    Examples:
        >>> from stb_env.suites.sambanova.google_sheets.tasks import SheetsTasks
        >>> next(oracle(SheetsTasks().at(0))).name
        'delete_rows'
    """
    for call in task.gold:
        # Sent results have nowhere to go, which a tuple would choke on.
        _ = yield call
    return "The worksheet is as you asked for."
