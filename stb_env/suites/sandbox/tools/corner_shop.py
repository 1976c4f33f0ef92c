"""Corner Shop: products, the user's cart and orders."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.products import DEPARTMENTS, products
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Commerce", "Corner Shop", "A shop; prices in aurel (AUR).")
_ID = text("product_id", "Id from Search Products.", "product-001")


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with a cart with one line and one order."""
    keys = rng.sample(sorted(products()), 4)
    order = {
        "order_id": "order-001",
        "lines": [{"product_id": key, "quantity": 1} for key in keys],
        "status": "paid",
    }
    # The cart starts with one line, so that documented examples work and "empty it first" is a real step.
    key = "product-001"
    return {"cart": {key: {"product_id": key, "quantity": 1}}, "orders": {"order-001": order}}


def _total(state: Tables) -> float:
    lines = state.table("cart").values()
    total: float = sum(products()[row["product_id"]]["price_aur"] * row["quantity"] for row in lines)
    return round(total, 2)


@TOOL.lookup(
    "Search Products",
    text("query", "Part of the name, in any case.", "desk"),
    choice("department", "Only this department.", ("any", *DEPARTMENTS), optional=True),
    PAGE,
)
def search_products(query: str, department: str, page: int) -> Response:
    """Find products by part of their name; returns ids and names."""
    rows = search(products().values(), "name", query, department=department)
    return page_of(columns(rows, "product_id", "name"), page)


@TOOL.lookup("Product Details", _ID)
def product_details(product_id: str) -> Response:
    """Price, weight and stock of one product."""
    return dict(found(products().get(product_id), "product", product_id))


@TOOL.api("View Cart")
def view_cart(state: Tables) -> Response:
    """What is in the cart, and the total."""
    lines = [{**row, "name": products()[key]["name"]} for key, row in state.table("cart").items()]
    return {"lines": lines, "total": _total(state), "currency": "AUR"}


@TOOL.api("Set Cart Quantity", _ID, whole("quantity", "How many.", 1, 0, 1000))
def set_cart_quantity(state: Tables, product_id: str, quantity: int) -> Update:
    """Set how many of a product are in the cart; 0 takes it out."""
    product = found(products().get(product_id), "product", product_id)
    if quantity > product["stock"]:
        raise ApiError(f"only {product['stock']} in stock")
    if quantity:
        state = state.with_row("cart", product_id, {"product_id": product_id, "quantity": quantity})
    else:
        state = state.without_row("cart", product_id)
    return {"product_id": product_id, "quantity": quantity, "cart_total": _total(state)}, state


@TOOL.api("Place Order")
def place_order(state: Tables) -> Update:
    """Order and pay for what is in the cart; the cart is empty afterwards."""
    lines = sorted(state.table("cart").values(), key=lambda row: str(row["product_id"]))
    if not lines:
        raise ApiError("the cart is empty")
    total = _total(state)
    key, state = state.next_id("order")
    row = {"order_id": key, "lines": lines, "status": "paid"}
    for line in lines:
        state = state.without_row("cart", line["product_id"])
    return {"order_id": key, "total": total, "currency": "AUR"}, state.with_row("orders", key, row)


@TOOL.api("List Orders", PAGE)
def list_orders(state: Tables, page: int) -> Response:
    """The user's orders, oldest first."""
    return page_of(state.table("orders").values(), page)


@TOOL.api("Cancel Order", text("order_id", "Id from List Orders.", "order-001"))
def cancel_order(state: Tables, order_id: str) -> Update:
    """Cancel an order."""
    row = found(state.row("orders", order_id), "order", order_id)
    if row["status"] == "cancelled":
        raise ApiError(f"order {order_id} is cancelled already")
    row = {**row, "status": "cancelled"}
    return {"order_id": order_id, "status": "cancelled"}, state.with_row("orders", order_id, row)
