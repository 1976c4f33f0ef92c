"""Table Book: reservations at restaurants."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.bistros import CUISINES, MOST_GUESTS, bistros, free_tables
from stb_env.suites.sandbox.content.coming_days import coming_day, days_left, iso_day
from stb_env.suites.sandbox.conventions import added, changed, city_named, found, parse_clock
from stb_env.suites.sandbox.params import choice, clock, day, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Dining", "Table Book", "Reservations at restaurants; deposits in aurel (AUR).")
_BISTRO = text("bistro_id", "Id from Find Restaurants.", "bistro-001")
_DAY = day("date", "The day.", "2026-05-04")
_GUESTS = whole("guests", "Number of guests.", 2, 1, MOST_GUESTS)
_RESERVATION = text("reservation_id", "Id from List Reservations.", "reservation-001")


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with three reservations, the last of them for tomorrow."""
    reservations: dict[str, Row] = {}
    offsets = (rng.randint(6, 20), rng.randint(25, 45), 1)
    for bistro, offset in zip(rng.sample(list(bistros().values()), len(offsets)), offsets, strict=True):
        key = f"reservation-{len(reservations) + 1:03}"
        time = rng.choice(("12:15", "12:45", "13:15"))
        row = _row(bistro, iso_day(offset), time, rng.randint(2, MOST_GUESTS), "main hall")
        reservations[key] = {"reservation_id": key, **row}
    return {"reservations": reservations}


def _row(bistro: Row, date: str, time: str, guests: int, area: str) -> dict[str, object]:
    return {
        "bistro_id": bistro["bistro_id"],
        "restaurant": bistro["name"],
        "date": date,
        "time": time,
        "guests": guests,
        "area": area,
        "deposit": bistro["deposit_per_guest"] * guests,
    }


def _free_area(bistro_id: str, date: str, time: str) -> str:
    coming_day(date)
    parse_clock(time)
    free = free_tables(bistro_id, date)
    if time not in free:
        raise ApiError(f"no table is free at {time} on {date}; free: {', '.join(free) or 'none'}")
    return free[time]


def _touchable(state: Tables, reservation_id: str) -> Row:
    row: Row = found(state.row("reservations", reservation_id), "reservation", reservation_id)
    if days_left(row["date"]) < 2:
        raise ApiError(f"the reservation for {row['date']} is fixed since two days before")
    return row


@TOOL.lookup(
    "Find Restaurants",
    text("city_name", "Full name of the city (not an id).", "Marrowgate"),
    choice("cuisine", "Only this cuisine.", ("any", *CUISINES), optional=True),
)
def find_restaurants(city_name: str, cuisine: str) -> Response:
    """Restaurants of a city with cuisine and deposit a guest."""
    city = city_named(city_name)
    rows = bistros().values()
    found_here = [
        dict(row) for row in rows if row["city_name"] == city["name"] and cuisine in ("any", row["cuisine"])
    ]
    return {"restaurants": found_here}


@TOOL.lookup("Free Tables", _BISTRO, _DAY)
def list_free_tables(bistro_id: str, date: str) -> Response:
    """Evening times of one day at which a restaurant has a table, and in which area."""
    found(bistros().get(bistro_id), "restaurant", bistro_id)
    free = free_tables(bistro_id, coming_day(date).isoformat())
    return {"date": date, "tables": [{"time": time, "area": area} for time, area in free.items()]}


@TOOL.api("List Reservations")
def list_reservations(state: Tables) -> Response:
    """The user's reservations, and today's date."""
    rows = state.table("reservations").values()
    return {"today": iso_day(0), "reservations": [dict(row) for row in rows]}


@TOOL.api(
    "Reserve Table",
    _BISTRO,
    day("date", "The day.", "2026-05-04"),
    clock("time", "One of the times from Free Tables.", "19:00"),
    _GUESTS,
)
def reserve_table(state: Tables, bistro_id: str, date: str, time: str, guests: int) -> Update:
    """Reserve a table; one reservation a restaurant and day."""
    bistro = found(bistros().get(bistro_id), "restaurant", bistro_id)
    for row in state.table("reservations").values():
        if (row["bistro_id"], row["date"]) == (bistro_id, date):
            raise ApiError(f"{row['reservation_id']} is at {bistro['name']} on {date} already")
    row = _row(bistro, date, time, guests, _free_area(bistro_id, date, time))
    return added(state, "reservations", "reservation", **row)


@TOOL.api("Change Guests", _RESERVATION, whole("guests", "New number of guests.", 4, 1, MOST_GUESTS))
def change_guests(state: Tables, reservation_id: str, guests: int) -> Update:
    """Change the number of guests, which changes the deposit; up to two days before."""
    row = _touchable(state, reservation_id)
    deposit = bistros()[row["bistro_id"]]["deposit_per_guest"] * guests
    return changed(state, "reservations", reservation_id, row, guests=guests, deposit=deposit)


@TOOL.api("Cancel Reservation", _RESERVATION)
def cancel_reservation(state: Tables, reservation_id: str) -> Update:
    """Cancel a reservation and get the deposit back; up to two days before."""
    row = _touchable(state, reservation_id)
    refund = {"restaurant": row["restaurant"], "deposit_back": row["deposit"]}
    return refund, state.without_row("reservations", reservation_id)
