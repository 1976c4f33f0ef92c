"""Tasks about heating: Celsius in the query, Fahrenheit in the tool."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.places import CITIES
from stb_env.suites.sandbox.conventions import show_clock
from stb_env.suites.sandbox.lookups import city_id, days, find, long_date, once
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, template
from stb_env.suites.sandbox.tools import city_atlas, climate_desk, heat_keeper

_CELSIUS = tuple(half / 2 for half in range(31, 50) if half % 10)
"""Targets that are no whole degrees in Fahrenheit, unlike all that zones start with."""
_TIMES = [show_clock(minutes) for minutes in range(5 * 60, 23 * 60, 30)]


def _fahrenheit(celsius: float) -> float:
    return round(celsius * 1.8 + 32, 1)


def _zone_id(zone: str) -> Steps[str]:
    return str((yield from find(heat_keeper.list_zones(), name=zone))["zone_id"])


@template(heat_keeper.TOOL, calls=2)
def zone_gap(draw: Draw) -> Plan:
    """Difference of a zone from a temperature, and its humidity."""
    draw.home()
    zone, wanted = draw.pick(heat_keeper.ZONES), draw.between(50, 82)

    def solve() -> Solution:
        row = yield heat_keeper.zone_reading(zone_id=(yield from _zone_id(zone)))
        gap, humidity = round(abs(row["now_f"] - wanted), 1), row["humidity_percent"]
        return Answer.of(
            f"The difference is {gap} degrees; the humidity is {humidity} %.",
            facts.number("degrees_off", gap, "in degrees Fahrenheit, at least 0"),
            facts.integer("humidity_percent", humidity),
        )

    return Plan.of(
        f"By how many degrees Fahrenheit does the present temperature of the zone {zone} differ from "
        f"{wanted}, and what is the humidity there?",
        f"I would like {wanted} °F in the zone {zone}. How many Fahrenheit degrees is it off now (as a "
        "positive number)? And the humidity in per cent?",
        f"Read the thermostat of {zone}: the gap between its temperature and {wanted} degrees Fahrenheit, "
        "and its humidity.",
        solve=solve,
    )


@template(heat_keeper.TOOL, calls=2, writes=("heat_zones",), unseen=True)
def heat_zone(draw: Draw) -> Plan:
    """Heat a zone to a temperature given in Celsius."""
    draw.home()
    zone, celsius = draw.pick(heat_keeper.ZONES), draw.pick(_CELSIUS)

    def solve() -> Solution:
        key = yield from _zone_id(zone)
        yield heat_keeper.set_target(zone_id=key, target_f=_fahrenheit(celsius))
        return Answer.of(f"The {zone} zone heats to {celsius} °C.")

    return Plan.of(
        f"Heat the zone {zone} to {celsius} °C (exactly, to a tenth of a degree Fahrenheit).",
        f"Set the thermostat of {zone} to {celsius} degrees Celsius; convert to the tenth of a degree.",
        f"I want {celsius} °C in the zone {zone}. Please set that, precise to 0.1 °F.",
        solve=solve,
    )


@template(
    city_atlas.TOOL,
    climate_desk.TOOL,
    heat_keeper.TOOL,
    calls=4,
    writes=("heat_zones",),
    offers=[heat_keeper.set_target, heat_keeper.set_mode],
)
def frost_or_eco(draw: Draw) -> Plan:
    """Heat a zone if a cold day is forecast, else save."""
    draw.home()
    city, when = draw.pick(CITIES)["name"], draw.pick(days(1, 90))
    zone, limit, celsius = draw.pick(heat_keeper.ZONES), draw.between(-2, 12), draw.pick(_CELSIUS)

    def solve() -> Solution:
        key = yield from city_id(city)
        low = (yield climate_desk.daily_forecast(city_id=key, date=when.isoformat()))["low"]
        zone_id = yield from _zone_id(zone)
        if low < limit:
            yield heat_keeper.set_target(zone_id=zone_id, target_f=_fahrenheit(celsius))
        else:
            yield heat_keeper.set_mode(zone_id=zone_id, mode="eco")
        return Answer.of(
            f"{'Yes' if low < limit else 'No'}: the low is {low} °C.",
            facts.yes_no("below_limit", low < limit),
            facts.number("low_celsius", low, "in degrees Celsius"),
        )

    return Plan.of(
        f"If the low in {city} on {when} lies below {limit} °C, heat the zone {zone} to {celsius} °C (to 0.1 "
        "°F), else put it into eco mode. Is it below? And what is the low in Celsius?",
        f"Check the minimum forecast for {city} on {long_date(when)}. Under {limit} °C: set {zone} to "
        f"{celsius} °C, rounded to a tenth of a degree Fahrenheit; otherwise eco mode for that zone. Was it "
        "under the limit? Name the minimum in °C.",
        f"We come to our house in {city} on {when}. Will it get colder than {limit} °C that day? If it does, "
        f"{zone} should heat to {celsius} °C (one decimal in Fahrenheit), otherwise switch it to eco. Give "
        "me the low in Celsius too.",
        solve=solve,
    )


@template(heat_keeper.TOOL, calls=3, writes=("heat_programmes",))
def add_programme(draw: Draw) -> Plan:
    """Give a zone a programme."""
    draw.home()
    zone, when, start = draw.pick(heat_keeper.ZONES), draw.pick(heat_keeper.DAYS), draw.pick(_TIMES)
    celsius = draw.pick(_CELSIUS)

    def solve() -> Solution:
        key, degrees = (yield from _zone_id(zone)), _fahrenheit(celsius)
        act = heat_keeper.add_programme(zone_id=key, days=when, start_time=start, target_f=degrees)
        yield from once(heat_keeper.list_programmes(), act, "target_f")
        return Answer.of(f"The {zone} zone gets {celsius} °C from {start}.")

    return Plan.of(
        f"Add a heating programme for the zone {zone} ({when}, from {start}): {celsius} °C, to a tenth of a "
        "degree Fahrenheit.",
        f"From {start} ({when}) the zone {zone} should go to {celsius} degrees Celsius. Set up the "
        "programme, exact to 0.1 °F.",
        f"Programme the thermostat of {zone}, days: {when}, start: {start}, {celsius} °C converted to one "
        "decimal in Fahrenheit.",
        solve=solve,
    )
