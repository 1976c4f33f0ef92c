"""Foods of the sandbox and what is in 100 grams of them; the figures are invented."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition, with_drawn_ids

NUTRIENTS = ("protein_g", "fat_g", "carbohydrate_g", "fibre_g", "salt_mg")
KJ_PER_KCAL = 4.184

_KINDS: Mapping[str, tuple[str, ...]] = {
    "vegetable": ("Leek", "Carrot", "Spinach", "Beetroot", "Pumpkin", "Mushroom", "Tomato", "Cabbage"),
    "fruit": ("Plum", "Apricot", "Lemon", "Raisin", "Pear", "Cherry"),
    "grain": ("Barley", "Buckwheat", "Rice", "Noodle", "Rye Bread", "Oat Flake"),
    "pulse": ("Lentil", "Chickpea", "White Bean", "Split Pea"),
    "dairy": ("Goat Cheese", "Yoghurt", "Butter", "Cream"),
    "meat": ("Lamb", "Duck", "Ham", "Chicken"),
    "fish": ("Trout", "Herring", "Mackerel", "Prawn"),
    "nut": ("Walnut", "Almond", "Hazelnut"),
}
# Per 100 g, in the order of NUTRIENTS: greatest amounts.
_MOST: Mapping[str, tuple[float, float, float, float, int]] = {
    "vegetable": (4, 0.9, 12, 5, 140),
    "fruit": (2, 0.8, 60, 7, 20),
    "grain": (14, 7, 74, 11, 600),
    "pulse": (25, 6, 60, 17, 60),
    "dairy": (22, 80, 6, 0.4, 1500),
    "meat": (29, 28, 2, 0.3, 2200),
    "fish": (26, 19, 1, 0.2, 900),
    "nut": (22, 66, 18, 12, 30),
}
_PORTIONS = (("cup", 90, 260), ("handful", 20, 60), ("slice", 25, 120), ("bowl", 180, 420), ("spoon", 8, 30))


@per_edition()
@with_drawn_ids
def foods() -> Mapping[str, JsonObject]:
    """Return every food by id; energy is in kilocalories."""
    rng = edition.rng("foods")
    rows: dict[str, JsonObject] = {}
    for kind, names in _KINDS.items():
        for name in names:
            key = f"food-{len(rows) + 1:03}"
            amounts = [round(most * rng.uniform(0.25, 1), 1) for most in _MOST[kind]]
            protein, fat, carbohydrate, *_ = amounts
            portion, least, most = rng.choice(_PORTIONS)
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
