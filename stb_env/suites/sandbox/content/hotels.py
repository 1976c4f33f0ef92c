"""Hotels of the sandbox, three to six a city, prices in the city's own currency."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.currencies import convert
from stb_env.suites.sandbox.content.edition import grouped, per_edition
from stb_env.suites.sandbox.content.places import cities

_ADJECTIVES = [
    "Amber", "Blue", "Copper", "Grand", "Hidden", "Ivory", "Little", "Old", "Quiet", "Royal", "Silver",
    "Sunken", "Tall", "White",
]  # fmt: skip
_NOUNS = [
    "Anchor", "Beacon", "Cedar", "Dolphin", "Falcon", "Garden", "Heron", "Lantern", "Mill", "Orchard",
    "Pavilion", "Stag", "Terrace", "Wharf",
]  # fmt: skip


@per_edition()
def hotels() -> Mapping[str, JsonObject]:
    """Return every hotel by id; no two share a name."""
    rng = edition.rng("hotels")
    names = [f"{adjective} {noun} Hotel" for adjective in _ADJECTIVES for noun in _NOUNS]
    rng.shuffle(names)
    rows: dict[str, JsonObject] = {}
    for city in cities().values():
        for _ in range(rng.randint(3, 5)):
            key = f"hotel-{len(rows) + 1:03}"
            stars = rng.randint(2, 5)
            rows[key] = {
                "hotel_id": key,
                "name": names[len(rows)],
                "city_id": city["city_id"],
                "stars": stars,
                "nightly_price": convert(stars * rng.uniform(14, 48), "AUR", city["currency"]),
                "currency": city["currency"],
                "check_in_from": f"{rng.randint(12, 17)}:{rng.choice(('00', '15', '30', '45'))}",
                "phone": f"+{rng.randrange(30, 99)} {rng.randrange(200, 999)} {rng.randrange(10**4, 10**5)}",
            }
    return rows


@per_edition()
def hotels_by_city() -> Mapping[str, list[JsonObject]]:
    """Return the hotels of every city, by city id."""
    return grouped(hotels().values(), "city_id")
