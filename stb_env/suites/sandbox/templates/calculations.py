"""Tasks that are computed: units, statistics, dates."""

from __future__ import annotations

from datetime import date, timedelta

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.households import TODAY, friends
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.lookups import city_id, contact_named, days, long_date, spoken
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import (
    city_atlas,
    climate_desk,
    contact_book,
    date_reckoner,
    number_crunch,
    unit_smith,
)

_CITIES = Options(lambda: [city["name"] for city in cities().values()])
_DAYS = days(1, 120)
# Conversion, source and target unit, the same two in words.
_CONVERSIONS = (
    (unit_smith.convert_length, "nautical_mi", "km", "nautical miles", "kilometres"),
    (unit_smith.convert_length, "ft", "m", "feet", "metres"),
    (unit_smith.convert_mass, "stone", "kg", "stone", "kilograms"),
    (unit_smith.convert_mass, "oz", "g", "ounces", "grams"),
    (unit_smith.convert_volume, "gallon", "l", "imperial gallons", "litres"),
    (unit_smith.convert_volume, "cup", "pint", "cups", "imperial pints"),
    (unit_smith.convert_speed, "knots", "kmh", "knots", "kilometres an hour"),
    (unit_smith.convert_speed, "ms", "mph", "metres a second", "miles an hour"),
)
_RANGE = range(11, 900)


@template(unit_smith.TOOL, calls=1)
def convert_measure(draw: Draw) -> Plan:
    """Convert a measure."""
    convert, source, target, words, wanted = draw.pick(_CONVERSIONS)
    value = draw.between(3, 900)

    def solve() -> Solution:
        row = yield convert(value=value, source_unit=source, target_unit=target)
        converted = round(row["result"], 1)
        return Answer.of(
            f"That is {converted} {wanted}.",
            facts.number("converted", converted, f"in {wanted}, to one decimal", tolerance=0.05),
        )

    return Plan.of(
        f"How many {wanted} are {value} {words}? One decimal, please.",
        f"Convert {value} {words} to {wanted}, to one decimal.",
        f"An old log says {value} {words}. What is that in {wanted}, to one decimal?",
        solve=solve,
    )


@template(number_crunch.TOOL, calls=2)
def sample_summary(draw: Draw) -> Plan:
    """Centre and spread of some measurements."""
    values = draw.pick_some(_RANGE, 6)
    centre = draw.pick(("mean", "median"))
    deviation, words = draw.pick(
        (
            ("sample_deviation", "sample standard deviation"),
            ("population_deviation", "population standard deviation"),
        )
    )
    listed = ", ".join(map(str, values))

    def solve() -> Solution:
        middle = (yield number_crunch.average(numbers=listed, kind=centre))["result"]
        width = (yield number_crunch.spread(numbers=listed, kind=deviation))["result"]
        middle, width = round(middle, 2), round(width, 2)
        return Answer.of(
            f"The {centre} is {middle}, the {words} {width}.",
            facts.number(centre, middle, "to two decimals", tolerance=0.005),
            facts.number("standard_deviation", width, f"{words}, to two decimals", tolerance=0.005),
        )

    return Plan.of(
        f"I measured {listed}. What are the {centre} and the {words}, to two decimals?",
        f"Give me {centre} and {words} (two decimals) of these readings: {listed}.",
        f"Readings: {listed}. Compute their {centre} and their {words} to two decimals.",
        solve=solve,
    )


@template(date_reckoner.TOOL, calls=2)
def project_deadline(draw: Draw) -> Plan:
    """Date after so many working days, and the number of calendar days until then."""
    start, count = draw.pick(_DAYS), draw.between(8, 90)

    def solve() -> Solution:
        end = (yield date_reckoner.add_working_days(date=start.isoformat(), days=count))["date"]
        row = yield date_reckoner.days_between(first_date=start.isoformat(), second_date=end)
        return Answer.of(
            f"It ends on {spoken(end)}, {row['days']} days later.",
            facts.date("deadline_date", end),
            facts.integer("calendar_days", row["days"]),
        )

    return Plan.of(
        f"On which date have {count} working days passed since {long_date(start)}, and how many calendar "
        "days later is that? The first day does not count.",
        f"A contract of {start} allows {count} working days, the first day not counted. Date of the "
        "deadline, and calendar days until then?",
        f"Add {count} working days to {long_date(start)}: resulting date, and its distance in calendar days?",
        solve=solve,
    )


def _next_birthday(birthday: str) -> date:
    """Return the first birthday after the sandbox's present of somebody born on any day but 29 February."""
    this_year = date.fromisoformat(birthday).replace(year=TODAY.year)
    return this_year if this_year > TODAY else this_year.replace(year=TODAY.year + 1)


@template(contact_book.TOOL, date_reckoner.TOOL, calls=3)
def birthday_weekday(draw: Draw) -> Plan:
    """Weekday of a contact's next birthday, and the contact's age then."""
    draw.home()
    contact = draw.pick([row for row in friends(draw.household) if not row["birthday"].endswith("02-29")])
    friend, coming = contact["name"], _next_birthday(contact["birthday"])
    # After the very next one, so that it matters from when one asks.
    start = draw.pick([coming + timedelta(days=offset) for offset in range(1, 300)])

    def solve() -> Solution:
        row = yield from contact_named(friend)
        party = yield date_reckoner.next_anniversary(anniversary=row["birthday"], after=start.isoformat())
        return Answer.of(
            f"It is a {party['weekday']}; {friend} turns {party['years']}.",
            facts.choice("weekday", party["weekday"], WEEKDAYS),
            facts.integer("age_years", party["years"]),
        )

    return Plan.of(
        f"On what day of the week is the next birthday of my contact {friend}, from {long_date(start)} on, "
        "and which age is celebrated?",
        f"I plan {friend}'s next birthday (see my contacts), on or after {start}. What weekday is it, and "
        f"how old will {friend} be?",
        f"Birthday of {friend} from my contacts: the next one from {long_date(start)} on falls on which "
        "weekday, and how many years old is that?",
        solve=solve,
    )


@template(city_atlas.TOOL, climate_desk.TOOL, number_crunch.TOOL, calls=3)
def weekly_temperature(draw: Draw) -> Plan:
    """Average of the highs or lows of a week."""
    name, start = draw.pick(_CITIES), draw.pick(_DAYS)
    end, kind = draw.pick(("high", "low")), draw.pick(("mean", "median"))

    def solve() -> Solution:
        week = yield climate_desk.weekly_outlook(
            city_id=(yield from city_id(name)), start_date=start.isoformat()
        )
        numbers = ", ".join(str(row[end]) for row in week["days"])
        result = (yield number_crunch.average(numbers=numbers, kind=kind))["result"]
        average = round(result, 1)
        return Answer.of(
            f"It is {average} degrees Celsius.",
            facts.number("average_celsius", average, "to one decimal", tolerance=0.05),
        )

    return Plan.of(
        f"What is the {kind} of the daily {end}s in {name} over the seven days from {long_date(start)} on, "
        "in Celsius and to one decimal?",
        f"Take the {end} of each day in {name} for the week that starts on {start} and give me the {kind} in "
        "°C, to one decimal.",
        f"{kind.capitalize()} daily {end} (Celsius, one decimal) in {name}, week from {long_date(start)}?",
        solve=solve,
    )
