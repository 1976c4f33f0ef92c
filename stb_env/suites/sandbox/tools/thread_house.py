"""Thread House: clothes, what the user bought there, returns and exchanges; prices in cents."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import days_left, iso_day
from stb_env.suites.sandbox.content.garments import SIZES, garments
from stb_env.suites.sandbox.conventions import PAGE, added, changed, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Commerce", "Thread House", "A fashion shop; prices in cents (1 AUR = 100 cents).")
STATUSES = ("processing", "delivered", "cancelled", "returning", "exchanging")
_GARMENT = text("garment_id", "Id from Search Garments.", "garment-001")
_SIZE = choice("size", "Size.", SIZES)
_RETURN_DAYS = 30
# Days since delivery; None is not delivered yet.
_HISTORY = (None, 9, 55, None, 18, 80, 4, 12, 21, 64)


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with purchases: two in processing, some that may go back, some too old for that."""
    purchases: dict[str, Row] = {}
    for garment, age in zip(rng.sample(list(garments().values()), len(_HISTORY)), _HISTORY, strict=True):
        key, quantity = f"purchase-{len(purchases) + 1:03}", rng.randint(1, 3)
        purchases[key] = {
            "purchase_id": key,
            "garment_id": garment["garment_id"],
            "garment": garment["name"],
            "size": rng.choice(("S", "L")),
            "quantity": quantity,
            "paid_cents": garment["price_cents"] * quantity,
            "status": "processing" if age is None else "delivered",
            "delivered_on": "" if age is None else iso_day(-age - rng.randrange(6)),
        }
    return {"purchases": purchases}


def _stocked(garment_id: str, size: str, quantity: int) -> Row:
    row: Row = found(garments().get(garment_id), "garment", garment_id)
    if quantity > row["stock"][size]:
        raise ApiError(f"{row['name']} in {size}: {row['stock'][size]} in stock")
    return row


def _returnable(state: Tables, purchase_id: str) -> Row:
    row: Row = found(state.row("purchases", purchase_id), "purchase", purchase_id)
    if row["status"] != "delivered":
        raise ApiError(f"only what was delivered can go back; this purchase is {row['status']}")
    if days_left(row["delivered_on"]) < -_RETURN_DAYS:
        last = date.fromisoformat(row["delivered_on"]) + timedelta(days=_RETURN_DAYS)
        raise ApiError(f"the {_RETURN_DAYS} days for returns and exchanges ended on {last}")
    return row


@TOOL.lookup("Search Garments", text("name", "Part of the name, in any case.", "shirt"), PAGE)
def search_garments(name: str, page: int) -> Response:
    """Find garments by part of their name; returns ids, names and prices in cents."""
    rows = search(garments().values(), "name", name)
    return page_of(columns(rows, "garment_id", "name", "price_cents"), page)


@TOOL.lookup("Garment Details", _GARMENT)
def garment_details(garment_id: str) -> Response:
    """Price in cents and stock by size."""
    row = found(garments().get(garment_id), "garment", garment_id)
    return {**row, "stock": dict(row["stock"])}


@TOOL.api(
    "List Purchases",
    text("name", "Part of the garment's name.", "", optional=True),
    choice("status", "Only these.", ("any", *STATUSES), optional=True),
    PAGE,
)
def list_purchases(state: Tables, name: str, status: str, page: int) -> Response:
    """What the user bought, oldest first."""
    return page_of(search(state.table("purchases").values(), "garment", name, status=status), page)


@TOOL.api("Buy Garment", _GARMENT, whole("quantity", "How many.", 1, 1, 9), _SIZE)
def buy_garment(state: Tables, garment_id: str, quantity: int, size: str) -> Update:
    """Buy at once, without a cart."""
    garment = _stocked(garment_id, size, quantity)
    return added(
        state,
        "purchases",
        "purchase",
        garment_id=garment_id,
        garment=garment["name"],
        size=size,
        quantity=quantity,
        paid_cents=garment["price_cents"] * quantity,
        status="processing",
        delivered_on="",
    )


@TOOL.api("Cancel Purchase", text("purchase_id", "Id from List Purchases.", "purchase-001"))
def cancel_purchase(state: Tables, purchase_id: str) -> Update:
    """Cancel a purchase that is still in processing; everything paid comes back."""
    row = found(state.row("purchases", purchase_id), "purchase", purchase_id)
    if row["status"] != "processing":
        raise ApiError(f"only a purchase in processing can be cancelled; this one is {row['status']}")
    row = {**row, "status": "cancelled"}
    refund = {"purchase_id": purchase_id, "refund_cents": row["paid_cents"]}
    return refund, state.with_row("purchases", purchase_id, row)


@TOOL.api("Return Purchase", text("purchase_id", "Id from List Purchases.", "purchase-002"))
def return_purchase(state: Tables, purchase_id: str) -> Update:
    """Send a delivered purchase back for its price less 395 cents of postage, within 30 days."""
    row = {**_returnable(state, purchase_id), "status": "returning"}
    refund = {"purchase_id": purchase_id, "refund_cents": row["paid_cents"] - 395}
    return refund, state.with_row("purchases", purchase_id, row)


@TOOL.api(
    "Exchange Size",
    text("purchase_id", "Id from List Purchases.", "purchase-002"),
    choice("new_size", "Size wanted instead.", SIZES),
)
def exchange_size(state: Tables, purchase_id: str, new_size: str) -> Update:
    """Swap a delivered purchase for another size in stock, within 30 days of delivery."""
    row = _returnable(state, purchase_id)
    if new_size == row["size"]:
        raise ApiError(f"the purchase is in size {new_size} already")
    _stocked(row["garment_id"], new_size, row["quantity"])
    return changed(state, "purchases", purchase_id, row, status="exchanging", size=new_size)
