"""The trip search as a backend."""

from __future__ import annotations

from stb_env.jsontypes import JsonObject
from stb_env.suites.sambanova.common.form.api import Criteria, FormApi
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.trip_booking.functions import CLASSES, fill
from stb_env.suites.sambanova.trip_booking.hotels import find_rooms
from stb_env.suites.sambanova.trip_booking.places import VERSION
from stb_env.suites.sambanova.trip_booking.timetable import find_tickets
from stb_env.suites.sambanova.trip_booking.tools import TOOLS


def find(criteria: Criteria) -> JsonObject:
    """Return the tickets, the hotel rooms or both that submitted criteria ask for.

    Examples:
        >>> find({"booking_type": "hotels", "location": "Atlantis"})
        {'hotels': {'found': 0, 'offers': []}}
    """
    kind = criteria["booking_type"]
    found: JsonObject = {} if kind == "hotels" else {"tickets": find_tickets(criteria)}
    return found if kind == "trip tickets" else {**found, "hotels": find_rooms(criteria)}


API = FormApi("trip_booking", VERSION, TOOLS, classes=CLASSES, fill=fill, find=find)
"""The search form."""


class TripWorld(FormWorld):
    """Answers searches for trips; one serves any number of episodes.

    Args:
        original: Whether programs run as the original runs them.

    Examples:
        >>> form = TripWorld().run('API.select_booking_type("both"); API.set_origin(Loc("Omaha"))')
        >>> form.criteria, form.submitted
        ({'booking_type': 'both', 'location_from': 'Omaha'}, False)
    """

    def __init__(self, *, original: bool = False) -> None:
        super().__init__(API, original=original)
