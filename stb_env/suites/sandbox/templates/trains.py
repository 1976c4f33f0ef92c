"""Tasks about trains: one company takes city ids and 24 hours, the other names, 12 hours and cents."""

from __future__ import annotations

import re
from collections.abc import Callable

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.rail import trains, trains_by_pair
from stb_env.suites.sandbox.conventions import show_clock
from stb_env.suites.sandbox.lookups import city_id
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, ranked, template
from stb_env.suites.sandbox.tools import city_atlas, iron_road, swiftline

# The documentation shows a train and a service of the first pair as examples.
_PAIRS = Options(lambda: list(trains_by_pair())[1:])
_TRAINS = Options(
    lambda: [
        row for row in trains().values() if (row["origin_city_id"], row["destination_city_id"]) in _PAIRS
    ]
)
_ENDS = {"first": 0, "last": -1}


def _names(pair: tuple[str, str]) -> tuple[str, str]:
    origin, destination = pair
    return cities()[origin]["name"], cities()[destination]["name"]


def _around(draw: Draw, minutes: Callable[[dict[str, object]], range]) -> tuple[str, str, str]:
    """Choose (origin, destination, time of day), some minutes around a train."""
    row = draw.rng.choice(_TRAINS)
    route = _names((row["origin_city_id"], row["destination_city_id"]))
    return draw.pick([(*route, show_clock(draw.rng.choice(minutes(row))))])


def _arrived(row: JsonObject) -> range:
    """Return minutes at which a train has just arrived."""
    arrives = row["departs"] + row["minutes"]
    return range(arrives + 1, arrives + 40)


def _waiting(row: JsonObject) -> range:
    """Return minutes at which a train is about to leave."""
    return range(row["departs"] - 40, row["departs"] + 1)


def direct_trains(origin: str, destination: str) -> Steps[list[JsonObject]]:
    """Find the trains of Iron Road between two cities by name, by departure; three calls."""
    first = yield from city_id(origin)
    second = yield from city_id(destination)
    page = yield iron_road.find_trains(origin_city_id=first, destination_city_id=second)
    return list(page["results"])


def _minutes_12(text: str) -> int:
    """Read a time such as ``2:05 PM``."""
    hours, minutes, half = re.split("[: ]", text)
    return int(hours) % 12 * 60 + int(minutes) + (720 if half == "PM" else 0)


@template(city_atlas.TOOL, iron_road.TOOL, calls=3, unseen=True)
def train_by_deadline(draw: Draw) -> Plan:
    """The last train that arrives by a deadline."""
    origin, destination, deadline = _around(draw, _arrived)

    def solve() -> Solution:
        rows = yield from direct_trains(origin, destination)
        best = [row for row in rows if row["arrives"] <= deadline][-1]
        if best is rows[-1]:
            raise Undecided  # the last train of the day: the deadline would not matter
        return Answer.of(
            f"Take {best['train_id']}, which leaves at {best['departs']}.",
            facts.code("train_id", best["train_id"]),
            facts.time("departs", best["departs"]),
        )

    return Plan.of(
        f"I have to be in {destination} by {deadline}. Which Iron Road train from {origin} can I take at the "
        "latest, and when does it leave?",
        f"Find the latest departure of Iron Road from {origin} that reaches {destination} no later than "
        f"{deadline}: train id and departure time.",
        f"Iron Road, {origin} to {destination}, arrival at or before {deadline}: which train leaves last, "
        "and at what time?",
        solve=solve,
    )


@template(iron_road.TOOL, calls=1)
def rail_party_fare(draw: Draw) -> Plan:
    """Fare of a party on one train."""
    train, party = draw.pick(_TRAINS)["train_id"], draw.between(2, 12)
    travel_class = draw.pick(iron_road.CLASSES)

    def solve() -> Solution:
        row = yield iron_road.train_fare(train_id=train, travel_class=travel_class, passengers=party)
        return Answer.of(f"They pay {row['total']:.2f} AUR.", facts.number("total", row["total"], "in AUR"))

    return Plan.of(
        f"What do {party} passengers pay altogether in {travel_class} class on train {train}?",
        f"Our club of {party} takes {train} of Iron Road, {travel_class} class. Total fare, please.",
        f"Price of {party} {travel_class}-class tickets for {train}, any group discount included?",
        solve=solve,
    )


@template(city_atlas.TOOL, iron_road.TOOL, calls=4)
def dining_car_train(draw: Draw) -> Plan:
    """Dining car and platform of the next train."""
    origin, destination, ready = _around(draw, _waiting)

    def solve() -> Solution:
        rows = yield from direct_trains(origin, destination)
        key = next(row["train_id"] for row in rows if row["departs"] >= ready)
        if key == rows[0]["train_id"]:
            raise Undecided  # the first train of the day: the time would not matter
        row = yield iron_road.train_details(train_id=key)
        polarity = "Yes, it has one" if row["dining_car"] else "No, it has none"
        return Answer.of(
            f"{polarity}; it leaves from platform {row['platform']}.",
            facts.yes_no("has_dining_car", row["dining_car"]),
            facts.integer("platform", row["platform"]),
        )

    return Plan.of(
        f"I am at the station of {origin} from {ready} on and take the next Iron Road train to "
        f"{destination}. Does it have a dining car, and from which platform does it go?",
        f"Is there a dining car on the first Iron Road train {origin} - {destination} at or after {ready}? "
        "Tell me the platform as well.",
        f"Next Iron Road departure from {origin} to {destination} from {ready} on: can we eat in a dining "
        "car, and what is the platform number?",
        solve=solve,
    )


