"""Home Hub: lamps, blinds and plugs of the user's home, scenes and timers."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.conventions import added, found, parse_clock
from stb_env.suites.sandbox.params import choice, clock, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Smart Home", "Home Hub", "Lamps, blinds and plugs of the user's home.")
ROOMS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "kitchen": (("Counter strip", "lamp"), ("Pendant", "lamp"), ("Dishwasher plug", "plug")),
    "living room": (("Arc lamp", "lamp"), ("Bay blind", "blind"), ("Picture light", "lamp")),
    "bedroom": (("Bedside lamp", "lamp"), ("Skylight blind", "blind"), ("Wardrobe light", "lamp")),
    "study": (("Desk light", "lamp"), ("Printer plug", "plug"), ("Shelf light", "lamp")),
}
SCENES = ("Breakfast", "Film night", "Guests", "Reading", "Wake up")
_DEVICE = text("device_id", "Id from List Devices.", "device-001")
_LEVEL = whole("level", "Brightness, or how far open, in per cent.", 50, 1, 100)


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with lamps switched on everywhere, and a scene of three devices under every name."""
    devices: dict[str, JsonObject] = {}
    for room, entries in ROOMS.items():
        for name, kind in entries:
            key = f"device-{len(devices) + 1:03}"
            devices[key] = {
                "device_id": key,
                "name": name,
                "room": room,
                "kind": kind,
                "on": kind == "lamp" or rng.random() < 0.5,
                # Levels at the start are even and those of scenes odd, so that running one changes something.
                "level": 2 * rng.randint(10, 50),
                "watts": rng.randrange(4, 60) if kind == "lamp" else rng.randrange(60, 900),
            }
    # Scenes, and devices but for the documented example, have no ids that one could know by heart.
    first = devices.pop(_DEVICE.default)
    devices = {_DEVICE.default: first, **edition.renumbered(devices, rng)}
    scenes: dict[str, Row] = {}
    for name in rng.sample(SCENES, len(SCENES)):
        key, chosen = f"scene-{len(scenes) + 1:03}", sorted(rng.sample(list(devices), 3))
        levels = {device: 2 * rng.randint(5, 49) + 1 for device in chosen}
        scenes[key] = {"scene_id": key, "name": name, "levels": levels}
    return {"devices": devices, "scenes": scenes, "device_timers": {}}


def _changed(state: Tables, device_id: str, **fields: Json) -> Update:
    row = {**found(state.row("devices", device_id), "device", device_id), **fields}
    return dict(row), state.with_row("devices", device_id, row)


@TOOL.api("List Devices", choice("room", "The room.", tuple(ROOMS)))
def list_devices(state: Tables, room: str) -> Response:
    """Devices of a room: whether they are on, their level, and the watts that they draw when on."""
    rows = [dict(row) for row in state.table("devices").values() if row["room"] == room]
    return {"room": room, "devices": rows}


@TOOL.api("Device Status", _DEVICE)
def device_status(state: Tables, device_id: str) -> Response:
    """One device."""
    return dict(found(state.row("devices", device_id), "device", device_id))


@TOOL.api("Switch Device", _DEVICE, choice("power", "On or off.", ("off", "on")))
def switch_device(state: Tables, device_id: str, power: str) -> Update:
    """Switch a device on or off; its level stays."""
    return _changed(state, device_id, on=power == "on")


@TOOL.api("Set Level", _DEVICE, _LEVEL)
def set_level(state: Tables, device_id: str, level: int) -> Update:
    """Set the level of a lamp or blind; whether it is on stays."""
    if found(state.row("devices", device_id), "device", device_id)["kind"] == "plug":
        raise ApiError("a plug has no level; switch it on or off")
    return _changed(state, device_id, level=level)


@TOOL.api("List Scenes")
def list_scenes(state: Tables) -> Response:
    """Scenes with the devices that they set, by id, and the levels."""
    return {"scenes": [{**row, "levels": dict(row["levels"])} for row in state.table("scenes").values()]}


@TOOL.api("Run Scene", text("scene_id", "Id from List Scenes.", "scene-001"))
def run_scene(state: Tables, scene_id: str) -> Update:
    """Switch every device of a scene on and set its level."""
    scene = found(state.row("scenes", scene_id), "scene", scene_id)
    for device_id, level in scene["levels"].items():
        _, state = _changed(state, device_id, on=True, level=level)
    names = [state.table("devices")[key]["name"] for key in scene["levels"]]
    return {"scene": scene["name"], "devices": names}, state


@TOOL.api("List Timers")
def list_timers(state: Tables) -> Response:
    """Daily timers."""
    return {"timers": [dict(row) for row in state.table("device_timers").values()]}


@TOOL.api(
    "Set Timer",
    _DEVICE,
    clock("time", "When, every day.", "21:30"),
    choice("power", "On or off.", ("off", "on")),
)
def set_timer(state: Tables, device_id: str, time: str, power: str) -> Update:
    """Switch a device on or off every day at a time; the same timer cannot be set twice."""
    found(state.row("devices", device_id), "device", device_id)
    parse_clock(time)
    timer = {"device_id": device_id, "time": time, "power": power}
    if any(timer.items() <= row.items() for row in state.table("device_timers").values()):
        raise ApiError(f"there is such a timer for {device_id} already")
    return added(state, "device_timers", "timer", **timer)
