"""The timetable of the gym: weekly classes with their coaches, and how full they are."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from stb_env import seeding
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.people import full_names
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.conventions import show_clock

KINDS = (
    "Aqua Jog", "Barbell Basics", "Boxing Drills", "Core Hour", "Hill Cycling", "Slow Yoga", "Step Dance",
)  # fmt: skip


@per_edition()
def coaches() -> list[str]:
    """Return the names of all coaches."""
    return full_names(edition.rng("coaches"), 8)


@per_edition()
def gym_classes() -> Mapping[str, JsonObject]:
    """Return every class by id; four a day, of different kinds."""
    rng = edition.rng("gym classes")
    rows: dict[str, JsonObject] = {}
    for weekday in WEEKDAYS:
        for kind, quarter in zip(rng.sample(KINDS, 4), (26, 38, 68, 78), strict=True):
            key = f"class-{len(rows) + 1:03}"
            rows[key] = {
                "class_id": key,
                "kind": kind,
                "weekday": weekday,
                "start_time": show_clock((quarter + rng.randrange(5)) * 15),
                "minutes": rng.choice((40, 45, 50, 55, 60)),
                "coach": rng.choice(coaches()),
                "capacity": rng.randrange(8, 25),
            }
    return rows


def weekday_of(when: date) -> str:
    """Return the weekday's name, whatever the process's locale.

    Examples:
        >>> weekday_of(date(2026, 3, 2))
        'Monday'
    """
    return WEEKDAYS[when.weekday()]


def taken_places(gym_class: JsonMapping, when: date) -> int:
    """Return how many places of a class others have booked on a day; every third class is full."""
    draw = seeding.mix(edition.derive("gym", gym_class["class_id"]), when.toordinal())
    taken: int = gym_class["capacity"] if draw % 3 == 0 else draw // 3 % gym_class["capacity"]
    return taken
