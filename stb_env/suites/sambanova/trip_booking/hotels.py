"""Hotels with their rooms, made from a seed."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from stb_env.seeding import rng
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.form.api import Criteria
from stb_env.suites.sambanova.trip_booking.functions import ROOM_TYPES, day_of
from stb_env.suites.sambanova.trip_booking.places import VERSION, places
from stb_env.suites.sambanova.trip_booking.timetable import is_between

HOTELS_PER_PLACE = 8
LISTED = 5
"""Offers that a search lists; it counts all."""

_MOST_FREE = 6
_DEARER = {"King Bed": 1.3, "Queen Bed": 1.15, "Double": 1.0, "Luxury": 2.2}


class Room(NamedTuple):
    """A type of room in a hotel; the price is for a night, in dollars."""

    hotel: str
    stars: int
    room_type: str
    price: int


@lru_cache(maxsize=256)
def rooms_in(place: str) -> tuple[Room, ...]:
    """Return the types of rooms in a place, cheapest first; none where the place is unknown.

    Examples:
        >>> len({room.hotel for room in rooms_in("Key West")}), rooms_in("Atlantis")
        (8, ())
    """
    if place not in places():
        return ()
    draw = rng("trip_booking", VERSION, "hotels", place)
    words = content("trip_booking", "hotels")
    names = [f"{first} {last}" for first in words["first"] for last in words["last"]]
    made = []
    for name in draw.sample(names, HOTELS_PER_PLACE):
        stars = draw.randint(2, 5)
        night = (25 + 30 * stars) * draw.uniform(0.8, 1.3)
        offered = draw.sample(ROOM_TYPES, draw.randint(2, len(ROOM_TYPES)))
        made += [Room(name, stars, kind, round(night * _DEARER[kind])) for kind in offered]
    return tuple(sorted(made, key=lambda room: (room.price, room)))


@lru_cache(maxsize=16_384)
def free_rooms(place: str, room: Room, checkin: str) -> int:
    """Return how many rooms of a type are free for a stay that starts on a day."""
    return rng("trip_booking", VERSION, "free", place, room.hotel, room.room_type, checkin).randint(
        0, _MOST_FREE
    )


def find_rooms(criteria: Criteria) -> dict[str, object]:
    """Return how many offers the criteria have, and the first few, with what the stay costs in all."""
    nights = _nights(criteria)
    rooms = criteria.get("num_rooms", 1)
    if nights is None or not isinstance(rooms, int | float):
        return {"found": 0, "offers": []}
    found = offered(criteria)
    offers = [{**room._asdict(), "total": round(room.price * nights * min(rooms, 99))} for room in found]
    return {"found": len(found), "offers": offers[:LISTED]}


def offered(criteria: Criteria) -> list[Room]:
    """Return the types of rooms that meet the criteria and are free, cheapest first."""
    place, wanted, rooms = (criteria.get(key) for key in ("location", "room_type", "num_rooms"))
    checkin = criteria.get("checkin_date")
    if not isinstance(place, str) or not isinstance(checkin, str):
        return []
    least = rooms if isinstance(rooms, int | float) else 1
    return [
        room
        for room in rooms_in(place)
        if wanted in (None, room.room_type)
        and is_between(room.price, criteria.get("min_price_room"), criteria.get("max_price_room"))
        and free_rooms(place, room, checkin) >= least
    ]


def _nights(criteria: Criteria) -> int | None:
    start, end = day_of(criteria.get("checkin_date")), day_of(criteria.get("checkout_date"))
    return None if start is None or end is None else (end - start).days
