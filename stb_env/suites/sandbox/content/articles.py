"""News of the sandbox: what its papers printed in the last three months."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import timedelta

from stb_env.jsontypes import JsonObject
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
_PHRASES: Mapping[str, tuple[str, ...]] = {
    "transport": (
        "to extend its tram network", "reopens the northern bypass", "orders a fleet of electric buses",
        "plans a second river tunnel", "opens a covered bicycle route",
    ),
    "culture": (
        "restores the old opera house", "announces a lantern festival", "to open a museum of clocks",
        "invites street painters back", "builds a stage on the water",
    ),
    "science": (
        "to build a tide laboratory", "starts counting its swifts", "opens an observatory to visitors",
        "funds a study of city bees", "tests pavements that store heat",
    ),
    "business": (
        "wins a battery factory", "turns its docks into workshops", "backs a fund for young bakers",
        "opens a market for repaired goods", "loses its last umbrella maker",
    ),
    "housing": (
        "to convert empty offices into flats", "renovates the canal quarter", "caps rents around the square",
        "breaks ground on timber towers", "buys back the old barracks",
    ),
}  # fmt: skip
TOPICS = tuple(_PHRASES)
_PER_TOPIC = 90
_REPORTERS = 40


@per_edition()
def articles() -> Mapping[str, JsonObject]:
    """Return every article by id, oldest first; headlines and costs are unique."""
    rng = edition.rng("articles")
    reporters = full_names(rng, _REPORTERS)
    stories = []
    for topic, phrases in _PHRASES.items():
        subjects = [(city, phrase) for city in cities().values() for phrase in phrases]
        stories += [(topic, city, phrase) for city, phrase in rng.sample(subjects, _PER_TOPIC)]
    rng.shuffle(stories)
    costs = rng.sample(range(110, 9_900), len(stories))
    printed = _printed([city["city_id"] for _, city, _ in stories], rng)
    rows = {}
    for index, (age, source, story) in enumerate(printed):
        topic, city, phrase = stories[story]
        key = f"article-{index + 1:04}"
        rows[key] = {
            "article_id": key,
            "headline": f"{city['name']} {phrase}",
            "topic": topic,
            "source": source,
            "reporter": rng.choice(reporters),
            "published": (TODAY - timedelta(days=age)).isoformat(),
            "city_id": city["city_id"],
            "cost_million": costs[index] / 10,
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
