"""Goals: the criteria of a trip in a user's words."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.form.api import Criteria

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_PAIRS = {
    "days_away": ("departure_date", "return_date"),
    "stay": ("checkin_date", "checkout_date"),
    "price_ticket": ("min_price_ticket", "max_price_ticket"),
    "price_room": ("min_price_room", "max_price_room"),
}
_PAIR_SHARE = 0.6
"""Share of pairs of criteria that share a sentence."""


def goal_of(criteria: Criteria, draw: random.Random) -> str:
    """Write criteria as a goal that names each of them, in any order after what kind of booking it is.

    Args:
        criteria: The criteria, days as dates.
        draw: Chooses the words and their order.

    Examples:
        >>> wanted = {"booking_type": "hotels", "location": "Omaha", "num_rooms": 1}
        >>> goal_of(wanted, random.Random(1))
        'I need a hotel in Omaha. Book 1 room.'
    """
    texts = content("trip_booking", "goals")
    opening: str = draw.choice(texts["openings"][criteria["booking_type"]])
    layout: str = draw.choice(texts["dates"])
    named = {key: _written(value, layout) for key, value in criteria.items()}
    sentences = list(_sentences(named, texts["sentences"], draw))
    people = _people(criteria)
    if people:
        sentences.append(draw.choice(texts["people"]).format(people=people))
    draw.shuffle(sentences)
    return " ".join([opening.format_map(_names(criteria)), *sentences])


def _sentences(named: Criteria, texts: JsonMapping, draw: random.Random) -> Iterator[str]:
    told: set[str] = set()
    for pair, (first, last) in _PAIRS.items():
        if first in named and last in named and draw.random() < _PAIR_SHARE:
            told |= {first, last}
            limits = {"first": named[first], "last": named[last], "low": named[first], "high": named[last]}
            yield draw.choice(texts[pair]).format_map(limits)
    for key, value in named.items():
        if key in texts and key not in told:
            yield draw.choice(texts[key]).format(value=value, rooms="room" if value == 1 else "rooms")


def _names(criteria: Criteria) -> JsonObject:
    means = criteria.get("means_of_transportation")
    return {
        "means": means,
        "by": content("trip_booking", "goals")["by"].get(means),
        "origin": criteria.get("location_from"),
        "destination": criteria.get("location_to"),
        "location": criteria.get("location"),
    }


def _written(value: object, layout: str) -> object:
    if not isinstance(value, datetime.date):
        return value
    return layout.format(year=value.year, month=_MONTHS[value.month - 1], number=value.month, day=value.day)


def _people(criteria: Criteria) -> str:
    adults, children = criteria.get("num_adults"), criteria.get("num_children")
    counts = [
        f"{count} {one if count == 1 else many}"
        for count, one, many in ((adults, "adult", "adults"), (children, "child", "children"))
        if count is not None
    ]
    return " and ".join(counts)
