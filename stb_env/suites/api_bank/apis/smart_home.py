"""Scenes of devices, and devices that switch at a time."""

from __future__ import annotations

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.compare import (
    EXCEPTION,
    RESULT,
    TIME,
    all_of,
    answered_alike,
    folded,
    same,
)
from stb_env.suites.api_bank.definition import Domain, Parameter, text
from stb_env.suites.api_bank.formats.dialogues import Envelope
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import normal_time

SMART_HOME = Domain("Smart Home Control")
DEVICE_IDS = "DeviceIds"
"""Table of devices by the ids that some users of the dialogues know them by."""

Device = dict[str, str]

_SCENE = text("name", "Name of the scene.")
_DEVICES = Parameter("devices", "list", "Its devices: a list of objects with name and description.")
_DEVICE = text("name", "Name of the device.", alias="device_id")
_TIME = text("time", "When it switches, as YYYY-MM-DD hh:mm:ss.")


def normal_devices(devices: list[Device]) -> list[Device]:
    """Return devices with trimmed, lower-case names and trimmed descriptions, in order of name.

    Raises:
        ApiError: One lacks a name or a description, or a name occurs twice.
    """
    if not all(isinstance(each, dict) and _is_device(each) for each in devices):
        raise ApiError("Invalid device format.")
    normal = [{"name": folded(each["name"]), "description": each["description"].strip()} for each in devices]
    if len({each["name"] for each in normal}) < len(normal):
        raise ApiError("Device name cannot be duplicated.")
    return sorted(normal, key=lambda each: each["name"])


def _is_device(item: Device) -> bool:
    return isinstance(item.get("name"), str) and isinstance(item.get("description"), str)


def _same_but_for_case(predicted: Envelope, gold: Envelope) -> bool:
    return bool(_in_lower_case(predicted["output"]) == _in_lower_case(gold["output"]))


def _in_lower_case(devices: list[Device] | None) -> list[Device] | None:
    return devices and [{**each, "name": each["name"].lower()} for each in devices]


_SCENE_MATCH = all_of(same("name", normal=folded), RESULT)
_SWITCH_MATCH = all_of(same("name", normal=folded), same("time", normal=TIME), RESULT)


@SMART_HOME.api(
    "AddScene",
    _SCENE,
    _DEVICES,
    compare=all_of(
        same("name", normal=folded), same("devices", normal=normal_devices), EXCEPTION, answered_alike
    ),
)
def add_scene(state: State, name: str, devices: list[Device]) -> tuple[str, State]:
    """Create a scene of devices."""
    scene = _scene_name(name)
    ordered = normal_devices(devices)
    if scene in state.table("Scenes"):
        raise ApiError("Scene name already exists.")
    return "success", state.with_row("Scenes", scene, ordered)


@SMART_HOME.api("DeleteScene", _SCENE, compare=_SCENE_MATCH)
def delete_scene(state: State, name: str) -> tuple[str, State]:
    """Delete a scene."""
    scene = _scene_name(name)
    if scene not in state.table("Scenes"):
        raise ApiError("The scene does not exist.")
    return "success", state.without_row("Scenes", scene)


@SMART_HOME.api(
    "ModifyScene",
    _SCENE,
    _DEVICES,
    compare=all_of(same("name", normal=folded), same("devices", normal=normal_devices), RESULT),
)
def modify_scene(state: State, name: str, devices: list[Device]) -> tuple[str, State]:
    """Give a scene other devices."""
    scene = _scene_name(name)
    ordered = normal_devices(devices)
    if scene not in state.table("Scenes"):
        raise ApiError("The scene does not exist.")
    return "success", state.with_row("Scenes", scene, ordered)


@SMART_HOME.api(
    "QueryScene",
    _SCENE,
    outputs={"devices": ("list", "Its devices, with names and descriptions.")},
    compare=all_of(same("name", normal=folded), _same_but_for_case, EXCEPTION),
    original_compare=_SCENE_MATCH,
)
def query_scene(state: State, name: str) -> list[Device]:
    """Look up the devices of a scene."""
    devices: list[Device] | None = state.row("Scenes", _scene_name(name))
    if devices is None:
        raise ApiError("Scene not found.")
    return devices


@SMART_HOME.api(
    "TimedSwitch",
    _DEVICE,
    _TIME,
    Parameter("on", "bool", "Whether it switches on."),
    compare=all_of(same("on"), _SWITCH_MATCH),
)
def timed_switch(state: State, name: str, time: str, on: bool) -> tuple[str, State]:
    """Have a device switched on or off at a time."""
    device = _device_name(state, name)
    if not device:
        raise ApiError("Name cannot be empty.")
    moment = normal_time(time)
    switches = state.row("TimeSwitch", device) or []
    if any(each["time"] == moment for each in switches):
        switches = [{**each, "on": on} if each["time"] == moment else each for each in switches]
    else:
        switches = [*switches, {"time": moment, "on": on}]
    return "success", state.with_row("TimeSwitch", device, switches)


@SMART_HOME.api("CancelTimedSwitch", _DEVICE, _TIME, compare=_SWITCH_MATCH)
def cancel_timed_switch(state: State, name: str, time: str) -> tuple[str, State]:
    """Cancel what was to be switched at a time."""
    device = _device_name(state, name)
    if not device:
        raise ApiError("name cannot be empty.")
    moment = normal_time(time)
    switches = state.row("TimeSwitch", device)
    if switches is None:
        raise ApiError("device name does not exist.")
    at = next((at for at, each in enumerate(switches) if each["time"] == moment), None)
    if at is None:
        raise ApiError("time does not exist.")
    return "success", state.with_row("TimeSwitch", device, [*switches[:at], *switches[at + 1 :]])


def _scene_name(name: str) -> str:
    scene = folded(name)
    if not scene:
        raise ApiError("Scene name cannot be empty.")
    return scene


def _device_name(state: State, name: str) -> str:
    device = folded(name)
    known: str = state.table(DEVICE_IDS).get(device, device)
    return known
