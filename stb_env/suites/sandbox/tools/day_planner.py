"""Day Planner: the user's calendar."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import timedelta

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.households import TODAY, friends
from stb_env.suites.sandbox.conventions import added, changed, found, parse_clock, parse_day, show_clock
from stb_env.suites.sandbox.params import clock, day, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Productivity", "Day Planner", "The user's calendar.")
_ID = text("event_id", "Id from List Events.", "event-001")
_TITLES = (
    "Budget review", "Car service", "Chess club", "Choir practice", "Dentist", "Eye test", "Flat viewing",
    "Garden party", "Parents' evening", "Piano lesson", "Pottery class", "Tax adviser", "Team lunch",
)  # fmt: skip


@TOOL.starts_with
def rows(rng: random.Random, household: int) -> Mapping[str, Table]:
    """Start with a month of events."""
    people = friends(household)
    events: dict[str, Row] = {}
    for offset in range(1, 31):
        # One event in each half of the day keeps them from overlapping.
        for title, first_hour in zip(rng.sample(_TITLES, rng.randint(0, 2)), (8, 14), strict=False):
            key = f"event-{len(events) + 1:03}"
            events[key] = {
                "event_id": key,
                "title": title,
                "date": (TODAY + timedelta(days=offset)).isoformat(),
                "start_time": show_clock((first_hour + rng.randrange(3)) * 60 + rng.randrange(0, 60, 15)),
                "duration_minutes": rng.randrange(30, 120, 15),
                "contact_id": rng.choice(people)["contact_id"] if rng.random() < 0.4 else "",
            }
    return {"events": events}


def _on(state: Tables, date: str) -> list[Row]:
    rows = [row for row in state.table("events").values() if row["date"] == date]
    return sorted(rows, key=lambda row: (row["start_time"], row["event_id"]))


def _free(state: Tables, date: str, start: int, minutes: int, ignored: str = "") -> None:
    for row in _on(state, date):
        begin = parse_clock(row["start_time"])
        if row["event_id"] != ignored and begin < start + minutes and start < begin + row["duration_minutes"]:
            raise ApiError(
                f"overlaps {row['event_id']} ({row['start_time']}, {row['duration_minutes']} minutes)"
            )


@TOOL.api("List Events", day("date", "The day.", "2026-03-09"))
def list_events(state: Tables, date: str) -> Response:
    """Events of one day by start time."""
    return {"date": parse_day(date).isoformat(), "events": _on(state, date)}


@TOOL.api("Event Details", _ID)
def event_details(state: Tables, event_id: str) -> Response:
    """One event."""
    return dict(found(state.row("events", event_id), "event", event_id))


@TOOL.api(
    "Create Event",
    text("title", "Title.", "Sample"),
    day("date", "The day.", "2026-05-04"),
    clock("start_time", "Start.", "10:00"),
    whole("duration_minutes", "Length in minutes.", 30, 5, 600),
    text("contact_id", "Contact who takes part.", "", optional=True),
)
def create_event(
    state: Tables, title: str, date: str, start_time: str, duration_minutes: int, contact_id: str
) -> Update:
    """Put an event into the calendar; refused where it overlaps another."""
    parse_day(date)
    start = parse_clock(start_time)
    if not title.strip():
        raise ApiError("title must not be empty")
    if contact_id:
        found(state.row("contacts", contact_id), "contact", contact_id)
    _free(state, date, start, duration_minutes)
    return added(
        state,
        "events",
        "event",
        title=title,
        date=date,
        start_time=start_time,
        duration_minutes=duration_minutes,
        contact_id=contact_id,
    )


@TOOL.api(
    "Move Event",
    _ID,
    day("date", "The new day.", "2026-05-04"),
    clock("start_time", "The new start.", "10:00"),
)
def move_event(state: Tables, event_id: str, date: str, start_time: str) -> Update:
    """Give an event another day and start; its length stays."""
    row = found(state.row("events", event_id), "event", event_id)
    parse_day(date)
    _free(state, date, parse_clock(start_time), row["duration_minutes"], event_id)
    return changed(state, "events", event_id, row, date=date, start_time=start_time)


@TOOL.api("Cancel Event", _ID)
def cancel_event(state: Tables, event_id: str) -> Update:
    """Remove an event."""
    row = found(state.row("events", event_id), "event", event_id)
    return {"cancelled": row["title"]}, state.without_row("events", event_id)
