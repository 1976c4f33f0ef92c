"""Tasks about ferries: cities lead to ports and routes, weekdays to sailings, ships to their measures."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.ferries import VEHICLES, ferry_routes
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.rail import trains_by_pair
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.lookups import city_id, days, long_date
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, ranked, template
from stb_env.suites.sandbox.templates.trains import direct_trains
from stb_env.suites.sandbox.tools import (
    city_atlas,
    clock_shift,
    date_reckoner,
    harbour_ferries,
    iron_road,
    unit_smith,
)

_ROUTES = Options(lambda: ferry_routes().values())
_FEEDERS = Options(
    lambda: [
        (origin, route)
        for route in _ROUTES
        for origin, port in trains_by_pair()
        if port == route["origin_city_id"]
    ]
)
_DAYS = days(5, 200)
_ENDS = {"first": 0, "last": -1}


def _ports(route: JsonObject) -> tuple[str, str]:
    return cities()[route["origin_city_id"]]["name"], cities()[route["destination_city_id"]]["name"]


def _route(origin: str, destination: str) -> Steps[JsonObject]:
    """Find the route between two ports by name; three calls."""
    first = yield from city_id(origin)
    second = yield from city_id(destination)
    rows = (yield harbour_ferries.routes_from(port_city_id=first))["routes"]
    return next(dict(row) for row in rows if row["destination_city_id"] == second)


@template(city_atlas.TOOL, harbour_ferries.TOOL, calls=4)
def ferry_price(draw: Draw) -> Plan:
    """Price of a crossing for a family and its vehicle."""
    origin, destination = _ports(draw.pick(_ROUTES))
    adults, children, vehicle = draw.between(2, 5), draw.between(2, 5), draw.pick(VEHICLES[1:])

    def solve() -> Solution:
        route = (yield from _route(origin, destination))["route_id"]
        row = yield harbour_ferries.crossing_price(
            route_id=route, adults=adults, children=children, vehicle=vehicle
        )
        return Answer.of(
            f"The crossing costs {row['total']:.2f} AUR.", facts.number("total", row["total"], "in AUR")
        )

    return Plan.of(
        f"What does the ferry from {origin} to {destination} cost for {adults} adults, {children} children "
        f"and a {vehicle}?",
        f"We are {adults} grown-ups and {children} kids with a {vehicle}. Total price of the ferry {origin} "
        f"- {destination}?",
        f"Quote me the sea crossing {origin} to {destination}: adults {adults}, children {children}, one "
        f"{vehicle}.",
        solve=solve,
    )


@template(date_reckoner.TOOL, city_atlas.TOOL, harbour_ferries.TOOL, calls=6)
def ferry_on_date(draw: Draw) -> Plan:
    """Departure of a ferry on a date, and the price for foot passengers."""
    origin, destination = _ports(draw.pick(_ROUTES))
    when, end, adults = draw.pick(_DAYS), draw.pick(list(_ENDS)), draw.between(2, 7)

    def solve() -> Solution:
        weekday = (yield date_reckoner.weekday_of(date=when.isoformat()))["weekday"]
        route = (yield from _route(origin, destination))["route_id"]
        times = (yield harbour_ferries.sailings_on(route_id=route, weekday=weekday))["departures"]
        total = (yield harbour_ferries.crossing_price(route_id=route, adults=adults))["total"]
        if len(times) == 1:
            raise Undecided
        sailing = times[_ENDS[end]]
        return Answer.of(
            f"It sails at {sailing} and costs {total:.2f} AUR.",
            facts.time("departs", sailing),
            facts.number("total", total, "in AUR"),
        )

    return Plan.of(
        f"At what time does the {end} ferry from {origin} to {destination} leave on {long_date(when)}, and "
        f"what do {adults} adults on foot pay together?",
        f"I plan to cross from {origin} to {destination} on {when} with the {end} ferry of that day: "
        f"departure time, and total price for {adults} adults without a vehicle?",
        f"{end.capitalize()} sailing {origin} - {destination} on {long_date(when)}: when is it, and how much "
        f"for {adults} adult foot passengers in all?",
        solve=solve,
    )


@template(city_atlas.TOOL, harbour_ferries.TOOL, clock_shift.TOOL, calls=6)
def ferry_arrival(draw: Draw) -> Plan:
    """Arrival of a ferry, in the local time of the other country."""
    origin, destination = _ports(draw.pick(_ROUTES))
    weekday, end = draw.pick(WEEKDAYS), draw.pick(list(_ENDS))

    def solve() -> Solution:
        route = yield from _route(origin, destination)
        sailings = yield harbour_ferries.sailings_on(route_id=route["route_id"], weekday=weekday)
        if len(sailings["departures"]) == 1:
            raise Undecided
        sailing = sailings["departures"][_ENDS[end]]
        minutes = round(route["crossing_hours"] * 60)
        landing = (yield clock_shift.add_minutes(time=sailing, minutes=minutes))["time"]
        row = yield clock_shift.shift_time(time=landing, from_city=origin, to_city=destination)
        if row["time"] == landing:
            raise Undecided
        return Answer.of(
            f"It arrives at {row['time']} local time.",
            facts.time("arrives", row["time"], "by the clocks at the destination"),
        )

    return Plan.of(
        f"At what local time does the {end} {weekday} ferry from {origin} arrive in {destination}? Mind the "
        "time difference.",
        f"I take the {end} ferry that leaves {origin} on a {weekday}. What do the clocks in {destination} "
        "show when it lands?",
        f"Work out the local arrival time in {destination} of {weekday}'s {end} sailing from {origin}.",
        solve=solve,
    )


@template(city_atlas.TOOL, harbour_ferries.TOOL, unit_smith.TOOL, calls=9)
def longer_ship(draw: Draw) -> Plan:
    """The longer ship of two routes, and the difference in metres."""
    one = draw.pick(_ROUTES)
    other = draw.pick([route for route in _ROUTES if route["vessel"] != one["vessel"]])
    routes = [_ports(one), _ports(other)]

    def solve() -> Solution:
        lengths = {}
        for origin, destination in routes:
            vessel = (yield from _route(origin, destination))["vessel"]
            lengths[vessel] = (yield harbour_ferries.vessel_facts(vessel=vessel))["length_ft"]
        longer, shorter = ranked(lengths, lambda key: lengths[key], most=True)
        gap = lengths[longer] - lengths[shorter]
        row = yield unit_smith.convert_length(value=gap, source_unit="ft", target_unit="m")
        metres = round(row["result"], 2)
        return Answer.of(
            f"The {longer} is longer, by {metres:.2f} m.",
            facts.name("ship", longer),
            facts.number("length_difference_m", metres, "in metres, rounded to two decimals", tolerance=0.01),
        )

    first, second = (f"{origin} - {destination}" for origin, destination in routes)
    return Plan.of(
        f"Which ship is longer, that of the ferry route {first} or that of {second}? Name only the longer "
        "one, and say by how many metres, to two decimals.",
        f"Compare the ferries on the routes {first} and {second}: what is the name of the longer ship (leave "
        "the other one out), and what is the difference in length in metres, to two decimals?",
        f"I build models. Of the two vessels on {first} and {second}, name just the longer and tell me how "
        "many metres it has more, to two decimals.",
        solve=solve,
    )


@template(city_atlas.TOOL, iron_road.TOOL, harbour_ferries.TOOL, calls=8, unseen=True)
def train_then_ferry(draw: Draw) -> Plan:
    """Price of a journey by train and ferry for a party."""
    start, route = draw.pick(_FEEDERS)
    (port, abroad), party = _ports(route), draw.between(2, 7)
    origin = cities()[start]["name"]

    def solve() -> Solution:
        rows = yield from direct_trains(origin, port)
        key = rows[0]["train_id"]
        fare = (yield iron_road.train_fare(train_id=key, travel_class="second", passengers=party))["total"]
        first = rows[0]["departs"]
        third = yield from city_id(abroad)
        harbour = (yield iron_road.train_details(train_id=key))["destination_city_id"]
        routes = (yield harbour_ferries.routes_from(port_city_id=harbour))["routes"]
        ferry = next(row["route_id"] for row in routes if row["destination_city_id"] == third)
        crossing = (yield harbour_ferries.crossing_price(route_id=ferry, adults=party))["total"]
        total = round(fare + crossing, 2)
        return Answer.of(
            f"The train leaves at {first}; train and ferry cost {total:.2f} AUR.",
            facts.time("departs", first),
            facts.number("total", total, "in AUR"),
        )

    return Plan.of(
        f"{party} adults go from {origin} to {port} on Iron Road's first train of the day, second class, and "
        f"on by ferry to {abroad}. When does the train leave, and what do train and ferry cost in all?",
        f"Plan {origin} - {port} (first Iron Road train, second class) - {abroad} (ferry) for {party} adults "
        "on foot: departure of the train and total price in aurel?",
        f"I need a budget: the earliest Iron Road train from {origin} to {port} in second class, then the "
        f"ferry to {abroad}, {party} adults. Train departure time and the sum of both fares, please.",
        solve=solve,
    )
