"""Shops for what is wanted: searches for its name, goes through the results, chooses and buys."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from stb_env.suites.sambanova.web_shop.catalogue import MOST_FOUND
from stb_env.suites.sambanova.web_shop.program import CLICK, SEARCH
from stb_env.suites.sambanova.web_shop.session import BUY, NEXT, PER_PAGE
from stb_env.tasks import Task
from stb_env.tools import ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a task: yields calls, is sent their pages, returns the final answer.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.tasks import WebShopTasks
        >>> next(oracle(WebShopTasks().at(0))).name
        'search'
    """
    goal = task.goal
    result = yield ToolCall(SEARCH, {"query": goal["name"]})
    for _ in range(MOST_FOUND // PER_PAGE - 1):
        if goal["asin"] in result.text:
            break
        result = yield _click(NEXT)
    yield _click(goal["asin"])
    options = goal["goal_options"]
    for value in options.values() if isinstance(options, Mapping) else options:
        yield _click(value)
    yield _click(BUY)
    return ""


def _click(element: str) -> ToolCall:
    return ToolCall(CLICK, {"element": element.lower()})
