"""Parcel Desk: parcels on their way to the user, behind a log-in."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import coming_day, days_left, iso_day
from stb_env.suites.sandbox.content.logins import DEMO_TOKEN, log_in, login_rows, user_of
from stb_env.suites.sandbox.content.pickup_points import pickup_points
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import PAGE, city_named, page_of
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Commerce", "Parcel Desk", "Parcels on their way to the user; most calls need a token.")
STATUSES = ("in transit", "out for delivery", "delivered")
SENDERS = (
    "Bellwether Books", "Cobalt Cameras", "Greenfinch Garden", "Haversack Outdoors", "Kestrel Keyboards",
    "Loom and Thread", "Mulberry Tea", "Pebble Toys", "Saltbox Ceramics", "Vinyl Cellar",
)  # fmt: skip
_TOKEN = text("token", "Token from Log In; the demonstration user's works too.", DEMO_TOKEN)
_PARCEL = text("parcel_id", "Id from List Parcels.", "parcel-001")


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with two parcels of the demonstration user and five of the household."""
    users = login_rows(rng, "courier")
    demo, own = users
    parcels: dict[str, Row] = {}
    senders = rng.sample(SENDERS, 7)
    owners = (demo, demo, own, own, own, own, own)
    states = (STATUSES[0], STATUSES[2], STATUSES[0], STATUSES[1], STATUSES[0], STATUSES[2], STATUSES[0])
    for sender, owner, status in zip(senders, owners, states, strict=True):
        key = f"parcel-{len(parcels) + 1:03}"
        offset = {"in transit": rng.randint(2, 12), "out for delivery": 0, "delivered": -rng.randint(1, 20)}
        parcels[key] = {
            "parcel_id": key,
            "user_id": owner,
            "sender": sender,
            "status": status,
            "weight_g": rng.randrange(120, 9_000, 5),
            "city_name": rng.choice(list(cities().values()))["name"],
            "delivery_date": iso_day(offset[status]),
            "pickup_point_id": "",
        }
    return {"courier_users": users, "parcels": parcels}


def _parcel(state: Tables, token: str, parcel_id: str) -> Row:
    row = state.row("parcels", parcel_id)
    if user_of(state.table("courier_users"), token) != (row or {}).get("user_id") or row is None:
        raise ApiError(f"you have no parcel with id {parcel_id[:80]!r}")
    return row


def _movable(state: Tables, token: str, parcel_id: str) -> Row:
    row = _parcel(state, token, parcel_id)
    if row["status"] != "in transit":
        raise ApiError(f"only parcels in transit can be changed; this one is {row['status']}")
    return row


def _shown(row: Row) -> dict[str, object]:
    return {key: value for key, value in row.items() if key != "user_id"}


@TOOL.api(
    "Log In",
    text("user_name", "The user's name at this service.", "demo"),
    text("password", "The user's password.", "demo"),
)
def log_in_user(state: Tables, user_name: str, password: str) -> Response:
    """Get the token that other calls need."""
    return log_in(state.table("courier_users"), user_name, password)


@TOOL.api("List Parcels", _TOKEN, choice("status", "Only these.", ("any", *STATUSES), optional=True), PAGE)
def list_parcels(state: Tables, token: str, status: str, page: int) -> Response:
    """Ids, senders and states of the user's parcels."""
    user = user_of(state.table("courier_users"), token)
    rows = [
        {"parcel_id": row["parcel_id"], "sender": row["sender"], "status": row["status"]}
        for row in state.table("parcels").values()
        if row["user_id"] == user and status in ("any", row["status"])
    ]
    return page_of(rows, page)


@TOOL.api("Parcel Details", _TOKEN, _PARCEL)
def parcel_details(state: Tables, token: str, parcel_id: str) -> Response:
    """Weight in grams, city, day of delivery and pick-up point of one parcel."""
    return _shown(_parcel(state, token, parcel_id))


@TOOL.lookup("Find Pickup Points", text("city_name", "Full name of the city (not an id).", "Marrowgate"))
def find_pickup_points(city_name: str) -> Response:
    """Shops of a city that keep parcels, with opening hours; needs no token."""
    city = city_named(city_name)
    return {"points": [dict(row) for row in pickup_points().values() if row["city_name"] == city["name"]]}


@TOOL.api(
    "Redirect Parcel",
    _TOKEN,
    _PARCEL,
    text("pickup_point_id", "Id from Find Pickup Points, or empty for home delivery.", ""),
)
def redirect_parcel(state: Tables, token: str, parcel_id: str, pickup_point_id: str) -> Update:
    """Send a parcel in transit to a pick-up point of its city."""
    row = _movable(state, token, parcel_id)
    if pickup_point_id:
        point = pickup_points().get(pickup_point_id)
        if point is None or point["city_name"] != row["city_name"]:
            raise ApiError(f"no pick-up point in {row['city_name']} has id {pickup_point_id[:80]!r}")
    row = {**row, "pickup_point_id": pickup_point_id}
    return _shown(row), state.with_row("parcels", parcel_id, row)


@TOOL.api("Change Delivery Day", _TOKEN, _PARCEL, day("date", "The new day.", "2026-03-16"))
def change_delivery_day(state: Tables, token: str, parcel_id: str, date: str) -> Update:
    """Have a parcel in transit delivered on another day, up to thirty days ahead."""
    row = _movable(state, token, parcel_id)
    if days_left(coming_day(date).isoformat()) > 30:
        raise ApiError(f"parcels are kept until {iso_day(30)} at most, got {date}")
    row = {**row, "delivery_date": date}
    return _shown(row), state.with_row("parcels", parcel_id, row)
