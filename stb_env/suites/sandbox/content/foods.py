"""Foods of the sandbox and what is in 100 grams of them; the figures are invented."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition, with_drawn_ids

NUTRIENTS = ("protein_g", "fat_g", "carbohydrate_g", "fibre_g", "salt_mg")
KJ_PER_KCAL = 4.184

# Per 100 g, in the order of NUTRIENTS: what a food usually holds.
_USUAL: Mapping[str, Mapping[str, tuple[float, float, float, float, int]]] = {
    "vegetable": {
        "Leek": (1.5, 0.3, 10, 2.1, 50),
        "Carrot": (0.9, 0.2, 9, 3.0, 150),
        "Spinach": (2.9, 0.4, 3.2, 2.3, 190),
        "Beetroot": (1.7, 0.2, 9, 2.6, 170),
        "Pumpkin": (1.1, 0.1, 7, 1.2, 10),
        "Mushroom": (3.2, 0.4, 3.5, 1.4, 20),
        "Tomato": (1.1, 0.2, 4, 1.5, 30),
        "Cabbage": (1.5, 0.2, 6, 2.7, 45),
    },
    "fruit": {
        "Plum": (0.8, 0.3, 11, 1.6, 8),
        "Apricot": (1.4, 0.4, 10, 2.1, 9),
        "Lemon": (1.0, 0.3, 8, 2.7, 12),
        "Raisin": (3.1, 0.5, 72, 4.1, 40),
        "Pear": (0.5, 0.2, 14, 3.2, 7),
        "Cherry": (1.1, 0.3, 15, 2.0, 9),
    },
    "grain": {
        "Barley": (10, 1.5, 62, 15, 25),
        "Buckwheat": (12, 3.2, 64, 9, 18),
        "Rice": (7.2, 0.8, 75, 1.6, 14),
        "Noodle": (12, 1.8, 68, 3.4, 120),
        "Rye Bread": (8.4, 3.0, 46, 6, 1400),
        "Oat Flake": (13, 6.8, 57, 10, 28),
    },
    "pulse": {
        "Lentil": (23, 1.4, 50, 12, 26),
        "Chickpea": (19, 5.6, 46, 13, 60),
        "White Bean": (21, 1.2, 44, 15, 38),
        "Split Pea": (22, 1.5, 47, 14, 32),
    },
    "dairy": {
        "Goat Cheese": (19, 23, 1.5, 0, 1300),
        "Yoghurt": (4.4, 3.4, 5.2, 0, 120),
        "Butter": (0.8, 79, 0.7, 0, 60),
        "Cream": (2.3, 31, 3.2, 0, 70),
    },
    "meat": {
        "Lamb": (19, 17, 0, 0, 160),
        "Duck": (18, 20, 0, 0, 170),
        "Ham": (20, 7, 1.2, 0, 2300),
        "Chicken": (23, 4.5, 0, 0, 180),
    },
    "fish": {
        "Trout": (20, 6.2, 0, 0, 130),
        "Herring": (18, 13, 0, 0, 240),
        "Mackerel": (19, 15, 0, 0, 220),
        "Prawn": (20, 1.1, 0.8, 0, 420),
    },
    "nut": {"Walnut": (14, 55, 11, 6.5, 6), "Almond": (20, 45, 11, 12, 9), "Hazelnut": (14, 53, 12, 9, 5)},
}
_SPREAD = (0.85, 1.12)
"""Least and greatest part of the usual amount that an edition's food holds."""
# Name, least and greatest weight in grams.
_PORTIONS: Mapping[str, tuple[tuple[str, int, int], ...]] = {
    "vegetable": (("bowl", 150, 320), ("cup", 80, 180), ("handful", 30, 70)),
    "fruit": (("bowl", 120, 260), ("cup", 90, 180), ("handful", 40, 90)),
    "grain": (("cup", 90, 200), ("bowl", 150, 300), ("handful", 25, 60)),
    "pulse": (("cup", 120, 220), ("bowl", 180, 320), ("spoon", 12, 30)),
    "dairy": (("spoon", 8, 30), ("cup", 90, 240)),
    "meat": (("slice", 25, 120), ("plate", 140, 260)),
    "fish": (("slice", 30, 110), ("plate", 120, 240)),
    "nut": (("handful", 20, 45), ("spoon", 6, 15)),
}


@per_edition()
@with_drawn_ids
def foods() -> Mapping[str, JsonObject]:
    """Return every food by id; energy is in kilocalories."""
    rng = edition.rng("foods")
    rows: dict[str, JsonObject] = {}
    for kind, of_kind in _USUAL.items():
        for name, usual in of_kind.items():
            key = f"food-{len(rows) + 1:03}"
            amounts = [round(amount * rng.uniform(*_SPREAD), 1) for amount in usual]
            protein, fat, carbohydrate, *_ = amounts
            portion, least, most = rng.choice(_PORTIONS[kind])
            rows[key] = {
                "food_id": key,
                "name": name,
                "kind": kind,
                "energy_kcal": round(4 * protein + 9 * fat + 4 * carbohydrate),
                **dict(zip(NUTRIENTS, amounts, strict=True)),
                "portion": portion,
                "portion_g": rng.randrange(least, most),
            }
    return rows


@per_edition()
def foods_by_name() -> Mapping[str, JsonObject]:
    """Return every food by case-folded name."""
    return {row["name"].casefold(): row for row in foods().values()}
