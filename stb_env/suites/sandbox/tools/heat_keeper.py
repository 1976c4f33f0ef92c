"""Heat Keeper: thermostats by zone, in Fahrenheit."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.conventions import added, columns, found, parse_clock
from stb_env.suites.sandbox.params import choice, clock, number, text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Smart Home", "Heat Keeper", "Thermostats of the user's home, in degrees Fahrenheit.")
ZONES = ("attic", "bathroom", "bedrooms", "ground floor", "workshop")
DAYS = ("weekdays", "weekend")
_ZONE = text("zone_id", "Id from List Zones.", "zone-001")
_TARGET = number("target_f", "Temperature wanted, in degrees Fahrenheit.", 66, 41, 86)


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with five zones that heat, and no programmes."""
    zones: dict[str, Row] = {}
    # In any order, so that a zone has no id that one could know by heart.
    names = rng.sample(ZONES, len(ZONES))
    for name, now in zip(names, rng.sample(range(540, 740), len(ZONES)), strict=True):
        key = f"zone-{len(zones) + 1:03}"
        zones[key] = {
            "zone_id": key,
            "name": name,
            "mode": "heat",
            # Whole targets at the start; those that the tasks set are never whole.
            "target_f": rng.randrange(60, 75),
            "now_f": now / 10,
            "humidity_percent": rng.randrange(28, 71),
        }
    return {"heat_zones": zones, "heat_programmes": {}}


def _changed(state: Tables, zone_id: str, **fields: Json) -> Update:
    row = {**found(state.row("heat_zones", zone_id), "zone", zone_id), **fields}
    return dict(row), state.with_row("heat_zones", zone_id, row)


@TOOL.api("List Zones")
def list_zones(state: Tables) -> Response:
    """Ids and names of the zones, and what they do now."""
    return {"zones": columns(state.table("heat_zones").values(), "zone_id", "name", "mode")}


@TOOL.api("Zone Reading", _ZONE)
def zone_reading(state: Tables, zone_id: str) -> Response:
    """Temperature now, temperature wanted, humidity."""
    return dict(found(state.row("heat_zones", zone_id), "zone", zone_id))


@TOOL.api("Set Target", _ZONE, _TARGET)
def set_target(state: Tables, zone_id: str, target_f: float) -> Update:
    """Heat a zone to a temperature; the mode becomes heat."""
    return _changed(state, zone_id, target_f=round(target_f, 1), mode="heat")


@TOOL.api("Set Mode", _ZONE, choice("mode", "What the zone does.", ("eco", "heat", "off")))
def set_mode(state: Tables, zone_id: str, mode: str) -> Update:
    """Switch a zone between heating, saving and off; the target stays."""
    return _changed(state, zone_id, mode=mode)


@TOOL.api("List Programmes")
def list_programmes(state: Tables) -> Response:
    """When zones get another target by themselves."""
    return {"programmes": [dict(row) for row in state.table("heat_programmes").values()]}


@TOOL.api(
    "Add Programme",
    _ZONE,
    choice("days", "On which days.", DAYS),
    clock("start_time", "When.", "06:30"),
    _TARGET,
)
def add_programme(state: Tables, zone_id: str, days: str, start_time: str, target_f: float) -> Update:
    """Give a zone a target from a time of day on; one programme a zone, days and time."""
    found(state.row("heat_zones", zone_id), "zone", zone_id)
    parse_clock(start_time)
    slot = {"zone_id": zone_id, "days": days, "start_time": start_time}
    if any(slot.items() <= row.items() for row in state.table("heat_programmes").values()):
        raise ApiError(f"{zone_id} has a programme on {days} at {start_time} already")
    return added(state, "heat_programmes", "programme", **slot, target_f=round(target_f, 1))
