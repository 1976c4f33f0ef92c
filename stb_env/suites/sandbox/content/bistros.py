"""Restaurants that take reservations, three a city, and which of their tables are free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import compress

import numpy as np

from stb_env import seeding
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.places import cities

CUISINES = ("noodles", "grill", "seafood", "vegetarian", "bakery", "stews")
AREAS = ("terrace", "main hall", "gallery", "winter garden", "bar corner", "cellar")
SLOTS = ("18:00", "18:30", "19:00", "19:30", "20:00", "20:30", "21:00")
MOST_GUESTS = 8
_TRADES = ("Baker", "Cooper", "Drover", "Ferrier", "Miller", "Sailor", "Tanner", "Weaver", "Wheelwright")
_THINGS = (
    "Apron", "Barrel", "Cleaver", "Griddle", "Hearth", "Ladle", "Larder",
    "Oven", "Pantry", "Platter", "Skewer", "Spoon", "Table",
)  # fmt: skip


@per_edition()
def bistros() -> Mapping[str, JsonObject]:
    """Return every restaurant by id; no two share a name, and no two of a city a cuisine."""
    rng = edition.rng("bistros")
    names = [f"The {trade}'s {thing}" for trade in _TRADES for thing in _THINGS]
    rng.shuffle(names)
    rows: dict[str, JsonObject] = {}
    for city in cities().values():
        for cuisine in rng.sample(CUISINES, 3):
            key = f"bistro-{len(rows) + 1:03}"
            rows[key] = {
                "bistro_id": key,
                "name": names[len(rows)],
                "city_name": city["name"],
                "cuisine": cuisine,
                "deposit_per_guest": rng.randrange(2, 16) / 2,
            }
    return rows


def days_with_table(bistro_id: str, days: Sequence[date], earliest: str = SLOTS[0]) -> list[date]:
    """Return the days on which a table is free at ``earliest`` or later."""
    numbers = [number for number, slot in enumerate(SLOTS) if slot >= earliest]
    starts = np.fromiter(edition.derive_each(("table", bistro_id), days), np.uint64)
    draws = seeding.mix_each(starts[:, np.newaxis], numbers)
    # A slot is free where its number is odd.
    return list(compress(days, np.bitwise_or.reduce(draws, axis=1) % 2))


def free_tables(bistro_id: str, date: str) -> dict[str, str]:
    """Return the area of the free table of every slot that has one; about half of the slots have."""
    start = edition.derive("table", bistro_id, date)
    draws = {slot: seeding.mix(start, number) for number, slot in enumerate(SLOTS)}
    return {slot: AREAS[draw // 2 % len(AREAS)] for slot, draw in draws.items() if draw % 2}
