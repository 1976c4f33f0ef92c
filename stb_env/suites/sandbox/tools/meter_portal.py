"""Meter Portal: readings of the user's meters, behind a sign-in."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import iso_day
from stb_env.suites.sandbox.content.logins import DEMO_TOKEN, log_in, login_rows, user_of
from stb_env.suites.sandbox.conventions import PAGE, columns, page_of
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Smart Home", "Meter Portal", "Meter readings; most calls need a session key.")
TARIFFS = {"electricity": 0.31, "gas": 0.94, "water": 2.15}
"""Price of a unit in aurel, by what is metered."""
USE = {"electricity": (140, 460), "gas": (30, 310), "water": (5, 28)}
"""Least and greatest number of units that a month takes, by what is metered."""
MOST_USE = 1_100
_KEY = text("session_key", "Key from Sign In; the demonstration user's works too.", DEMO_TOKEN)
_METER = text("meter_id", "Id from List Meters.", "meter-001")


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with three meters a user, read on the first of the last four months."""
    users = login_rows(rng, "utility")
    meters: dict[str, Row] = {}
    readings: dict[str, Row] = {}
    for user in users:
        # The household's in any order, so that a meter has no id that one could know by heart.
        own = user.endswith("2")
        for kind in rng.sample(list(TARIFFS), len(TARIFFS)) if own else TARIFFS:
            meter = f"meter-{len(meters) + 1:03}"
            meters[meter] = {"meter_id": meter, "user_id": user, "kind": kind, "unit": _unit(kind)}
            value = rng.randrange(1_000, 40_000) if own else 1_000
            for day in ("2025-12-01", "2026-01-01", "2026-02-01"):
                key = f"reading-{len(readings) + 1:03}"
                value += rng.randint(*USE[kind])
                readings[key] = {"meter_id": meter, "date": day, "value": value}
    return {"utility_users": users, "meters": meters, "readings": readings}


def _unit(kind: str) -> str:
    return "kWh" if kind == "electricity" else "cubic metres"


def _meter(state: Tables, session_key: str, meter_id: str) -> Row:
    row = state.row("meters", meter_id)
    if row is None or row["user_id"] != user_of(state.table("utility_users"), session_key):
        raise ApiError(f"you have no meter with id {meter_id[:80]!r}")
    return row


def _readings(state: Tables, meter_id: str) -> list[Row]:
    rows = [row for row in state.table("readings").values() if row["meter_id"] == meter_id]
    return sorted(rows, key=lambda row: str(row["date"]), reverse=True)


@TOOL.api(
    "Sign In",
    text("user_name", "The user's name at this service.", "demo"),
    text("password", "The user's password.", "demo"),
)
def sign_in(state: Tables, user_name: str, password: str) -> Response:
    """Get the session key that other calls need."""
    session = log_in(state.table("utility_users"), user_name, password)
    return {"session_key": session["token"], "valid_until": session["valid_until"]}


@TOOL.api("List Meters", _KEY)
def list_meters(state: Tables, session_key: str) -> Response:
    """The user's meters and what they measure."""
    user = user_of(state.table("utility_users"), session_key)
    rows = [row for row in state.table("meters").values() if row["user_id"] == user]
    return {"meters": columns(rows, "meter_id", "kind", "unit")}


@TOOL.api("Reading History", _KEY, _METER, PAGE)
def reading_history(state: Tables, session_key: str, meter_id: str, page: int) -> Response:
    """Readings of one meter, newest first."""
    _meter(state, session_key, meter_id)
    rows = [{"date": row["date"], "value": row["value"]} for row in _readings(state, meter_id)]
    return page_of(rows, page)


@TOOL.lookup("Unit Price", choice("kind", "What is metered.", tuple(TARIFFS)))
def unit_price(kind: str) -> Response:
    """Price of one unit (kWh or cubic metre) in aurel; needs no session."""
    return {"kind": kind, "unit": _unit(kind), "price": TARIFFS[kind], "currency": "AUR"}


@TOOL.api("Submit Reading", _KEY, _METER, whole("value", "What the meter shows.", 2_450, 0, 999_999))
def submit_reading(state: Tables, session_key: str, meter_id: str, value: int) -> Update:
    """Submit today's reading, once a day; it must lie 0 to 1100 units above the last one."""
    _meter(state, session_key, meter_id)
    last, today = _readings(state, meter_id)[0], iso_day(0)
    if last["date"] == today:
        raise ApiError(f"today's reading of {meter_id} is in already: {last['value']}")
    if not 0 <= value - last["value"] <= MOST_USE:
        raise ApiError(f"a reading lies 0 to {MOST_USE} units above the last one on file, got {value}")
    key, state = state.next_id("reading")
    row = {"meter_id": meter_id, "date": today, "value": value}
    return dict(row), state.with_row("readings", key, row)
