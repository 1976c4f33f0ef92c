"""Tasks about the smart home: lamps, scenes and timers."""

from __future__ import annotations

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.places import CITIES
from stb_env.suites.sandbox.conventions import show_clock
from stb_env.suites.sandbox.lookups import days, find, long_date, once
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, template
from stb_env.suites.sandbox.tools import home_hub, sky_almanac

_ROOMS = tuple(home_hub.ROOMS)
_DEVICES = [(room, name, kind) for room, entries in home_hub.ROOMS.items() for name, kind in entries]
_DIMMABLE = [(room, name) for room, name, kind in _DEVICES if kind != "plug"]
_TIMES = [show_clock(minutes) for minutes in range(17 * 60, 24 * 60, 15)]


def _devices(room: str) -> Steps[dict[str, Row]]:
    rows = (yield home_hub.list_devices(room=room))["devices"]
    return {row["name"]: row for row in rows}


def _timed(device_id: str, time: str, power: str) -> Steps[None]:
    """Set a timer unless it is there."""
    yield from once(home_hub.list_timers(), home_hub.set_timer(device_id=device_id, time=time, power=power))


@template(home_hub.TOOL, calls=1)
def room_energy(draw: Draw) -> Plan:
    """Energy that the devices switched on in a room use in some hours."""
    home = draw.home()
    room, hours = draw.pick(_ROOMS), draw.between(3, 20)
    if all(row["on"] for row in home.table("devices").values() if row["room"] == room):
        raise Undecided

    def solve() -> Solution:
        rows = (yield from _devices(room)).values()
        used = hours * sum(row["watts"] for row in rows if row["on"])
        return Answer.of(f"They use {used} watt-hours.", facts.integer("watt_hours", used))

    return Plan.of(
        f"If everything that is on in the {room} stays on for {hours} hours, how many watt-hours does it "
        "use?",
        f"Add up the watts of the devices that are switched on in the {room} now. What do they come to in "
        f"{hours} hours, in Wh?",
        f"Estimate the energy for the {room}: only what is on at present, {hours} hours long, in watt-hours.",
        solve=solve,
    )


@template(home_hub.TOOL, calls=5, writes=("devices",))
def leave_room(draw: Draw) -> Plan:
    """Switch all lamps of one room off and set a device of another."""
    draw.home()
    room = draw.pick(_ROOMS)
    other, name = draw.pick([entry for entry in _DIMMABLE if entry[0] != room])
    level = 2 * draw.between(4, 48) + 1

    def solve() -> Solution:
        for row in (yield from _devices(room)).values():
            if row["kind"] == "lamp":
                yield home_hub.switch_device(device_id=row["device_id"], power="off")
        row = (yield from _devices(other))[name]
        yield home_hub.set_level(device_id=row["device_id"], level=level)
        return Answer.of(f"The lamps in the {room} are off, the {name} is at {level} %.")

    return Plan.of(
        f'Switch off all lamps in the {room} (lamps only) and set the "{name}" in the {other} to {level} %.',
        f"I am going from the {room} to the {other}: lamps off behind me, nothing else there, and the "
        f'"{name}" to {level} per cent.',
        f'Every lamp in the {room} should be off. Then bring the level of "{name}" ({other}) to {level} %; '
        "leave other devices alone.",
        solve=solve,
    )


@template(home_hub.TOOL, calls=5, writes=("devices", "device_timers"))
def scene_and_timer(draw: Draw) -> Plan:
    """Run a scene and have a device switched off later."""
    draw.home()
    scene, (room, name, _), time = draw.pick(home_hub.SCENES), draw.pick(_DEVICES), draw.pick(_TIMES)

    def solve() -> Solution:
        key = (yield from find(home_hub.list_scenes(), name=scene))["scene_id"]
        touched = (yield home_hub.run_scene(scene_id=key))["devices"]
        row = (yield from _devices(room))[name]
        yield from _timed(row["device_id"], time, "off")
        return Answer.of(f"The scene set {', '.join(touched)}.", facts.names("device_names", touched))

    return Plan.of(
        f'Run the scene "{scene}" and have the "{name}" in the {room} switched off daily at {time}. Which '
        "devices did the scene set? Give their names.",
        f'Start the scene "{scene}". Besides, set a timer that turns the "{name}" ({room}) off at {time} '
        "every day. Name the devices that belong to the scene.",
        f'I want the scene "{scene}" now, and a daily timer for {time} that switches the "{name}" in the '
        f"{room} off. Tell me the names of all the devices the scene touches.",
        solve=solve,
    )


@template(sky_almanac.TOOL, home_hub.TOOL, calls=4, writes=("device_timers",))
def sunset_timer(draw: Draw) -> Plan:
    """Switch a device at sunset or sunrise."""
    draw.home()
    city, when = draw.pick(CITIES)["name"], draw.pick(days(1, 60))
    room, name, _ = draw.pick(_DEVICES)
    event, power = draw.pick((("sunset", "on"), ("sunrise", "off")))

    def solve() -> Solution:
        sun = yield sky_almanac.sun_times(city_name=city, date=when.isoformat())
        row = (yield from _devices(room))[name]
        yield from _timed(row["device_id"], sun[event], power)
        return Answer.of(
            f"It goes {power} at {sun[event]} every day.",
            facts.time("switch_time", sun[event], "of the timer"),
        )

    return Plan.of(
        f'Set a daily timer that switches the "{name}" in the {room} {power} at the time of {event} that '
        f"{city} has on {when}. What time is that?",
        f'We live in {city}. Take the {event} of {long_date(when)} and let the {room}\'s "{name}" go '
        f"{power} at that time every day. Tell me the time.",
        f'When is {event} in {city} on {when}? Set a daily timer that turns the "{name}" ({room}) {power} at '
        "that time.",
        solve=solve,
    )
