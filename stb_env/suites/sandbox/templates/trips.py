"""Tasks about flight bookings."""

from __future__ import annotations

from datetime import timedelta

from stb_env.backend.world import Row
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import days_left
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.flights import CABINS, flights, routes
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.lookups import city_id, days, find, long_date, once
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, ranked, template
from stb_env.suites.sandbox.tools import city_atlas, sky_booker, skyfare

_ROUTES = Options(lambda: sorted(routes()))
_FLIGHTS = Options(lambda: sorted(flights()))
# Beyond all trips that a household starts with.
_DAYS = days(100, 340)


def _trips(draw: Draw, *, changeable: bool) -> list[Row]:
    rows = draw.home().table("trips").values()
    return [row for row in rows if (days_left(row["date"]) >= sky_booker.LOCKED_DAYS) is changeable]


def _trip(flight_id: str) -> Steps[Row]:
    return (yield from find(sky_booker.list_trips(), flight_id=flight_id))


def booked_flight(flight_id: str, date: str, cabin: str) -> Steps[Row]:
    """Book a flight unless it is booked; return the trip."""
    act = sky_booker.book_flight(flight_id=flight_id, date=date, cabin=cabin)
    return (yield from once(sky_booker.list_trips(), act))


@template(city_atlas.TOOL, skyfare.TOOL, sky_booker.TOOL, calls=5, writes=("trips",), unseen=True)
def book_flight(draw: Draw) -> Plan:
    """Book the first or last flight of a day."""
    draw.home()
    origin, destination = (cities()[key]["name"] for key in draw.pick(_ROUTES))
    when, which, cabin = draw.pick(_DAYS), draw.pick(("first", "last")), draw.pick(CABINS)

    def solve() -> Solution:
        first = yield from city_id(origin)
        second = yield from city_id(destination)
        rows = (yield skyfare.search_flights(origin_city_id=first, destination_city_id=second))["results"]
        flight = rows[0 if which == "first" else -1]["flight_id"]
        trip = yield from booked_flight(flight, when.isoformat(), cabin)
        return Answer.of(
            f"Booked: {flight} for {trip['paid']:.2f} AUR.",
            facts.code("flight_number", flight),
            facts.number("price_paid", trip["paid"], "in AUR"),
        )

    return Plan.of(
        f"Book me on the {which} flight of the day from {origin} to {destination} on {when}, in {cabin}. "
        "Which flight number is it, and what does it cost?",
        f"I fly from {origin} to {destination} on {long_date(when)}, {cabin} cabin, with the {which} "
        "departure of the day. Book it with Sky Booker (once) and tell me flight number and fare.",
        f"Sky Booker, please: {origin} to {destination}, {when}, {cabin}. Take whichever flight leaves "
        f"{which} and give me its number and the fare.",
        solve=solve,
    )


@template(skyfare.TOOL, sky_booker.TOOL, calls=5, writes=("trips",))
def book_cheapest_day(draw: Draw) -> Plan:
    """Book a flight on the cheapest of three days."""
    draw.home()
    flight, first = draw.pick(_FLIGHTS), draw.pick(_DAYS)
    dates = [(first + timedelta(days=offset)).isoformat() for offset in range(3)]

    def solve() -> Solution:
        fares = {}
        for date in dates:
            fares[date] = (yield skyfare.get_fare(flight_id=flight, date=date))["fare"]
        best = ranked(dates, lambda date: fares[date])[0]
        trip = yield from booked_flight(flight, best, "economy")
        return Answer.of(
            f"{best} is the cheapest, at {trip['paid']:.2f} AUR.",
            facts.date("booked_date", best),
            facts.number("price_paid", trip["paid"], "in AUR"),
        )

    return Plan.of(
        f"I can take flight {flight} on {dates[0]}, {dates[1]} or {dates[2]}. Book economy on the cheapest "
        "of those days, and tell me the day and the fare.",
        f"Compare the economy fares of {flight} on {dates[0]}, {dates[1]} and {dates[2]} and book the lowest "
        "(a single booking). Which day, which price?",
        f"Book {flight}, economy, for whichever of {dates[0]}, {dates[1]}, {dates[2]} costs least. Report "
        "the date and what I pay.",
        solve=solve,
    )


