"""News of the sandbox: what its papers printed in the last three months."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import timedelta

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.content.people import full_names
from stb_env.suites.sandbox.content.places import cities

SOURCES: Mapping[str, int] = {
    "Aldorian Courier": 1871,
    "Dunmark Daily": 1902,
    "Isles Herald": 1934,
    "Farhold Observer": 1888,
    "Gyoren Morning Post": 1951,
    "Halvean Star": 1926,
}
"""Papers and the years in which they were founded."""
# Projects by topic, each with the least and greatest cost in tenths of a million aurel.
_PROJECTS: Mapping[str, Mapping[str, tuple[int, int]]] = {
    "transport": {
        "to extend its tram network": (400, 4_200),
        "to reopen the northern bypass": (180, 1_900),
        "builds a depot for electric buses": (90, 700),
        "plans a second river tunnel": (1_500, 9_000),
        "to open a covered bicycle route": (12, 180),
    },
    "culture": {
        "restores the old opera house": (110, 1_200),
        "announces a lantern festival": (2, 24),
        "to open a museum of clocks": (25, 300),
        "founds a school of street painting": (6, 60),
        "builds a stage on the water": (8, 95),
    },
    "science": {
        "to build a tide laboratory": (35, 420),
        "to open a tower for watching swifts": (2, 28),
        "to open its observatory to visitors": (9, 140),
        "founds an institute for city bees": (5, 70),
        "to lay a street that stores heat": (7, 110),
    },
    "business": {
        "wins a battery factory": (900, 8_800),
        "turns its docks into workshops": (60, 900),
        "to open a school for young bakers": (6, 80),
        "to open a market for repaired goods": (4, 55),
        "revives its umbrella works": (10, 130),
    },
    "housing": {
        "to convert empty offices into flats": (120, 1_600),
        "renovates the canal quarter": (210, 2_500),
        "to open an advice centre for tenants": (3, 40),
        "breaks ground on timber towers": (310, 2_300),
        "turns the old barracks into homes": (130, 1_700),
    },
}
TOPICS = tuple(_PROJECTS)
_PER_TOPIC = 90
_REPORTERS = 40


@per_edition()
def articles() -> Mapping[str, JsonObject]:
    """Return every article by id, oldest first; headlines are unique."""
    rng = edition.rng("articles")
    reporters = full_names(rng, _REPORTERS)
    stories = []
    for topic, projects in _PROJECTS.items():
        subjects = [(city, project) for city in cities().values() for project in projects]
        stories += [(topic, city, project) for city, project in rng.sample(subjects, _PER_TOPIC)]
    rng.shuffle(stories)
    printed = _printed([city["city_id"] for _, city, _ in stories], rng)
    rows = {}
    for index, (age, source, story) in enumerate(printed):
        topic, city, project = stories[story]
        key = f"article-{index + 1:04}"
        rows[key] = {
            "article_id": key,
            "headline": f"{city['name']} {project}",
            "topic": topic,
            "source": source,
            "reporter": rng.choice(reporters),
            "published": (TODAY - timedelta(days=age)).isoformat(),
            "city_id": city["city_id"],
            "cost_million": rng.randint(*_PROJECTS[topic][project]) / 10,
            "opening_day": (TODAY + timedelta(days=rng.randint(10, 300))).isoformat(),
            "words": rng.randint(180, 1600),
        }
    return rows


def _printed(city_ids: Sequence[str], rng: random.Random) -> list[tuple[int, str, int]]:
    """Return (age in days, paper, number of the story), oldest first.

    No paper and no city has two stories of a day, so that one is always the newest.
    """
    days = [(age, source) for age in range(1, 91) for source in SOURCES]
    rng.shuffle(days)
    printed, told = [], set()
    for number, city_id in enumerate(city_ids):
        place = next(place for place, (age, _) in enumerate(days) if (city_id, age) not in told)
        age, source = days.pop(place)
        told.add((city_id, age))
        printed.append((age, source, number))
    return sorted(printed, reverse=True)
