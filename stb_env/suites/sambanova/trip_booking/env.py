"""The Trip Booking environment: a program fills in a search for tickets, hotel rooms or both.

Besides what is said of all forms, the default refuses days that no calendar has, a way back before the
departure, a stay without a night, types of rooms that are not documented, and criteria before the booking
type. To say that there are no children is to leave them out.
"""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sambanova.common.form.api import Criteria, FormApi
from stb_env.suites.sambanova.common.form.task import form_task
from stb_env.suites.sambanova.trip_booking.functions import CLASSES, fill
from stb_env.suites.sambanova.trip_booking.hotels import find_rooms
from stb_env.suites.sambanova.trip_booking.places import VERSION
from stb_env.suites.sambanova.trip_booking.tasks import NAME, tasks_of, trip_task
from stb_env.suites.sambanova.trip_booking.timetable import find_tickets
from stb_env.suites.sambanova.trip_booking.tools import TOOLS


def find(criteria: Criteria) -> dict[str, object]:
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

TASK = form_task(API, NAME, tasks_of, trip_task)
"""The parts of the environment."""

make = TASK.maker(turns=24)
"""Makes it. An action is a program on ``API``, of which nothing is ever run, or calls in any other form."""
