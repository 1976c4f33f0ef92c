"""Ferries of the sandbox: sea routes between ports of different countries, on a weekly timetable."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import grouped, per_edition
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS

VEHICLES = ("none", "bicycle", "motorcycle", "car", "camper")
_ROUTES_PER_PORT = 3
_VESSELS = (
    "Albatross", "Bright Tide", "Cormorant", "Driftwood", "Evening Star", "Fulmar", "Grey Whale",
    "Horizon Pearl", "Ibis", "Jubilee", "Kittiwake", "Lady Merin", "Moonraker", "Narwhal", "Ocean Thistle",
    "Petrel", "Queen of Skarn", "Razorbill", "Sea Holly", "Tern of Lumbre",
)  # fmt: skip


@per_edition()
def ports() -> Mapping[str, JsonObject]:
    """Return the cities that have a port by id: the two lowest of each country."""
    by_height = sorted(cities().values(), key=lambda row: (row["elevation_m"], row["city_id"]))
    chosen = [city for rows in grouped(by_height, "country").values() for city in rows[:2]]
    return {city["city_id"]: city for city in sorted(chosen, key=lambda row: row["city_id"])}


@per_edition()
def ferry_routes() -> Mapping[str, JsonObject]:
    """Return every route by id; ``sailings`` are minutes after midnight for Monday to Sunday."""
    rng = edition.rng("ferries")
    rows: dict[str, JsonObject] = {}
    for origin in ports().values():
        abroad = [key for key, port in ports().items() if port["country"] != origin["country"]]
        for destination in rng.sample(abroad, _ROUTES_PER_PORT):
            key = f"route-{len(rows) + 1:03}"
            adult = rng.randint(1200, 9800) / 100
            rows[key] = {
                "route_id": key,
                "origin_city_id": origin["city_id"],
                "destination_city_id": destination,
                "vessel": rng.choice(_VESSELS),
                "crossing_hours": rng.randint(8, 90) / 4,
                "adult_price": adult,
                "child_price": round(adult * rng.choice((0.4, 0.5, 0.6)), 2),
                "vehicle_prices": dict(zip(VEHICLES, (0.0, 6.5, 21.0, *_sorted_pair(rng)), strict=True)),
                "sailings": [_sailings(rng) for _ in WEEKDAYS],
            }
    return rows


def _sorted_pair(rng: random.Random) -> list[float]:
    return sorted(rng.randint(4_000, 16_000) / 100 for _ in range(2))


def _sailings(rng: random.Random) -> list[int]:
    return [15 * slot for slot in sorted(rng.sample(range(4 * 5, 4 * 23), rng.randint(1, 4)))]


@per_edition()
def vessels() -> Mapping[str, JsonObject]:
    """Return every ship by name, in feet and knots as its owners like it."""
    rng = edition.rng("vessels")
    lengths = rng.sample(range(180, 700), len(_VESSELS))
    return {
        name: {
            "vessel": name,
            "length_ft": length,
            "top_speed_knots": rng.randint(14, 33),
            "built": rng.randint(1971, 2024),
            "passengers": rng.randrange(length // 10, length // 3) * 10,
        }
        for name, length in zip(_VESSELS, lengths, strict=True)
    }
