"""Railways of the sandbox: two companies link the cities of each country, every train runs daily."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.places import cities, distance_km

Pair = tuple[str, str]
SERVICES_PER_PAIR = 3


def _pairs() -> Iterator[tuple[JsonObject, JsonObject]]:
    for origin in cities().values():
        for destination in cities().values():
            if origin is not destination and origin["country"] == destination["country"]:
                yield origin, destination


def _departures(rng: random.Random, count: int) -> list[int]:
    # None is so late that it would arrive after midnight.
    return [5 * slot for slot in sorted(rng.sample(range(5 * 12, 17 * 12), count))]


@per_edition()
def trains_by_pair() -> Mapping[Pair, list[JsonObject]]:
    """Return the trains of Iron Road by (origin id, destination id), by departure; ``fare`` is in aurel."""
    rng = edition.rng("rail", "iron road")
    table: dict[Pair, list[JsonObject]] = {}
    serial = 0
    for origin, destination in _pairs():
        distance = distance_km(origin, destination)
        rows = table.setdefault((origin["city_id"], destination["city_id"]), [])
        for departs in _departures(rng, rng.randint(3, 5)):
            serial += 1
            rows.append(
                {
                    "train_id": f"IR{serial:04}",
                    "origin_city_id": origin["city_id"],
                    "destination_city_id": destination["city_id"],
                    "departs": departs,
                    "minutes": round(20 + distance / 2.2 * rng.uniform(0.9, 1.25)),
                    "platform": rng.randint(1, 24),
                    "stops": rng.randint(0, 11),
                    "dining_car": rng.random() < 0.5,
                    "fare": round(4 + distance * rng.uniform(0.07, 0.16), 2),
                }
            )
    return table


@per_edition()
def trains() -> Mapping[str, JsonObject]:
    """Return every train of Iron Road by id."""
    return {row["train_id"]: row for rows in trains_by_pair().values() for row in rows}


@per_edition()
def services_by_pair() -> Mapping[Pair, list[JsonObject]]:
    """Return the services of Swiftline by (origin id, destination id), by departure; fares in cents."""
    rng = edition.rng("rail", "swiftline")
    table: dict[Pair, list[JsonObject]] = {}
    serial = 2000
    for origin, destination in _pairs():
        distance = distance_km(origin, destination)
        rows = table.setdefault((origin["city_id"], destination["city_id"]), [])
        delays = rng.sample(range(15, 1500), SERVICES_PER_PAIR)
        for departs, delay in zip(_departures(rng, SERVICES_PER_PAIR), delays, strict=True):
            serial += 1
            rows.append(
                {
                    "service_code": f"SW-{serial}",
                    "departs": departs,
                    "minutes": round(15 + distance / 2.5 * rng.uniform(0.9, 1.2)),
                    "fare_cents": round(500 + distance * rng.uniform(8, 18)),
                    "average_delay_seconds": delay,
                    "on_time_percent": 97 - delay // 35 + rng.randint(-2, 2),
                    "wifi": rng.random() < 0.5,
                    "bicycle_spaces": rng.randint(0, 12),
                }
            )
    return table


@per_edition()
def services() -> Mapping[str, JsonObject]:
    """Return every service of Swiftline by code."""
    return {row["service_code"]: row for rows in services_by_pair().values() for row in rows}
