"""Cars for hire: three to five a city, prices a day in aurel."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.places import cities

GEARBOXES = ("manual", "automatic")
EXTRAS: Mapping[str, float] = {"child seat": 6.5, "roof box": 9.0, "snow chains": 4.25, "satnav": 3.75}
"""Price a day of what can be added."""
_MODELS = (
    ("Arden Pip", 4), ("Arden Vale", 5), ("Boreal Lynx", 5), ("Boreal Moose", 7), ("Cinder Dart", 4),
    ("Cinder Nomad", 7), ("Halden Brook", 5), ("Halden Ridge", 5), ("Sorrel Minnow", 4), ("Sorrel Barge", 9),
)  # fmt: skip


@per_edition()
def cars() -> Mapping[str, JsonObject]:
    """Return every car by id; within a city all models and prices differ."""
    rng = edition.rng("cars")
    rows: dict[str, JsonObject] = {}
    for city_id in cities():
        models = rng.sample(_MODELS, rng.randint(3, 5))
        for (model, seats), quarters in zip(models, rng.sample(range(88, 420), len(models)), strict=True):
            key = f"car-{len(rows) + 1:03}"
            rows[key] = {
                "car_id": key,
                "model": model,
                "city_id": city_id,
                "seats": seats,
                "gearbox": rng.choice(GEARBOXES),
                "price_per_day": quarters / 4,
                "free_miles_per_day": rng.randrange(60, 200, 5),
                "min_driver_age": rng.choice((19, 21, 23, 25)),
            }
    return rows
