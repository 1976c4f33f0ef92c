"""Services with state: an order desk by HTTP and a basket by MCP, on loopback."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, HTTPException
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, Tool, ToolAnnotations
from pydantic import BaseModel

from tests.fakes.shop_service import serving


class NewOrder(BaseModel):
    item: str


class Change(BaseModel):
    status: str


@dataclass
class OrderDesk:
    """The service, its orders, and the requests that it got."""

    url: str = ""
    orders: dict[int, dict[str, Any]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI(title="Order Desk", version="1")

        @app.middleware("http")
        async def note(request: Any, call_next: Any) -> Any:
            if request.method != "HEAD" and request.url.path != "/openapi.json":
                self.asked.append(f"{request.method} {request.url.path}")
            return await call_next(request)

        @app.get("/orders", operation_id="list_orders")
        def list_orders() -> list[dict[str, Any]]:
            return list(self.orders.values())

        @app.post("/orders", operation_id="add_order")
        def add_order(order: NewOrder) -> dict[str, Any]:
            number = len(self.orders) + 1
            self.orders[number] = {"number": number, "item": order.item, "status": "new"}
            return self.orders[number]

        @app.get("/orders/{number}", operation_id="get_order")
        def get_order(number: int) -> dict[str, Any]:
            if number not in self.orders:
                raise HTTPException(404, "no such order")
            return self.orders[number]

        @app.patch("/orders/{number}", operation_id="change_order")
        def change_order(number: int, change: Change) -> dict[str, Any]:
            self.orders[number] = {**get_order(number), "status": change.status}
            return self.orders[number]

        @app.delete("/orders/{number}", operation_id="drop_order", status_code=204)
        def drop_order(number: int) -> None:
            del self.orders[get_order(number)["number"]]

        @app.post("/testing/reset")
        def reset() -> None:
            self.orders.clear()

        return app

    @contextlib.contextmanager
    def running(self) -> Iterator[OrderDesk]:
        with serving(self.app()) as self.url:
            yield self


@contextlib.contextmanager
def basket() -> Iterator[str]:
    """Serve a basket whose tools are put and look, and yield its URL."""
    with serving(basket_server().streamable_http_app(json_response=True)) as url:
        yield f"{url}/mcp"


def basket_server() -> Server[Any]:
    """Return the server of a basket that is empty at first."""
    held: list[str] = []
    text = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
    tools = [
        Tool(name="put", description="Puts an item into the basket.", input_schema=text),
        Tool(
            name="look",
            description="Looks into the basket.",
            input_schema={"type": "object", "properties": {}},
            annotations=ToolAnnotations(read_only_hint=True),
        ),
    ]

    async def list_tools(_ctx: Any, _params: Any) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(_ctx: Any, params: Any) -> CallToolResult:
        if params.name == "put":
            held.append(params.arguments["item"])
        return CallToolResult(content=[], structured_content={"items": list(held)})

    return Server("basket", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def _serve_by_pipes() -> None:
    server = basket_server()
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(_serve_by_pipes())
