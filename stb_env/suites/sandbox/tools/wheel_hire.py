"""Wheel Hire: cars for hire in every city."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import timedelta

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.cars import EXTRAS, GEARBOXES, cars
from stb_env.suites.sandbox.content.coming_days import coming_day, days_left, iso_day
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import columns, found, where
from stb_env.suites.sandbox.params import choice, day, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Travel", "Wheel Hire", "Cars for hire, in aurel (AUR) and miles.")
_CAR = text("car_id", "Id from Search Cars.", "car-001")
_RENTAL = text("rental_id", "Id from List Rentals.", "rental-001")
_LONGEST = 28


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with three rentals, the last of which begins tomorrow."""
    rentals: dict[str, Row] = {}
    offsets = (rng.randint(15, 40), rng.randint(50, 80), 1)
    for car, offset in zip(rng.sample(list(cars().values()), len(offsets)), offsets, strict=True):
        key = f"rental-{len(rentals) + 1:03}"
        rentals[key] = _rental(key, car, iso_day(offset), rng.randint(2, 7))
    return {"rentals": rentals}


def _rental(key: str, car: Row, start: str, days: int) -> dict[str, object]:
    return {
        "rental_id": key,
        "car_id": car["car_id"],
        "model": car["model"],
        "start_date": start,
        "days": days,
        "extras": [],
        "status": "booked",
    }


def _quoted(row: Row) -> dict[str, object]:
    a_day = cars()[row["car_id"]]["price_per_day"] + sum(EXTRAS[extra] for extra in row["extras"])
    returned = coming_day(row["start_date"]) + timedelta(days=row["days"])
    return {
        **row,
        "extras": list(row["extras"]),
        "return_date": returned.isoformat(),
        "total": round(a_day * row["days"], 2),
    }


def _booked(state: Tables, rental_id: str) -> Row:
    row: Row = found(state.row("rentals", rental_id), "rental", rental_id)
    if row["status"] == "cancelled":
        raise ApiError(f"rental {rental_id} is cancelled")
    return row


@TOOL.lookup(
    "Search Cars",
    text("city_id", "Id of the city, as City Atlas has it.", "city-001"),
    whole("min_seats", "Fewest seats.", 1, 1, 9, optional=True),
    choice("gearbox", "Only this gearbox.", ("any", *GEARBOXES), optional=True),
)
def search_cars(city_id: str, min_seats: int, gearbox: str) -> Response:
    """Cars of a city with seats, gearbox and price a day."""
    found(cities().get(city_id), "city", city_id)
    rows = where(cars().values(), city_id=city_id, gearbox=gearbox)
    large = [row for row in rows if row["seats"] >= min_seats]
    return {"cars": columns(large, "car_id", "model", "seats", "gearbox", "price_per_day")}


@TOOL.lookup("Car Details", _CAR)
def car_details(car_id: str) -> Response:
    """Everything about one car: miles a day that are free, and the least age of its driver."""
    return dict(found(cars().get(car_id), "car", car_id))


@TOOL.api("List Rentals")
def list_rentals(state: Tables) -> Response:
    """The user's rentals with totals, cancelled ones included, and today's date."""
    rows = [_quoted(row) for row in state.table("rentals").values()]
    return {"today": iso_day(0), "rentals": rows}


@TOOL.api(
    "Rent Car",
    _CAR,
    day("start_date", "First day.", "2026-04-15"),
    whole("days", "Number of days.", 3, 1, _LONGEST),
    whole("driver_age", "Age of the driver in years.", 40, 16, 99),
)
def rent_car(state: Tables, car_id: str, start_date: str, days: int, driver_age: int) -> Update:
    """Rent a car; refused where the driver is too young for it."""
    car = found(cars().get(car_id), "car", car_id)
    coming_day(start_date)
    if driver_age < car["min_driver_age"]:
        raise ApiError(f"drivers of the {car['model']} must be {car['min_driver_age']} or older")
    key, state = state.next_id("rental")
    row = _rental(key, car, start_date, days)
    return _quoted(row), state.with_row("rentals", key, row)


@TOOL.api("Change Rental Length", _RENTAL, whole("days", "New number of days.", 5, 1, _LONGEST))
def change_rental_length(state: Tables, rental_id: str, days: int) -> Update:
    """Make a rental longer or shorter; its first day stays."""
    row = {**_booked(state, rental_id), "days": days}
    return _quoted(row), state.with_row("rentals", rental_id, row)


@TOOL.api("Add Extra", _RENTAL, choice("extra", "What to add.", tuple(EXTRAS)))
def add_extra(state: Tables, rental_id: str, extra: str) -> Update:
    """Add an extra to a rental, which is charged by the day; each counts once."""
    row = _booked(state, rental_id)
    row = {**row, "extras": sorted({*row["extras"], extra})}
    return _quoted(row), state.with_row("rentals", rental_id, row)


@TOOL.api("Cancel Rental", _RENTAL)
def cancel_rental(state: Tables, rental_id: str) -> Update:
    """Cancel a rental free of charge; not on the last two days before it starts."""
    row = _booked(state, rental_id)
    if days_left(row["start_date"]) <= 2:
        raise ApiError(f"too late: the rental starts on {row['start_date']}")
    row = {**row, "status": "cancelled"}
    return _quoted(row), state.with_row("rentals", rental_id, row)
