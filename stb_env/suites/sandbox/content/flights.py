"""Scheduled flights: every flight runs daily; its fare follows from flight, date and cabin."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env import seeding
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.places import cities, distance_km

CABINS = ("economy", "premium", "business")
_AIRLINES = (("Meridian Air", "ME"), ("Northwing", "NW"), ("Tern Airways", "TA"), ("Solano Jet", "SJ"))


@per_edition()
def flights() -> Mapping[str, JsonObject]:
    """Return every flight by id."""
    return {row["flight_id"]: row for rows in routes().values() for row in rows}


@per_edition()
def routes() -> Mapping[tuple[str, str], list[JsonObject]]:
    """Return the flights of every served pair of cities, by (origin id, destination id), by departure."""
    rng = edition.rng("flights")
    served: dict[tuple[str, str], list[JsonObject]] = {}
    serial = 100
    for origin in cities().values():
        for destination in rng.sample(list(cities().values()), 9):
            if destination is origin:
                continue
            departures = sorted(rng.sample(range(5 * 12, 23 * 12), rng.randint(2, 5)))
            rows = []
            for departure in departures:
                serial += 1
                airline, code = rng.choice(_AIRLINES)
                flying = 35 + distance_km(origin, destination) / 13.5
                rows.append(
                    {
                        "flight_id": f"{code}{serial}",
                        "airline": airline,
                        "origin_city_id": origin["city_id"],
                        "destination_city_id": destination["city_id"],
                        "departs": departure * 5,
                        "minutes": 5 * round(flying * rng.uniform(0.95, 1.2) / 5),
                    }
                )
            served[origin["city_id"], destination["city_id"]] = rows
    return served


def fare(flight: JsonMapping, ordinal: int, cabin: str) -> float:
    """Return the fare in aurel of a flight on a day (`date.toordinal`)."""
    noise = seeding.mix(edition.derive(flight["flight_id"]), ordinal) % 10_000 / 10_000
    base = 18 + flight["minutes"] * 0.62
    price: float = base * (0.7 + 0.9 * noise) * (1, 1.7, 3.1)[CABINS.index(cabin)]
    return round(price, 2)
