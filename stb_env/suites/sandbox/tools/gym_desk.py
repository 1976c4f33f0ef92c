"""Gym Desk: classes of the user's gym. Training never sees its category."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date as Date  # noqa: N812
from datetime import timedelta

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import coming_day, days_left, iso_day
from stb_env.suites.sandbox.content.gym_classes import KINDS, gym_classes, taken_places, weekday_of
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.conventions import added, columns, found, where
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Fitness", "Gym Desk", "Classes of the user's gym.", held_out="category")
_CLASS = text("class_id", "Id from Find Classes.", "class-001")


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with three bookings, one of them for tomorrow."""
    bookings: dict[str, Row] = {}
    dates = [TODAY + timedelta(days=offset) for offset in (rng.randint(8, 13), rng.randint(15, 20), 1)]
    for when in dates:
        on_that_day = [row for row in gym_classes().values() if row["weekday"] == weekday_of(when)]
        key = f"place-{len(bookings) + 1:03}"
        bookings[key] = {"place_id": key, **_place(rng.choice(on_that_day), when)}
    return {"gym_places": bookings}


def _place(gym_class: Row, when: Date) -> dict[str, object]:
    full = taken_places(gym_class, when) >= gym_class["capacity"]
    return {
        "class_id": gym_class["class_id"],
        "kind": gym_class["kind"],
        "date": when.isoformat(),
        "status": "waiting list" if full else "booked",
    }


def _session(class_id: str, date: str) -> tuple[Row, Date]:
    gym_class: Row = found(gym_classes().get(class_id), "class", class_id)
    when = coming_day(date)
    if weekday_of(when) != gym_class["weekday"]:
        raise ApiError(f"{class_id} is on {gym_class['weekday']}s, {date} is a {weekday_of(when)}")
    return gym_class, when


@TOOL.lookup(
    "Find Classes",
    choice("weekday", "Only this day.", ("any", *WEEKDAYS), optional=True),
    choice("kind", "Only this kind.", ("any", *KINDS), optional=True),
)
def find_classes(weekday: str, kind: str) -> Response:
    """The weekly timetable: ids, kinds and starting times."""
    rows = where(gym_classes().values(), weekday=weekday, kind=kind)
    return {"classes": columns(rows, "class_id", "kind", "weekday", "start_time")}


@TOOL.lookup("Class Details", _CLASS)
def class_details(class_id: str) -> Response:
    """Coach, length and capacity of one class."""
    return dict(found(gym_classes().get(class_id), "class", class_id))


@TOOL.lookup("Free Places", _CLASS, day("date", "Day of the class.", "2026-03-09"))
def free_places(class_id: str, date: str) -> Response:
    """How many places of a class are free on a day."""
    gym_class, when = _session(class_id, date)
    return {"class_id": class_id, "date": date, "free": gym_class["capacity"] - taken_places(gym_class, when)}


@TOOL.api("List Places")
def list_places(state: Tables) -> Response:
    """Classes that the user has booked or waits for, and today's date."""
    return {"today": iso_day(0), "places": [dict(row) for row in state.table("gym_places").values()]}


@TOOL.api(
    "Book Place",
    text("class_id", "Id from Find Classes.", "class-001"),
    day("date", "Day of the class.", "2026-04-13"),
)
def book_place(state: Tables, class_id: str, date: str) -> Update:
    """Book a place in a class, or a place on its waiting list where it is full."""
    gym_class, when = _session(class_id, date)
    place = _place(gym_class, when)
    if any(place.items() <= row.items() for row in state.table("gym_places").values()):
        raise ApiError(f"you have a place in {class_id} on {date} already")
    return added(state, "gym_places", "place", **place)


@TOOL.api("Cancel Place", text("place_id", "Id from List Places.", "place-001"))
def cancel_place(state: Tables, place_id: str) -> Update:
    """Give a place back; not on the day before the class, nor on the day itself."""
    row = found(state.row("gym_places", place_id), "place", place_id)
    if days_left(row["date"]) < 2:
        raise ApiError(f"too late: {row['kind']} is on {row['date']}")
    return {"cancelled": row["kind"], "date": row["date"]}, state.without_row("gym_places", place_id)
