"""A server of the Model Context Protocol, on loopback by HTTP."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from mcp.server import Server
from mcp_types import CallToolResult, ListToolsResult, TextContent, Tool

from tests.fakes.shop_service import serving

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def server(asked: list[str]) -> Server[Any]:
    async def list_tools(_ctx: Any, params: Any) -> ListToolsResult:
        # Two pages, so that whoever reads one alone is found out.
        if params is None or params.cursor is None:
            return ListToolsResult(tools=[tool("double number")], next_cursor="2")
        return ListToolsResult(tools=[tool("fail"), tool("secret")])

    async def call_tool(_ctx: Any, params: Any) -> CallToolResult:
        asked.append(params.name)
        n = (params.arguments or {}).get("n", 0)
        if params.name == "fail":
            return CallToolResult(content=[TextContent(type="text", text=f"{n} is too much")], is_error=True)
        if params.name == "secret":
            return CallToolResult(content=[TextContent(type="text", text="it is token-24680")])
        doubled = {"doubled": 2 * n}
        return CallToolResult(
            content=[TextContent(type="text", text="see there")], structured_content=doubled
        )

    return Server("number-server", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


def tool(name: str) -> Tool:
    return Tool(name=name, description=f"Does {name}.", input_schema=NUMBER)


@contextlib.contextmanager
def running() -> Iterator[tuple[str, list[str]]]:
    """Serve, and yield the URL and the names of the tools that were called."""
    asked: list[str] = []
    app = server(asked).streamable_http_app(json_response=True)
    with serving(app) as url:
        yield f"{url}/mcp", asked
