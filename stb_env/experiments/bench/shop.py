"""A backend that answers at once, and its one task, for episodes before a slow endpoint."""

from __future__ import annotations

from stb_env import Task, TaskSet, Tool, ToolCall, ToolResult
from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow

_TEXT = {"type": "string", "description": "What to look for, in words."}
QUERY = "Find green tea that costs less than coffee."
SHOP = Tool(
    "search_products",
    "Finds what a shop sells, and returns the first of it with price and stock.",
    {"type": "object", "properties": {"query": _TEXT, "limit": {"type": "integer"}}, "required": ["query"]},
)
FOUND = ToolResult.of([{"name": "green tea", "price": 3.5, "stock": 12}] * 7, source="world")
TASKS = TaskSet([Task("tea", QUERY, (SHOP,))], name="tea")


class Shop:
    """Answers each search alike."""

    fingerprint: JsonObject = {"backend": "bench"}  # noqa: RUF012 (as `Backend` has it, never changed)

    def start(self, task: Task, seed: int) -> None:
        """Return its state: there is none."""

    def answer(self, state: None, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, None]]:  # noqa: ARG002 (as `Backend` has it)
        """Return what is known already, as a cache does; yields nothing."""
        yield from ()
        return FOUND, state

    def recorded(self, state: None, tool: Tool, call: ToolCall) -> None:
        """Return what was recorded: nothing."""

    def close(self) -> None:
        """Release nothing."""
