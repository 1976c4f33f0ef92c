"""Tasks about flights: cities lead to ids, ids to flights, flights to fares."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.flights import CABINS, flights, routes
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.lookups import city_id, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, template
from stb_env.suites.sandbox.tools import city_atlas, skyfare

_ROUTES = Options(lambda: sorted(routes()))
_FLIGHTS = Options(lambda: sorted(flights()))
_DAYS = days(10, 200)


def _route(draw: Draw) -> tuple[str, str]:
    origin, destination = draw.pick(_ROUTES)
    return cities()[origin]["name"], cities()[destination]["name"]


def _departures(origin: str, destination: str) -> Steps[list[JsonObject]]:
    first = yield from city_id(origin)
    second = yield from city_id(destination)
    page = yield skyfare.search_flights(origin_city_id=first, destination_city_id=second)
    if len(page["results"]) < 2:
        raise Undecided
    return list(page["results"])


@template(city_atlas.TOOL, skyfare.TOOL, calls=3)
def first_flight(draw: Draw) -> Plan:
    """The first flight of a day."""
    origin, destination = _route(draw)

    def solve() -> Solution:
        rows = yield from _departures(origin, destination)
        first = rows[0]
        return Answer.of(
            f"The first one is {first['flight_id']} at {first['departs']}.",
            facts.code("flight_number", first["flight_id"]),
            facts.time("departs", first["departs"]),
        )

    return Plan.of(
        f"Which flight from {origin} to {destination} leaves earliest in the day, and at what time?",
        "I like early starts. Name the flight number and departure time of the day's first flight from "
        f"{origin} to {destination}.",
        f"Find the earliest daily departure {origin} - {destination}: flight number and time, please.",
        solve=solve,
    )


@template(city_atlas.TOOL, skyfare.TOOL, calls=4)
def last_flight_fare(draw: Draw) -> Plan:
    """Fare of the day's last flight."""
    origin, destination = _route(draw)
    when, cabin = draw.pick(_DAYS), draw.pick(CABINS)

    def solve() -> Solution:
        rows = yield from _departures(origin, destination)
        last = rows[-1]["flight_id"]
        row = yield skyfare.get_fare(flight_id=last, date=when.isoformat(), cabin=cabin)
        return Answer.of(
            f"The {cabin} seat costs {row['fare']:.2f} AUR.", facts.number("price", row["fare"], "in AUR")
        )

    return Plan.of(
        f"What does a seat in {cabin} cost on the last flight of the day from {origin} to {destination} on "
        f"{long_date(when)}?",
        f"I want to leave {origin} for {destination} as late as possible on {when}. Tell me the {cabin} fare "
        "of the latest departure.",
        f"Price check: latest daily departure {origin} to {destination}, {long_date(when)}, {cabin} class.",
        solve=solve,
    )


@template(skyfare.TOOL, calls=2)
def cabin_surcharge(draw: Draw) -> Plan:
    """Difference in fare between two cabins of a flight."""
    flight, when = draw.pick(_FLIGHTS), draw.pick(_DAYS)
    better = draw.pick(CABINS[1:])

    def solve() -> Solution:
        low = yield skyfare.get_fare(flight_id=flight, date=when.isoformat(), cabin="economy")
        high = yield skyfare.get_fare(flight_id=flight, date=when.isoformat(), cabin=better)
        extra = round(high["fare"] - low["fare"], 2)
        return Answer.of(
            f"The extra charge is {extra:.2f} AUR.", facts.number("price_difference", extra, "in AUR")
        )

    return Plan.of(
        f"On flight {flight} on {long_date(when)}, how much more than economy does {better} cost?",
        f"I hold an economy ticket for {flight} on {when}. What is the fare difference to {better}?",
        f"Compare the economy and {better} fares of flight {flight} for {long_date(when)}: what is the "
        "difference in aurel?",
        solve=solve,
    )
