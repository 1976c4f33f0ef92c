"""A shop with stock, orders, payments and receipts behind a key, on loopback."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, FastAPI, File, HTTPException, UploadFile
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

from tests.fakes.shop_service import serving

KEY = "stock-key-0123456789"
STOCK = {"A-7": 5, "A-8": 0, "A-9": 3}
_PAGE = 2


class NewOrder(BaseModel):
    sku: str
    count: int = 1


class Change(BaseModel):
    count: int


class Payment(BaseModel):
    card: str


def keyed(key: Annotated[str, Depends(APIKeyHeader(name="X-Stock-Key"))]) -> None:
    if key != KEY:
        raise HTTPException(401, "bad key")


@dataclass
class StatefulShop:
    """The service and its tables."""

    url: str = ""
    stock: dict[str, int] = field(default_factory=lambda: dict(STOCK))
    orders: dict[int, dict[str, Any]] = field(default_factory=dict)
    receipts: list[dict[str, Any]] = field(default_factory=list)

    def app(self) -> FastAPI:
        app = FastAPI(title="Stock", version="1")
        guarded = {"dependencies": [Depends(keyed)]}

        def found(number: int) -> dict[str, Any]:
            if number not in self.orders:
                raise HTTPException(404, "no such order")
            return self.orders[number]

        @app.get("/products", operation_id="list_products", **guarded)
        def list_products(page: int = 1) -> dict[str, Any]:
            """List products, two a page."""
            rows = [{"sku": sku, "stock": stock} for sku, stock in self.stock.items()]
            shown = rows[(page - 1) * _PAGE : page * _PAGE]
            return {"products": shown, "next": page + 1 if page * _PAGE < len(rows) else None}

        @app.post("/orders", operation_id="add_order", status_code=201, **guarded)
        def add_order(order: NewOrder) -> dict[str, Any]:
            if self.stock.get(order.sku, 0) < order.count:
                raise HTTPException(409, "out of stock")
            self.stock[order.sku] -= order.count
            number = len(self.orders) + 1
            self.orders[number] = {"number": number, **order.model_dump(), "status": "new"}
            return self.orders[number]

        @app.get("/orders/{number}", operation_id="get_order", **guarded)
        def get_order(number: int) -> dict[str, Any]:
            return found(number)

        @app.patch("/orders/{number}", operation_id="change_order", **guarded)
        def change_order(number: int, change: Change) -> dict[str, Any]:
            order = found(number)
            self.stock[order["sku"]] += order["count"] - change.count
            order["count"] = change.count
            return order

        @app.delete("/orders/{number}", operation_id="drop_order", status_code=204, **guarded)
        def drop_order(number: int) -> None:
            order = found(number)
            self.stock[order["sku"]] += order["count"]
            del self.orders[number]

        @app.post("/orders/{number}/payments", operation_id="pay", **guarded)
        def pay(number: int, payment: Payment) -> dict[str, Any]:
            if payment.card != "good":
                raise HTTPException(402, "the card was declined")
            found(number)["status"] = "paid"
            return found(number)

        @app.post("/receipts", operation_id="upload_receipt", **guarded)
        async def upload_receipt(file: Annotated[UploadFile, File()]) -> dict[str, Any]:
            self.receipts.append({"text": (await file.read()).decode()})
            return {"receipts": len(self.receipts)}

        @app.get("/receipts", operation_id="list_receipts", **guarded)
        def list_receipts() -> list[dict[str, Any]]:
            return self.receipts

        @app.post("/testing/reset")
        def reset() -> None:
            self.stock = dict(STOCK)
            self.orders.clear()
            self.receipts.clear()

        return app

    @contextlib.contextmanager
    def running(self) -> Iterator[StatefulShop]:
        with serving(self.app()) as self.url:
            yield self
