"""Sky Booker: the user's flight bookings; flight numbers and fares are those of SkyFare."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env import seeding
from stb_env.backend.world import Row, Table, Tables
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.coming_days import coming_day, days_left, iso_day
from stb_env.suites.sandbox.content.flights import CABINS, fare, flights
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import added, changed, found
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Travel", "Sky Booker", "The user's flight bookings, in aurel (AUR).")
CHANGE_FEE = 35.0
LOCKED_DAYS = 2
SEATS = tuple(f"{row}{letter}" for row in range(10, 16) for letter in "ABCDEF")
_TRIP = text("trip_id", "Id from List Trips.", "trip-001")
_FLIGHT = text("flight_id", "Flight number.", "SJ101")


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with four trips, the third of them too close to be changed."""
    trips: dict[str, Row] = {}
    offsets = (rng.randint(20, 50), rng.randint(8, 15), 1, rng.randint(60, 90))
    for flight_id, offset in zip(rng.sample(sorted(flights()), len(offsets)), offsets, strict=True):
        key = f"trip-{len(trips) + 1:03}"
        trips[key] = {"trip_id": key, **_terms(flight_id, iso_day(offset), "economy"), **_fresh()}
    return {"trips": trips}


def _terms(flight_id: str, date: str, cabin: str) -> JsonObject:
    flight = found(flights().get(flight_id), "flight", flight_id)
    return {
        "flight_id": flight_id,
        "destination": cities()[flight["destination_city_id"]]["name"],
        "date": date,
        "cabin": cabin,
        "paid": fare(flight, coming_day(date).toordinal(), cabin),
    }


def _fresh() -> dict[str, object]:
    return {"seat": "", "status": "booked", "refund": 0.0}


def free_seats(flight_id: str, date: str) -> list[str]:
    """Return the seats of a flight that nobody has on a day, about half of them."""
    start = edition.derive("seat", flight_id, date)
    return [seat for number, seat in enumerate(SEATS) if seeding.mix(start, number) % 2]


def _touchable(state: Tables, trip_id: str) -> Row:
    row: Row = found(state.row("trips", trip_id), "trip", trip_id)
    if row["status"] == "cancelled":
        raise ApiError(f"trip {trip_id} is cancelled")
    if days_left(row["date"]) < LOCKED_DAYS:
        raise ApiError(f"no changes within {LOCKED_DAYS} days of departure, which is on {row['date']}")
    return row


@TOOL.api("List Trips")
def list_trips(state: Tables) -> Response:
    """The user's trips, cancelled ones included, and today's date."""
    return {"today": iso_day(0), "trips": [dict(row) for row in state.table("trips").values()]}


@TOOL.lookup("Seat Map", _FLIGHT, day("date", "Day of departure.", "2026-04-15"))
def seat_map(flight_id: str, date: str) -> Response:
    """Seats of a flight that are still free; A and F are at the window."""
    found(flights().get(flight_id), "flight", flight_id)
    coming_day(date)
    return {"flight_id": flight_id, "date": date, "free": free_seats(flight_id, date)}


@TOOL.api(
    "Book Flight",
    _FLIGHT,
    day("date", "Day of departure.", "2026-04-15"),
    choice("cabin", "Cabin.", CABINS, optional=True),
)
def book_flight(state: Tables, flight_id: str, date: str, cabin: str) -> Update:
    """Book and pay one seat on a flight."""
    terms = _terms(flight_id, date, cabin)
    return added(state, "trips", "trip", **terms, **_fresh())


@TOOL.api("Choose Seat", _TRIP, text("seat", "Seat such as 12A, from Seat Map.", ""))
def choose_seat(state: Tables, trip_id: str, seat: str) -> Update:
    """Reserve a free seat for a trip, or give it up with an empty one."""
    row = _touchable(state, trip_id)
    seat = seat.strip().upper()
    if seat and seat not in free_seats(row["flight_id"], row["date"]):
        raise ApiError(f"seat {seat[:8]!r} is not free")
    return changed(state, "trips", trip_id, row, seat=seat)


@TOOL.api("Change Flight Day", _TRIP, day("date", "New day of departure.", "2026-04-15"))
def change_flight_day(state: Tables, trip_id: str, date: str) -> Update:
    """Fly on another day for that day's fare and a fee of 35 AUR; not within 2 days of departure."""
    row = _touchable(state, trip_id)
    if date == row["date"]:
        raise ApiError(f"the trip is on {date} already")
    terms = _terms(row["flight_id"], date, row["cabin"])
    terms["paid"] = round(terms["paid"] + CHANGE_FEE, 2)
    return changed(state, "trips", trip_id, row, **terms, seat="")


@TOOL.api("Cancel Trip", _TRIP)
def cancel_trip(state: Tables, trip_id: str) -> Update:
    """Cancel a trip and get 70 % back; not within 2 days of departure."""
    row = _touchable(state, trip_id)
    return changed(state, "trips", trip_id, row, status="cancelled", refund=round(row["paid"] * 0.7, 2))
