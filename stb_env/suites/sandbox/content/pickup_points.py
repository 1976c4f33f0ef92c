"""Shops that keep parcels for collection, two or three a city."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import show_clock

_KEEPERS = (
    "Abbot", "Bramble", "Candle", "Dovetail", "Ember", "Foxglove", "Gatehouse", "Hartley",
    "Inkwell", "Juniper", "Kittiwake", "Lockside", "Millrace", "Nutmeg", "Osier", "Partridge",
)  # fmt: skip
_SHOPS = ("Kiosk", "Bakery", "Newsstand", "Pharmacy", "Florist", "Cycles", "Grocer")


@per_edition()
def pickup_points() -> Mapping[str, JsonObject]:
    """Return every pick-up point by id; names differ, and within a city so do opening and closing times."""
    rng = edition.rng("pickup points")
    names = [f"{keeper} {shop}" for keeper in _KEEPERS for shop in _SHOPS]
    rng.shuffle(names)
    rows: dict[str, JsonObject] = {}
    for city in cities().values():
        count = rng.randint(2, 3)
        opening, closing = rng.sample(range(24, 45), count), rng.sample(range(66, 90), count)
        for opens, closes in zip(opening, closing, strict=True):
            key = f"pickup-{len(rows) + 1:03}"
            rows[key] = {
                "pickup_point_id": key,
                "name": names[len(rows)],
                "city_name": city["name"],
                "opens": show_clock(opens * 15),
                "closes": show_clock(closes * 15),
            }
    return rows
