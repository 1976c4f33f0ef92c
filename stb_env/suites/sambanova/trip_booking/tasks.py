"""Trips to book, made from a seed: for each there is something that can be booked."""

from __future__ import annotations

import datetime
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonObject
from stb_env.seeding import rng
from stb_env.suites.sambanova.common.labelled import labelled_task
from stb_env.suites.sambanova.common.official import Demonstration
from stb_env.suites.sambanova.common.seeded_tasks import SeededTasks, belongs
from stb_env.suites.sambanova.trip_booking.functions import SETTERS
from stb_env.suites.sambanova.trip_booking.goals import goal_of
from stb_env.suites.sambanova.trip_booking.hotels import offered
from stb_env.suites.sambanova.trip_booking.places import VERSION, places
from stb_env.suites.sambanova.trip_booking.timetable import departures
from stb_env.suites.sambanova.trip_booking.tools import BY_NAME
from stb_env.tasks import Task
from stb_env.tools import ToolCall

NAME = "TripBooking"
TEST_SIZE = 120

KINDS = ("trip tickets", "hotels", "both")

_MEANS = ("flight", "train", "train", "bus", "bus", "cruise", "cruise")
_FIRST_DAY = datetime.date(2024, 1, 10)
_DAYS = 700
_FEWEST = 6
_FUNCTIONS = {setter.key: name for name, setter in SETTERS.items()}


@lru_cache(maxsize=256)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    draw = rng("trip_booking", VERSION, split, index)
    kind = KINDS[index % len(KINDS)]
    while True:
        criteria = _criteria(kind, draw)
        if criteria and belongs(split, " ".join([kind, *sorted(criteria)])):
            break
    calls = (*(_call(key, criteria[key]) for key in criteria), ToolCall("search", {}))
    return trip_task(f"{split}-{index}", split, goal_of(criteria, draw), calls, (render(calls),))


tasks_of = partial(SeededTasks, NAME, generate, test_size=TEST_SIZE)
"""Makes the goals of a split, in which tickets, hotels and both take turns.

No set of functions is in both splits for the same kind of booking.
"""


def trip_task(task_id: str, split: str, goal: str, gold: Sequence[ToolCall], labels: Sequence[str]) -> Task:
    """Build a task from a goal, the calls that solve it and the programs that are accepted."""
    first = gold[0].arguments if gold else {}
    kind = first.get("booking_type", "") if isinstance(first, Mapping) else ""
    return labelled_task(NAME, BY_NAME, task_id, split, goal, gold, labels, group=str(kind))


def demonstrations() -> list[Demonstration]:
    """Return eleven solved examples, as the paper has them; none has the functions of a test task.

    Examples:
        >>> demo = demonstrations()[0]
        >>> demo.name, demo.program.startswith('API.select_booking_type("trip tickets")')
        ('0_0', True)
    """
    return [Demonstration.of(f"{index}_0", generate("demo", index)) for index in range(11)]


def render(calls: Sequence[ToolCall]) -> str:
    """Write calls as a program that names places and dates before it passes them on.

    Examples:
        >>> print(render([ToolCall("set_origin", {"value": {"location": "Omaha"}}), ToolCall("search", {})]))
        origin = Loc("Omaha")
        API.set_origin(origin)
        API.search()
    """
    return "\n".join(line for call in calls for line in _lines(call))


def _lines(call: ToolCall) -> list[str]:
    value = None if isinstance(call.arguments, str) else next(iter(call.arguments.values()), None)
    if isinstance(value, dict):
        variable, made = call.name.removeprefix("set_"), ", ".join(map(jsontext.dumps, value.values()))
        return [f"{variable} = {SETTERS[call.name].kind}({made})", f"API.{call.name}({variable})"]
    return [f"API.{call.name}({'' if value is None else jsontext.dumps(value)})"]


def _call(key: str, value: object) -> ToolCall:
    name = _FUNCTIONS[key]
    setter = SETTERS[name]
    if setter.kind == "Loc":
        value = {"location": value}
    elif isinstance(value, datetime.date):
        value = {"month": value.month, "day": value.day, "year": value.year}
    return ToolCall(name, {setter.parameter: value})


def _criteria(kind: str, draw: random.Random) -> dict[str, object]:
    """Draw criteria in the order in which a program sets them; none where nothing can be booked."""
    start = _FIRST_DAY + datetime.timedelta(draw.randrange(_DAYS))
    end = start + datetime.timedelta(draw.randint(2, 12))
    early, late = (datetime.timedelta(draw.randint(0, 1) if kind == "both" else 0) for _ in range(2))
    trip = {} if kind == "hotels" else _trip(start - early, draw)
    stay = {} if kind == "trip tickets" else _stay(trip.get("location_to"), start, end, draw)
    if (kind != "hotels" and not trip) or (kind != "trip tickets" and not stay):
        return {}
    if trip and draw.random() < 0.5:
        trip["return_date"] = end + late
    if kind == "both" and not early and draw.random() < 0.7:
        # A search for both fills in the day of check-in.
        del trip["departure_date"]
    criteria = {"booking_type": kind} | trip | _people(draw) | stay
    return criteria if len(criteria) >= _FEWEST else {}


def _people(draw: random.Random) -> dict[str, object]:
    # Whoever is not told how many travel may take it for one.
    people: JsonObject = {"num_adults": draw.randint(1, 5)}
    if draw.random() < 0.4:
        people["num_children"] = draw.randint(1, 3)
    return people


def _trip(day: datetime.date, draw: random.Random) -> JsonObject:
    means = draw.choice(_MEANS)
    start, end = draw.sample(list(places()), 2)
    found = departures(means, start, end, day)
    if not found:
        return {}
    trip: JsonObject = {
        "means_of_transportation": means,
        "location_from": start,
        "location_to": end,
        "departure_date": day,
    }
    return trip | _prices("ticket", draw.choice(found).price, draw)


def _stay(place: str | None, start: datetime.date, end: datetime.date, draw: random.Random) -> JsonObject:
    stay: JsonObject = {
        "location": place or draw.choice(list(places())),
        "checkin_date": start,
        "checkout_date": end,
    }
    if draw.random() < 0.6:
        stay["num_rooms"] = draw.randint(1, 4)
    found = offered({**stay, "checkin_date": f"{start.month}-{start.day}-{start.year}"})
    if not found:
        return {}
    room = draw.choice(found)
    if draw.random() < 0.5:
        stay["room_type"] = room.room_type
    return stay | _prices("room", room.price, draw)


def _prices(what: str, price: int, draw: random.Random) -> dict[str, object]:
    """Draw limits that a price is within."""
    limits: JsonObject = {}
    if draw.random() < 0.3:
        limits[f"min_price_{what}"] = max(5, int(price * draw.uniform(0.5, 0.95)) // 5 * 5)
    if draw.random() < 0.5:
        limits[f"max_price_{what}"] = (int(price * draw.uniform(1.02, 1.4)) // 5 + 1) * 5
    return limits
