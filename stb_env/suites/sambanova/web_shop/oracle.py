"""Solves a task: knows which product is meant, and finds it as somebody would who does not."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from stb_env.suites.sambanova.web_shop.shopper import find_and_buy
from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a task: yields calls, is sent their pages, returns the final answer.

    Searches are made of the instruction's words; the name of the product is in none of them.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.tasks import tasks_of
        >>> next(oracle(tasks_of("test").at(0))).name
        'search'
    """
    options = task.goal["goal_options"]
    choices = options.values() if isinstance(options, Mapping) else options
    yield from find_and_buy(task.goal["instruction_text"], task.goal["asin"].lower(), choices)
    return ""
