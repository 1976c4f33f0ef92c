"""Tasks about cities."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.places import CITIES
from stb_env.suites.sandbox.lookups import DISTANCE_UNITS, city_id, distance
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, template
from stb_env.suites.sandbox.tools import city_atlas


@template(city_atlas.TOOL, calls=2)
def city_population(draw: Draw) -> Plan:
    """Population of a city."""
    name = draw.pick(CITIES)["name"]

    def solve() -> Solution:
        row = yield city_atlas.city_details(city_id=(yield from city_id(name)))
        return Answer.of(
            f"{name} has {row['population']:,} inhabitants.", facts.integer("population", row["population"])
        )

    return Plan.of(
        f"How many people live in {name}?",
        f"I am writing a travel guide. What is the population of {name}, exactly?",
        f"Look up {name} for me and tell me its number of inhabitants.",
        solve=solve,
    )


@template(city_atlas.TOOL, calls=3)
def city_distance(draw: Draw) -> Plan:
    """Distance between two cities, in the unit that the user wants."""
    one, two = (city["name"] for city in draw.pick_some(CITIES, 2))
    unit, word = draw.pick(DISTANCE_UNITS)

    def solve() -> Solution:
        first = yield from city_id(one)
        second = yield from city_id(two)
        row = yield city_atlas.distance_between(first_city_id=first, second_city_id=second, unit=unit)
        return Answer.of(f"They are {row['distance']} {word} apart.", distance(row["distance"], word))

    return Plan.of(
        f"How far is it from {one} to {two} as the crow flies? Please answer in {word}, to one decimal.",
        f"Give me the straight-line distance between {one} and {two} in {word}, to one decimal.",
        f"I collect odd facts: how many {word} (one decimal) separate {one} and {two}?",
        solve=solve,
    )


@template(city_atlas.TOOL, calls=4)
def elevation_gap(draw: Draw) -> Plan:
    """Difference in elevation of two cities."""
    one, two = (city["name"] for city in draw.pick_some(CITIES, 2))

    def solve() -> Solution:
        heights = []
        for name in (one, two):
            row = yield city_atlas.city_details(city_id=(yield from city_id(name)))
            heights.append(row["elevation_m"])
        gap = abs(heights[0] - heights[1])
        return Answer.of(
            f"The difference is {gap} metres.", facts.integer("difference_m", gap, "not negative")
        )

    return Plan.of(
        f"What is the difference in elevation between {one} and {two}, in metres?",
        f"I get altitude sickness. By how many metres do {one} and {two} differ in height above sea level?",
        f"Compare the elevations of {one} and {two}: how big is the gap in metres?",
        solve=solve,
    )
