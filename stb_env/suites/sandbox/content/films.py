"""Films of the sandbox; directors and cast are in `people`."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.people import people

GENRES = ("drama", "comedy", "thriller", "science fiction", "documentary", "romance")
_LEADS = [
    "Borrowed", "Burning", "Crooked", "Distant", "Drowned", "Eleventh", "Frozen", "Last", "Paper", "Restless",
    "Salt", "Second", "Silent", "Wandering",
]  # fmt: skip
_TAILS = [
    "Archive", "Bridge", "Carnival", "Engine", "Harbour", "Islander", "Letter", "Meridian", "Orchard",
    "Passenger", "River", "Season", "Winter", "Witness",
]  # fmt: skip


@per_edition()
def films() -> Mapping[str, JsonObject]:
    """Return every film by id; no two share a title, and nobody made one before coming of age."""
    rng = edition.rng("films")
    titles = [f"The {lead} {tail}" for lead in _LEADS for tail in _TAILS]
    rows = {}
    for index, title in enumerate(rng.sample(titles, 96)):
        key, year = f"film-{index + 1:03}", rng.randrange(1968, 2025)
        directors, actors = _of_age("director", year), _of_age("actor", year)
        rows[key] = {
            "film_id": key,
            "title": title,
            "year": year,
            "genre": rng.choice(GENRES),
            "runtime_minutes": rng.randrange(71, 196),
            "director_id": rng.choice(directors),
            "cast_ids": rng.sample(actors, rng.randint(2, 4)),
            "rating": round(rng.uniform(3.0, 9.6), 1),
        }
    return rows


def _of_age(profession: str, year: int) -> list[str]:
    """Return the ids of those who turned eighteen before a year and eighty after it."""
    return [
        row["person_id"]
        for row in people().values()
        if row["profession"] == profession and 18 < year - int(row["birth_date"][:4]) < 80
    ]


@per_edition()
def films_by_person() -> Mapping[str, list[JsonObject]]:
    """Return the films that each person directed or played in, by person id, oldest first."""
    grouped: dict[str, list[JsonObject]] = {}
    for film in sorted(films().values(), key=lambda row: (row["year"], row["film_id"])):
        for key in (film["director_id"], *film["cast_ids"]):
            grouped.setdefault(key, []).append(film)
    return grouped
