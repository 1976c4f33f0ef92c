"""Books of the sandbox: authors, titles, library copies and shop editions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date, timedelta

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import grouped, per_edition
from stb_env.suites.sandbox.content.people import full_names
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS

AUTHORS = 44
GENRES = ("novel", "crime", "poetry", "travel", "history", "children")
FORMATS = ("hardback", "paperback", "audiobook")
BRANCHES = ("Millgate", "Riverside", "Old Mint", "Castle Hill", "Lockyard", "Greenways")
_PRIZES = ("Quill Prize", "Lantern Medal", "Tidewater Award", "Northern Laurel")
_FIRST = (
    "Ashes", "Bearings", "Cartography", "Daughters", "Echoes", "Marginalia", "Gardens", "Hunger", "Inventory",
    "Lessons", "Maps", "Notes", "Orphans", "Patience", "Rumours", "Shadows", "Theories", "Weather",
)  # fmt: skip
_SECOND = (
    "the Salt Road", "a Borrowed Sky", "the Clockmaker", "Small Hours", "the Glass Valley", "Winter Bees",
    "an Honest Thief", "the Ninth Wave", "Tall Grass", "the Quiet Machine", "Lost Umbrellas",
    "the Amber Coast", "Two Rivers", "the Paper Moon",
)  # fmt: skip


@per_edition()
def authors() -> Mapping[str, JsonObject]:
    """Return every author by id."""
    rng = edition.rng("authors")
    city_ids = list(cities())
    rows = {}
    for index, name in enumerate(full_names(rng, AUTHORS)):
        key = f"author-{index + 1:03}"
        rows[key] = {
            "author_id": key,
            "name": name,
            "birth_date": (date(1920, 1, 1) + timedelta(days=rng.randrange(22_000))).isoformat(),
            "birth_city_id": rng.choice(city_ids),
            "prizes": [
                {"prize": prize, "year": year}
                for prize, year in zip(
                    rng.sample(_PRIZES, rng.randint(0, 3)),
                    sorted(rng.sample(range(2005, 2026), 3)),
                    strict=False,
                )
            ],
        }
    return rows


@per_edition()
def books() -> Mapping[str, JsonObject]:
    """Return every book by id; titles are unique, an author's years too.

    Each author wrote three to five, at ages from 22 to 84.
    """
    rng = edition.rng("books")
    titles = [f"{first} of {second}" for first in _FIRST for second in _SECOND]
    rng.shuffle(titles)
    rows: dict[str, JsonObject] = {}
    for author in authors().values():
        count = rng.randint(3, 5)
        born = int(author["birth_date"][:4])
        for year in sorted(rng.sample(range(max(1985, born + 22), min(2025, born + 85)), count)):
            key = f"book-{len(rows) + 1:03}"
            rows[key] = {
                "book_id": key,
                "title": titles[len(rows)],
                "author_id": author["author_id"],
                "year": year,
                "genre": rng.choice(GENRES),
                "pages": rng.randint(90, 780),
                "shelf_mark": f"{rng.choice('ABCDEFGH')}{rng.randint(100, 999)}.{rng.randint(10, 99)}",
                "copies": _copies(rng),
                "editions": _editions(rng),
            }
    return rows


def _copies(rng: random.Random) -> dict[str, int]:
    held = rng.sample(BRANCHES, rng.randint(2, 4))
    return {branch: rng.randint(0, 3) for branch in BRANCHES if branch in held}


def _editions(rng: random.Random) -> tuple[dict[str, object], ...]:
    prices = rng.sample(range(450, 4_800), len(FORMATS))
    return tuple(
        {
            "format": form,
            "price_cents": price,
            "weight_g": 0 if form == "audiobook" else rng.randrange(150, 1400),
        }
        for form, price in zip(FORMATS, prices, strict=True)
    )


@per_edition()
def works() -> Mapping[str, list[JsonObject]]:
    """Return the books of every author, oldest first, by author id."""
    return grouped(books().values(), "author_id")


@per_edition()
def branches() -> Mapping[str, JsonObject]:
    """Return the library's branches by name, with (opening, closing) minutes for each weekday."""
    rng = edition.rng("branches")
    rows = {}
    for name in BRANCHES:
        shut = rng.randrange(len(WEEKDAYS))
        hours = [(15 * rng.randrange(32, 44), 15 * rng.randrange(60, 88)) for _ in WEEKDAYS]
        rows[name] = {
            "branch": name,
            "hours": {day: None if index == shut else hours[index] for index, day in enumerate(WEEKDAYS)},
        }
    return rows