@template(sky_booker.TOOL, calls=2, writes=("trips",))
def change_flight_day(draw: Draw) -> Plan:
    """Move a trip to another day."""
    flight, when = draw.pick(_trips(draw, changeable=True))["flight_id"], draw.pick(_DAYS)

    def solve() -> Solution:
        row = yield from _trip(flight)
        if row["date"] != when.isoformat():
            row = yield sky_booker.change_flight_day(trip_id=row["trip_id"], date=when.isoformat())
        paid = row["paid"]
        return Answer.of(
            f"Changed; you pay {paid:.2f} AUR in all.",
            facts.number("price_paid", paid, "in AUR, fees included"),
        )

    return Plan.of(
        f"Move my flight {flight} to {when}. What do I pay in all after the change, fee included? Give that "
        "one figure only.",
        f"I want to take {flight} on {long_date(when)} instead. Rebook it and tell me the one final amount, "
        "with the fee in it.",
        f"Change the day of my trip on {flight} to {when}; report only the total price after that, including "
        "the fee.",
        solve=solve,
    )


@template(sky_booker.TOOL, calls=2, writes=("trips",))
def change_flight_too_late(draw: Draw) -> Plan:
    """Try to move a trip that may be too close; then nothing changes."""
    trips = _trips(draw, changeable=draw.rng.choice((True, False)))
    flight, when = draw.pick(trips)["flight_id"], draw.pick(_DAYS)

    def solve() -> Solution:
        row = yield from _trip(flight)
        changed = True
        if row["date"] != when.isoformat():
            try:
                row = yield sky_booker.change_flight_day(trip_id=row["trip_id"], date=when.isoformat())
            except ApiError:
                changed = False
        return Answer.of(
            f"{'Yes' if changed else 'No'}: it leaves on {row['date']}; you paid {row['paid']:.2f} AUR.",
            facts.yes_no("was_changed", changed),
            facts.date("departure_date", row["date"], "of the trip as it is booked in the end"),
            facts.number("price_paid", row["paid"], "in AUR, fees included"),
        )

    return Plan.of(
        f"Can I take my flight {flight} on {when} instead? Change it if that is allowed, and book nothing "
        "new. On which date does the trip as it is booked in the end leave, and what do I pay for it in all?",
        f"Try to move {flight} to {long_date(when)}. Did it work? I also want the departure date and the "
        "whole price of the booking that then stands. Leave my trips alone otherwise.",
        f"Is a change of my trip on {flight} to {when} possible? Do it if it is. Tell me whether you did, "
        "and the departure date and price, any fee included, by the booking that I have after that.",
        solve=solve,
    )


@template(sky_booker.TOOL, calls=3, writes=("trips",))
def choose_seat(draw: Draw) -> Plan:
    """Take one seat, or another where that is taken."""
    trip = draw.pick(_trips(draw, changeable=True))
    flight, free = trip["flight_id"], sky_booker.free_seats(trip["flight_id"], trip["date"])
    second = draw.pick(free)
    first = draw.pick([seat for seat in sky_booker.SEATS if seat != second])

    def solve() -> Solution:
        row = yield from _trip(flight)
        seats = (yield sky_booker.seat_map(flight_id=flight, date=row["date"]))["free"]
        seat = first if first in seats else second
        yield sky_booker.choose_seat(trip_id=row["trip_id"], seat=seat)
        return Answer.of(
            f"You have seat {seat} on {row['date']}.",
            facts.code("seat", seat),
            facts.date("departure_date", row["date"]),
        )

    return Plan.of(
        f"Reserve seat {first} for my trip on {flight}; if it is taken, {second}. Which one did I get, and "
        "on which day is the flight?",
        f"On {flight} I would like to sit in {first}, or else in {second}. Arrange that and tell me the seat "
        "and the date of my trip.",
        f"See whether {first} is free on my flight {flight} and reserve it, otherwise take {second}. Name "
        "the seat and the day of departure.",
        solve=solve,
    )
