"""Tasks about time zones."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.flights import flights
from stb_env.suites.sandbox.content.households import friends
from stb_env.suites.sandbox.content.places import CITIES, cities
from stb_env.suites.sandbox.conventions import show_clock
from stb_env.suites.sandbox.lookups import contact_named
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Undecided, template
from stb_env.suites.sandbox.tools import city_atlas, clock_shift, contact_book, skyfare

_FLIGHTS = Options(lambda: sorted(flights()))
_CLOCKS = [show_clock(minutes) for minutes in range(6 * 60, 22 * 60, 5)]
_NEAR = Options(
    lambda: [
        (one["name"], two["name"])
        for one in CITIES
        for two in CITIES
        if 0 < abs(one["utc_offset_hours"] - two["utc_offset_hours"]) < 6
    ]
)


@template(contact_book.TOOL, city_atlas.TOOL, clock_shift.TOOL, calls=4)
def call_contact(draw: Draw) -> Plan:
    """Local time of a contact at the time of a call."""
    draw.home()
    friend = draw.pick(friends(draw.household))
    name, offset = friend["name"], cities()[friend["city_id"]]["utc_offset_hours"]
    here = draw.pick([city["name"] for city in CITIES if city["utc_offset_hours"] != offset])
    at = draw.pick(_CLOCKS)

    def solve() -> Solution:
        row = yield from contact_named(name)
        there = (yield city_atlas.city_details(city_id=row["city_id"]))["name"]
        shifted = yield clock_shift.shift_time(time=at, from_city=here, to_city=there)
        return Answer.of(
            f"In {there} it is {shifted['time']} then.",
            facts.name("city", there),
            facts.time("local_time", shifted["time"], "by the clocks of that city"),
        )

    return Plan.of(
        f"I am in {here} and ring my contact {name} at {at} my time. In which city does the phone ring, and "
        "what time is it there?",
        f"Where does {name} from my contacts live, and what do the clocks there show when it is {at} in "
        f"{here}?",
        f"At {at} in {here}, what is the local time for {name} (see my contacts)? Name the city as well.",
        solve=solve,
    )


@template(skyfare.TOOL, city_atlas.TOOL, clock_shift.TOOL, calls=5)
def flight_arrival(draw: Draw) -> Plan:
    """Local time of leaving the airport after a flight."""
    flight, extra = draw.pick(_FLIGHTS), draw.between(5, 90)

    def solve() -> Solution:
        row = yield skyfare.flight_details(flight_id=flight)
        origin = (yield city_atlas.city_details(city_id=row["origin_city_id"]))["name"]
        target = (yield city_atlas.city_details(city_id=row["destination_city_id"]))["name"]
        landed = yield clock_shift.add_minutes(time=row["departs"], minutes=row["duration_minutes"] + extra)
        local = yield clock_shift.shift_time(time=landed["time"], from_city=origin, to_city=target)
        if local["time"] == landed["time"]:
            raise Undecided  # The time zone changes nothing.
        return Answer.of(
            f"It is {local['time']} in {target}.",
            facts.time("time_outside", local["time"], "by the clocks at the destination"),
            facts.name("city", target, "the destination"),
        )

    return Plan.of(
        f"I fly with {flight} and need {extra} minutes after landing to leave the airport. At what local "
        "time am I out, and in which city?",
        f"Flight {flight}: to which city does it go, and what is the local time there {extra} minutes after "
        "it lands?",
        f"Add {extra} minutes to the arrival of {flight}. Which local time is that at its destination, and "
        "which city is it? Mind the time zones.",
        solve=solve,
    )


@template(clock_shift.TOOL, calls=1)
def office_overlap(draw: Draw) -> Plan:
    """Hours in which the offices of two cities are both open."""
    one, two = draw.pick(_NEAR)
    opens, closes = show_clock(15 * draw.between(28, 40)), show_clock(15 * draw.between(64, 76))

    def solve() -> Solution:
        row = yield clock_shift.common_hours(first_city=one, second_city=two, opens=opens, closes=closes)
        return Answer.of(
            f"From {row['from']} to {row['to']}, that is {row['minutes']} minutes.",
            facts.time("start", row["from"], f"by the clocks of {one}"),
            facts.time("end", row["to"], f"by the clocks of {one}"),
            facts.integer("minutes", row["minutes"], "from start to end"),
        )

    return Plan.of(
        f"Our offices in {one} and {two} both work from {opens} to {closes}, local time. From when to when, "
        f"in {one} time, are both open, and how many minutes is that?",
        f"Working hours are {opens}-{closes} local in {one} and in {two}. When do they overlap (start and "
        f"end by the clocks of {one}), and for how many minutes?",
        f"Find the shared working time of {one} and {two} if everyone works {opens} to {closes} local: "
        f"start, end (time of {one}) and length in minutes.",
        solve=solve,
    )
