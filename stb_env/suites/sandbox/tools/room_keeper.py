"""Room Keeper: hotel stays, priced in aurel; the hotels are those of StayFinder."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import compress
from typing import TypeVar

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.coming_days import coming_day, days_left, iso_day
from stb_env.suites.sandbox.content.currencies import convert
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.hotels import hotels, hotels_by_city
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import added, changed, found
from stb_env.suites.sandbox.params import day, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Travel", "Room Keeper", "The user's hotel stays, booked and paid in aurel (AUR).")
LOCKED_DAYS, HALF_DAYS = 3, 14
_EXAMPLE_DAY = "2026-05-04"
_STAY = text("stay_id", "Id from List Stays.", "stay-001")
_NIGHTS = whole("nights", "Number of nights.", 2, 1, 14)
_CHECK_IN = day("check_in", "Day of arrival.", _EXAMPLE_DAY)

D = TypeVar("D", date, str)


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with four stays: two far off, one within two weeks, one too close to be touched."""
    stays: dict[str, Row] = {}
    offsets = (rng.randint(30, 60), rng.randint(5, 12), rng.randint(1, 2), rng.randint(70, 100))
    for hotel, offset in zip(rng.sample(_examples(), len(offsets)), offsets, strict=True):
        key, nights = f"stay-{len(stays) + 1:03}", rng.randint(1, 6)
        stays[key] = {
            "stay_id": key,
            **_terms(hotel, iso_day(offset), nights),
            "status": "booked",
            "refund": 0.0,
        }
    return {"stays": stays}


@per_edition()
def _examples() -> list[Row]:
    # The documented example of Change Stay has to work in every household.
    return [hotel for key, hotel in hotels().items() if _has_room(key, _EXAMPLE_DAY)]


def _nightly(hotel: Row) -> float:
    return convert(hotel["nightly_price"], hotel["currency"], "AUR")


def _terms(hotel: Row, check_in: str, nights: int) -> dict[str, object]:
    return {
        "hotel_id": hotel["hotel_id"],
        "hotel": hotel["name"],
        "check_in": check_in,
        "nights": nights,
        "total": round(_nightly(hotel) * nights, 2),
    }


def days_with_room(hotel_id: str, days: Sequence[D]) -> list[D]:
    """Return the days, as dates or text, from which on a hotel has a room: two thirds of them."""
    return list(compress(days, (draw % 3 for draw in edition.derive_each(("room", hotel_id), days))))


def _has_room(hotel_id: str, check_in: str) -> bool:
    return bool(days_with_room(hotel_id, [check_in]))


def _bookable(hotel_id: str, check_in: str, nights: int) -> dict[str, object]:
    hotel = found(hotels().get(hotel_id), "hotel", hotel_id)
    coming_day(check_in)
    if not _has_room(hotel_id, check_in):
        raise ApiError(f"{hotel['name']} is full on {check_in}")
    return _terms(hotel, check_in, nights)


def _touchable(state: Tables, stay_id: str) -> Row:
    row: Row = found(state.row("stays", stay_id), "stay", stay_id)
    if row["status"] == "cancelled":
        raise ApiError(f"stay {stay_id} is cancelled")
    if days_left(row["check_in"]) < LOCKED_DAYS:
        raise ApiError(f"no changes within {LOCKED_DAYS} days of arrival, which is on {row['check_in']}")
    return row


@TOOL.lookup("Find Rooms", text("city_id", "Id of the city, as City Atlas has it.", "city-001"), _CHECK_IN)
def find_rooms(city_id: str, check_in: str) -> Response:
    """Hotels of a city, by name: price a night in AUR, and whether they have a room from that day on."""
    found(cities().get(city_id), "city", city_id)
    coming_day(check_in)
    offers = [
        {
            "hotel_id": hotel["hotel_id"],
            "hotel": hotel["name"],
            "nightly_aur": _nightly(hotel),
            "available": _has_room(hotel["hotel_id"], check_in),
        }
        for hotel in sorted(hotels_by_city()[city_id], key=lambda row: str(row["name"]))
    ]
    return {"check_in": check_in, "hotels": offers}


@TOOL.api("List Stays")
def list_stays(state: Tables) -> Response:
    """The user's stays, cancelled ones included, and the desk's date."""
    return {"today": iso_day(0), "stays": [dict(row) for row in state.table("stays").values()]}


@TOOL.api("Book Room", text("hotel_id", "Id from Find Rooms.", "hotel-001"), _CHECK_IN, _NIGHTS)
def book_room(state: Tables, hotel_id: str, check_in: str, nights: int) -> Update:
    """Book a room; refused where the hotel is full."""
    terms = _bookable(hotel_id, check_in, nights)
    return added(state, "stays", "stay", **terms, status="booked", refund=0.0)


@TOOL.api("Change Stay", _STAY, day("check_in", "New day of arrival.", _EXAMPLE_DAY), _NIGHTS)
def change_stay(state: Tables, stay_id: str, check_in: str, nights: int) -> Update:
    """Give a stay other days and the price of those; not within 3 days of arrival."""
    row = _touchable(state, stay_id)
    return changed(state, "stays", stay_id, row, **_bookable(row["hotel_id"], check_in, nights))


@TOOL.api("Cancel Stay", _STAY)
def cancel_stay(state: Tables, stay_id: str) -> Update:
    """Cancel a stay: all comes back up to 14 days before arrival, half up to 3, later it is refused."""
    row = _touchable(state, stay_id)
    share = 1.0 if days_left(row["check_in"]) >= HALF_DAYS else 0.5
    return changed(state, "stays", stay_id, row, status="cancelled", refund=round(row["total"] * share, 2))
