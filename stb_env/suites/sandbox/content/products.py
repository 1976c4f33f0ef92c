"""Products of the sandbox's shop, prices in aurel."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition, with_drawn_ids

# Things by department, with the least and greatest price in aurel and weight in tens of grams.
_THINGS: Mapping[str, Mapping[str, tuple[int, int, int, int]]] = {
    "kitchen": {
        "Kettle": (18, 90, 70, 180),
        "Skillet": (15, 120, 90, 320),
        "Toaster": (20, 110, 110, 290),
        "Teapot": (12, 75, 50, 160),
        "Knife Set": (25, 220, 60, 250),
        "Blender": (30, 190, 140, 480),
    },
    "outdoor": {
        "Tent": (60, 480, 150, 780),
        "Headlamp": (9, 70, 5, 24),
        "Rucksack": (30, 210, 60, 240),
        "Camp Stove": (22, 140, 25, 320),
        "Water Bottle": (6, 38, 9, 60),
        "Hammock": (18, 95, 40, 210),
    },
    "office": {
        "Desk Lamp": (14, 130, 60, 260),
        "Notebook": (2, 22, 12, 60),
        "Stapler": (4, 35, 14, 70),
        "Office Chair": (70, 520, 800, 2_200),
        "Whiteboard": (20, 160, 150, 900),
        "Pen Set": (5, 65, 6, 30),
    },
    "toys": {
        "Puzzle": (6, 40, 25, 120),
        "Kite": (8, 60, 15, 90),
        "Model Train": (25, 260, 30, 240),
        "Board Game": (12, 75, 50, 260),
        "Wooden Blocks": (10, 65, 80, 340),
        "Yo-Yo": (3, 24, 5, 16),
    },
}
DEPARTMENTS = tuple(_THINGS)
_MAKERS = ["Alba", "Brindle", "Corvo", "Dray", "Elmstead", "Fjell", "Gable"]


@per_edition()
@with_drawn_ids
def products() -> Mapping[str, JsonObject]:
    """Return every product by id; a name is a maker and a thing, and no two share one."""
    rng = edition.rng("products")
    rows: dict[str, JsonObject] = {}
    for department, things in _THINGS.items():
        for thing, (cheapest, dearest, lightest, heaviest) in things.items():
            for maker in rng.sample(_MAKERS, rng.randint(3, 5)):
                key = f"product-{len(rows) + 1:03}"
                rows[key] = {
                    "product_id": key,
                    "name": f"{maker} {thing}",
                    "department": department,
                    "price_aur": round(rng.uniform(cheapest, dearest), 2),
                    "weight_g": 10 * rng.randint(lightest, heaviest),
                    "stock": rng.randrange(12, 90),
                }
    return rows
