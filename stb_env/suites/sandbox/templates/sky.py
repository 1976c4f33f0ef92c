"""Tasks about weather and daylight."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.climate import CONDITIONS
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.places import CITIES
from stb_env.suites.sandbox.lookups import city_id, contact_named, days, long_date, spoken, temperature
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, ranked, template
from stb_env.suites.sandbox.tools import city_atlas, climate_desk, contact_book, sky_almanac

_DAYS = days(1, 120)


@template(sky_almanac.TOOL, calls=1)
def sun_times(draw: Draw) -> Plan:
    """Sunrise and sunset."""
    name, when = draw.pick(CITIES)["name"], draw.pick(_DAYS)

    def solve() -> Solution:
        row = yield sky_almanac.sun_times(city_name=name, date=when.isoformat())
        return Answer.of(
            f"The sun rises at {row['sunrise']} and sets at {row['sunset']}.",
            facts.time("sunrise", row["sunrise"]),
            facts.time("sunset", row["sunset"]),
        )

    return Plan.of(
        f"When do sunrise and sunset happen in {name} on {long_date(when)}?",
        f"I plan photographs in {name} on {when}: at what times does the sun come up and go down?",
        f"Give me the local sunrise and sunset times for {name}, {long_date(when)}.",
        solve=solve,
    )


@template(city_atlas.TOOL, climate_desk.TOOL, calls=2)
def city_high(draw: Draw) -> Plan:
    """High of a day in the scale that the user wants, and the conditions."""
    name, when = draw.pick(CITIES)["name"], draw.pick(_DAYS)
    units, scale = draw.pick((("metric", "Celsius"), ("imperial", "Fahrenheit")))

    def solve() -> Solution:
        key = yield from city_id(name)
        row = yield climate_desk.daily_forecast(city_id=key, date=when.isoformat(), units=units)
        return Answer.of(
            f"The high is {row['high']} degrees {scale}, with {row['condition']}.",
            temperature("high", row["high"], scale),
            facts.choice("condition", row["condition"], CONDITIONS),
        )

    return Plan.of(
        f"How warm will it get in {name} on {long_date(when)}? In {scale}, please; the conditions too.",
        f"I am packing for {name}. What high in degrees {scale} and which conditions are forecast for "
        f"{when}?",
        f"Tell me the maximum temperature ({scale}) and the conditions expected in {name} on "
        f"{long_date(when)}.",
        solve=solve,
    )


@template(city_atlas.TOOL, climate_desk.TOOL, calls=2)
def wettest_day(draw: Draw) -> Plan:
    """The wettest day of a week."""
    name, first = draw.pick(CITIES)["name"], draw.pick(_DAYS)

    def solve() -> Solution:
        key = yield from city_id(name)
        week = yield climate_desk.weekly_outlook(city_id=key, start_date=first.isoformat())
        rows = ranked(week["days"], lambda row: row["rain"], most=True)
        wettest = rows[0]
        when = spoken(wettest["date"])
        return Answer.of(
            f"The wettest day is {when} with {wettest['rain']} mm.",
            facts.date("wettest_date", wettest["date"]),
            facts.number("rain_mm", wettest["rain"], "of that day"),
        )

    return Plan.of(
        f"In the seven days from {long_date(first)} on, which day brings {name} the most rain, and how many "
        "mm?",
        f"I spend the week starting {first} in {name}. On what date should I stay indoors because of the "
        "heaviest rain, and how many millimetres are expected?",
        f"Find the rainiest date in {name} in the week that starts on {long_date(first)}; give me the date "
        "and the amount in mm.",
        solve=solve,
    )


@template(contact_book.TOOL, climate_desk.TOOL, calls=3)
def weather_at_contact(draw: Draw) -> Plan:
    """Weather in the city of a contact."""
    draw.home()
    name, when = draw.pick(friends(draw.household))["name"], draw.pick(_DAYS)

    def solve() -> Solution:
        row = yield from contact_named(name)
        forecast = yield climate_desk.daily_forecast(city_id=row["city_id"], date=when.isoformat())
        return Answer.of(
            f"The low will be {forecast['low']} °C, with {forecast['condition']}.",
            temperature("low", forecast["low"], "Celsius"),
            facts.choice("condition", forecast["condition"], CONDITIONS),
        )

    return Plan.of(
        f"I am visiting {name} from my contacts on {long_date(when)}. How cold does it get there (Celsius), "
        "and what are the conditions?",
        f"What are the lowest temperature in °C and the weather conditions on {when} where {name} lives? You "
        "find the address in my contacts.",
        f"My friend {name} (see contacts) expects me on {long_date(when)}. Tell me the minimum temperature "
        "in Celsius and the weather condition in that city.",
        solve=solve,
    )
