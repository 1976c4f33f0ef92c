"""Departures between places, made from a seed."""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import NamedTuple

from stb_env.seeding import rng
from stb_env.suites.sambanova.common.form.api import Criteria
from stb_env.suites.sambanova.trip_booking.functions import MEANS, day_of
from stb_env.suites.sambanova.trip_booking.places import VERSION, Place, kilometres, places

MOST_DEPARTURES = 5
_CHILD_SHARE = 0.5


class Line(NamedTuple):
    """A means of transport: distances in kilometres, speed in km/h, prices in dollars."""

    nearest: float
    farthest: float
    speed: float
    fare: float
    per_kilometre: float


_LINES = {
    "flight": Line(250, 20_000, 650, 60, 0.09),
    "train": Line(40, 3_500, 85, 12, 0.11),
    "bus": Line(20, 1_800, 70, 8, 0.06),
    "cruise": Line(100, 8_000, 35, 150, 0.35),
}


class Departure(NamedTuple):
    """One departure; ``price`` is what an adult pays, in dollars."""

    id: str
    date: str
    leaves: str
    minutes: int
    price: int


@lru_cache(maxsize=8_192)
def departures(means: str, start: str, end: str, day: datetime.date) -> tuple[Departure, ...]:
    """Return what goes on a day, cheapest first; nothing where there is no such line.

    Examples:
        >>> departures("train", "Omaha", "Denver", datetime.date(2024, 3, 14))[0]
        Departure(id='TOMDE-00', date='3-14-2024', leaves='16:30', minutes=625, price=99)
        >>> departures("cruise", "Omaha", "Denver", datetime.date(2024, 3, 14))
        ()
    """
    known = places()
    if means not in MEANS or start not in known or end not in known or start == end:
        return ()
    line, far = _LINES[means], kilometres(known[start], known[end])
    if not _serves(means, known[start], known[end]) or not line.nearest <= far <= line.farthest:
        return ()
    draw = rng("trip_booking", VERSION, means, start, end, day.isoformat())
    code = f"{means[0]}{start[:2]}{end[:2]}".upper()
    made = []
    for number in range(draw.randint(1, MOST_DEPARTURES)):
        leaves = draw.randrange(5 * 60, 23 * 60, 5)
        price = (line.fare + line.per_kilometre * far) * draw.uniform(0.7, 1.6)
        minutes = 5 * round(12 * far / line.speed * draw.uniform(1.0, 1.2)) + 20
        date = f"{day.month}-{day.day}-{day.year}"
        made.append(
            Departure(
                f"{code}-{number:02}", date, f"{leaves // 60:02}:{leaves % 60:02}", minutes, round(price)
            )
        )
    return tuple(sorted(made, key=lambda departure: (departure.price, departure.id)))


def find_tickets(criteria: Criteria) -> dict[str, object]:
    """Return the departures that criteria ask for, there and, where a day is set for it, back.

    What each costs in all counts children at half the price.
    """
    there = _found(criteria, "location_from", "location_to", "departure_date")
    if "return_date" not in criteria:
        return {"departures": there}
    return {"departures": there, "returns": _found(criteria, "location_to", "location_from", "return_date")}


def _found(criteria: Criteria, start_key: str, end_key: str, day_key: str) -> list[dict[str, object]]:
    means, start, end = (criteria.get(key) for key in ("means_of_transportation", start_key, end_key))
    day = day_of(criteria.get(day_key))
    if day is None or not isinstance(start, str) or not isinstance(end, str):
        return []
    found = departures(str(means), start, end, day)
    share = _count(criteria, "num_adults", 1) + _CHILD_SHARE * _count(criteria, "num_children", 0)
    return [
        {**departure._asdict(), "total": round(departure.price * share, 2)}
        for departure in found
        if is_between(departure.price, criteria.get("min_price_ticket"), criteria.get("max_price_ticket"))
    ]


def is_between(price: int, least: object, most: object) -> bool:
    """Return whether a price is within limits, of which those that are no numbers count for nothing.

    Examples:
        >>> is_between(5, None, 4), is_between(5, 5, None), is_between(5, "6", None)
        (False, True, True)
    """
    return not (isinstance(least, int | float) and price < least) and not (
        isinstance(most, int | float) and price > most
    )


def _serves(means: str, start: Place, end: Place) -> bool:
    match means:
        case "train":
            return start.train and end.train
        case "cruise":
            return start.port and end.port
        case "bus":
            return start.road and end.road
    return True


def _count(criteria: Criteria, key: str, default: int) -> int | float:
    value = criteria.get(key, default)
    return min(value, 10**6) if isinstance(value, int | float) else default
