"""News of the sandbox: what its papers printed in the last three months."""

from __future__ import annotations

from collections.abc import Mapping
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
    ages = sorted((rng.randint(1, 90) for _ in stories), reverse=True)
    costs = rng.sample(range(110, 9_900), len(stories))
    rows = {}
    for index, (topic, city, phrase) in enumerate(stories):
        key = f"article-{index + 1:04}"
        rows[key] = {
            "article_id": key,
            "headline": f"{city['name']} {phrase}",
            "topic": topic,
            "source": rng.choice(list(SOURCES)),
            "reporter": rng.choice(reporters),
            "published": (TODAY - timedelta(days=ages[index])).isoformat(),
            "city_id": city["city_id"],
            "cost_million": costs[index] / 10,
            "opening_day": (TODAY + timedelta(days=rng.randint(10, 300))).isoformat(),
            "words": rng.randint(180, 1600),
        }
    return rows
