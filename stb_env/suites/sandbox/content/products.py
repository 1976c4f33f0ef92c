"""Products of the sandbox's shop, prices in aurel."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition, with_drawn_ids

DEPARTMENTS: Mapping[str, tuple[str, ...]] = {
    "kitchen": ("Kettle", "Skillet", "Toaster", "Teapot", "Knife Set", "Blender"),
    "outdoor": ("Tent", "Headlamp", "Rucksack", "Camp Stove", "Water Bottle", "Hammock"),
    "office": ("Desk Lamp", "Notebook", "Stapler", "Office Chair", "Whiteboard", "Pen Set"),
    "toys": ("Puzzle", "Kite", "Model Train", "Board Game", "Wooden Blocks", "Yo-Yo"),
}
_MAKERS = ["Alba", "Brindle", "Corvo", "Dray", "Elmstead", "Fjell", "Gable"]


@per_edition()
@with_drawn_ids
def products() -> Mapping[str, JsonObject]:
    """Return every product by id; a name is a maker and a thing, and no two share one."""
    rng = edition.rng("products")
    rows: dict[str, JsonObject] = {}
    for department, things in DEPARTMENTS.items():
        for thing in things:
            for maker in rng.sample(_MAKERS, rng.randint(3, 5)):
                key = f"product-{len(rows) + 1:03}"
                rows[key] = {
                    "product_id": key,
                    "name": f"{maker} {thing}",
                    "department": department,
                    "price_aur": round(rng.uniform(3, 240), 2),
                    "weight_g": rng.randrange(40, 9_000, 10),
                    "stock": rng.randrange(12, 90),
                }
    return rows
