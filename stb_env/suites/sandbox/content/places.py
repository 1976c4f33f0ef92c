"""Countries and cities of the sandbox."""

from __future__ import annotations

import math
from collections.abc import Mapping

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import Options, per_edition, with_drawn_ids

# Country: currency code, hours from UTC (give or take one), centre (latitude, longitude), cities.
_COUNTRIES: Mapping[str, tuple[str, int, tuple[float, float], tuple[str, ...]]] = {
    "Aldoria": ("ALD", 0, (51.0, -4.0), ("Marrowgate", "Thornhaven", "Pellbury", "Eastmere", "Cawdle")),
    "Brevonia": ("BRV", 1, (46.5, 7.0), ("Lac-Orel", "Montvire", "Saint-Aubel", "Chantrieu", "Orvanne")),
    "Caldera Isles": ("CIC", -1, (29.0, -17.5), ("Puerto Lumbre", "Santa Verea", "Coralbay", "Isla Merin")),
    "Dunmark": ("DUK", 2, (59.5, 14.0), ("Skarnholm", "Veldhavn", "Oskby", "Nordlund", "Tyrnaes")),
    "Estavia": ("EST", 3, (40.5, 33.0), ("Karvelik", "Baltasar", "Yenikoy", "Derbanat")),
    "Farhold": ("FAR", 5, (30.5, 66.0), ("Zarqan", "Mirabad", "Shehrun", "Tal Amur")),
    "Gyoren": ("GYO", 9, (36.0, 138.0), ("Hoshikawa", "Minamori", "Asahama", "Kirigaoka", "Tsukino")),
    "Halvea": ("HLV", -5, (5.0, -74.0), ("Rio Sereno", "Valdemar", "Las Brisas", "Quintacruz")),
}


@per_edition()
@with_drawn_ids
def cities() -> Mapping[str, JsonObject]:
    """Return every city by id."""
    rng = edition.rng("places")
    rows: dict[str, JsonObject] = {}
    shifts = edition.rng("clocks").choices((-1, 0, 1), k=len(_COUNTRIES))
    for shift, (country, known) in zip(shifts, _COUNTRIES.items(), strict=True):
        currency, offset, (latitude, longitude), names = known
        # Two cities of a country lie at the sea, where its ports are.
        coast = rng.sample(names, 2)
        for name in names:
            key = f"city-{len(rows) + 1:03}"
            rows[key] = {
                "city_id": key,
                "name": name,
                "country": country,
                "currency": currency,
                "utc_offset_hours": offset + shift,
                "population": rng.randrange(40_000, 4_000_000),
                "elevation_m": rng.randrange(1, 40) if name in coast else rng.randrange(40, 1_900),
                "latitude": round(latitude + rng.uniform(-3, 3), 2),
                "longitude": round(longitude + rng.uniform(-4, 4), 2),
            }
    return rows


CITIES = Options(lambda: cities().values())


@per_edition()
def cities_by_name() -> Mapping[str, JsonObject]:
    """Return every city by case-folded name."""
    return {city["name"].casefold(): city for city in cities().values()}


def distance_km(one: JsonMapping, other: JsonMapping) -> float:
    """Return the great-circle distance of two cities in kilometres."""
    lat1, lat2 = math.radians(one["latitude"]), math.radians(other["latitude"])
    half_lat, half_lon = (lat2 - lat1) / 2, math.radians(other["longitude"] - one["longitude"]) / 2
    chord = math.sin(half_lat) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin(half_lon) ** 2
    return 2 * 6371.0 * math.asin(min(1.0, math.sqrt(chord)))