@template(swiftline.TOOL, calls=2)
def swift_ticket(draw: Draw) -> Plan:
    """Arrival of an express and price of a seat, in everyday units."""
    origin, destination = _names(draw.pick(_PAIRS))
    end, seat = draw.pick(list(_ENDS)), draw.pick(list(swiftline.SEATS))

    def solve() -> Solution:
        rows = (yield swiftline.timetable(from_city=origin, to_city=destination))["services"]
        row = rows[_ENDS[end]]
        price = (yield swiftline.ticket_price(service_code=row["service_code"], seat=seat))["price_cents"]
        hours, minutes = map(int, re.findall(r"\d+", row["journey"]))
        arrival = show_clock(_minutes_12(row["departs"]) + hours * 60 + minutes)
        return Answer.of(
            f"It arrives at {arrival}; the seat costs {price / 100:.2f} AUR.",
            facts.time("arrives", arrival),
            facts.number("price", price / 100, "in AUR"),
        )

    return Plan.of(
        f"When does the {end} Swiftline service of the day from {origin} reach {destination}, and what does "
        f"a {seat} seat on it cost in aurel?",
        f"I take the day's {end} Swiftline express from {origin} to {destination}, in a {seat} seat. Arrival "
        "time and price in AUR?",
        f"Swiftline {origin} - {destination}, {end} departure: give me the time of arrival and the {seat} "
        "fare, in aurel rather than cents.",
        solve=solve,
    )


@template(swiftline.TOOL, calls=5)
def most_punctual_service(draw: Draw) -> Plan:
    """The most (or least) punctual express, and the price of a seat on it."""
    origin, destination = _names(draw.pick(_PAIRS))
    wording, seat = draw.pick(("shortest", "longest")), draw.pick(list(swiftline.SEATS))

    def solve() -> Solution:
        rows = (yield swiftline.timetable(from_city=origin, to_city=destination))["services"]
        delays = {}
        for row in rows:
            record = yield swiftline.punctuality(service_code=row["service_code"])
            delays[row["service_code"]] = record["average_delay_seconds"]
        best = ranked(delays, lambda key: delays[key], most=wording == "longest")[0]
        price = (yield swiftline.ticket_price(service_code=best, seat=seat))["price_cents"]
        return Answer.of(
            f"It is {best}; the seat costs {price / 100:.2f} AUR.",
            facts.code("service_code", best),
            facts.number("price", price / 100, "in AUR"),
        )

    return Plan.of(
        f"Which Swiftline service from {origin} to {destination} has the {wording} average delay? Give its "
        f"code and the price of a {seat} seat in aurel.",
        f"Of the Swiftline services {origin} - {destination}, find the one with the {wording} mean delay: "
        f"code, and what a {seat} ticket costs in AUR.",
        f"By average delay (take the {wording}), which Swiftline express runs from {origin} to "
        f"{destination}, and how many aurel is its {seat} fare?",
        solve=solve,
    )


@template(city_atlas.TOOL, iron_road.TOOL, swiftline.TOOL, calls=6)
def cheaper_railway(draw: Draw) -> Plan:
    """The cheaper of two railway companies for a party, and the difference."""
    origin, destination = _names(draw.pick(_PAIRS))
    end, party = draw.pick(list(_ENDS)), draw.between(2, 9)

    def solve() -> Solution:
        rows = yield from direct_trains(origin, destination)
        train = rows[_ENDS[end]]["train_id"]
        one = (yield iron_road.train_fare(train_id=train, travel_class="second", passengers=party))["total"]
        rows = (yield swiftline.timetable(from_city=origin, to_city=destination))["services"]
        code = rows[_ENDS[end]]["service_code"]
        cents = (yield swiftline.ticket_price(service_code=code, seat="standard"))["price_cents"]
        gap = round(cents * party / 100 - one, 2)
        if not gap:
            raise Undecided
        best, other = ("Iron Road", "Swiftline") if gap > 0 else ("Swiftline", "Iron Road")
        return Answer.of(
            f"{best} is cheaper, by {abs(gap):.2f} AUR.",
            facts.choice("railway", best, sorted((best, other)), "the cheaper one"),
            facts.number("price_difference", abs(gap), "in AUR, for all, not negative"),
        )

    return Plan.of(
        f"{party} of us travel from {origin} to {destination} on the day's {end} train. Compare the two "
        "railway companies (second class against standard seats): name only the cheaper one, and by how many "
        "aurel it is cheaper for all of us.",
        f"For a party of {party} on the {end} departure from {origin} to {destination}, second class or "
        "standard seat: which railway costs less, and what is the difference in AUR? Name that one only.",
        f"Two railways run from {origin} to {destination}. Taking the {end} train of each, cheapest class, "
        f"{party} passengers: answer with the less expensive company alone and the saving in aurel.",
        solve=solve,
    )
