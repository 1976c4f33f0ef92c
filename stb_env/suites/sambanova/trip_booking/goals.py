"""What a trip's criteria are in a user's words."""

from __future__ import annotations

import datetime
import random
from typing import Any

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.common.form.api import Criteria
from stb_env.suites.sambanova.trip_booking.places import content

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SENTENCES = (
    *("departure_date", "return_date", "min_price_ticket", "max_price_ticket"),
    *("checkin_date", "checkout_date", "num_rooms", "room_type", "min_price_room", "max_price_room"),
)


def goal_of(criteria: Criteria, draw: random.Random) -> str:
    """Write criteria as a goal that names each of them.

    Args:
        criteria: The criteria, days as dates.
        draw: Chooses the words.

    Examples:
        >>> wanted = {"booking_type": "hotels", "location": "Omaha", "num_rooms": 1}
        >>> goal_of(wanted, random.Random(1))
        'We look for a place to stay in Omaha. We need 1 room.'
    """
    texts = content("goals")
    opening: str = draw.choice(texts["openings"][criteria["booking_type"]])
    sentences = [opening.format_map(_names(criteria))]
    people = _people(criteria)
    if people:
        sentences.append(draw.choice(texts["people"]).format(people=people))
    sentences += [_sentence(key, criteria[key], texts, draw) for key in _SENTENCES if key in criteria]
    return " ".join(sentences)


def _names(criteria: Criteria) -> JsonObject:
    return {
        "means": criteria.get("means_of_transportation"),
        "origin": criteria.get("location_from"),
        "destination": criteria.get("location_to"),
        "location": criteria.get("location"),
    }


def _sentence(key: str, value: Any, texts: JsonMapping, draw: random.Random) -> str:
    if isinstance(value, datetime.date):
        value = f"{_MONTHS[value.month - 1]} {value.day}, {value.year}"
    chosen: str = draw.choice(texts[key])
    return chosen.format(value=value, rooms="room" if value == 1 else "rooms")


def _people(criteria: Criteria) -> str:
    adults, children = criteria.get("num_adults"), criteria.get("num_children")
    counts = [
        f"{count} {one if count == 1 else many}"
        for count, one, many in ((adults, "adult", "adults"), (children, "child", "children"))
        if count is not None
    ]
    return " and ".join(counts)
