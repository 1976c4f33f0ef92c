"""Recipes of the sandbox, made of its foods."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import per_edition
from stb_env.suites.sandbox.content.foods import foods

COUNT = 120
DIFFICULTIES = ("easy", "medium", "hard")
DIETS = ("any", "vegetarian", "vegan")
_STYLES = (
    "Harvest", "Smoky", "Golden", "Midnight", "Rustic", "Festive", "Peppered", "Lazy", "Market", "Sunday",
)  # fmt: skip
_SIDES = ("Butter", "Cream", "Lemon", "Raisin", "Walnut", "Almond", "Hazelnut")
"""Foods that no dish consists of in the main."""
_DISHES = ("Stew", "Salad", "Pie", "Soup", "Bake", "Skillet", "Dumplings", "Gratin", "Curry")


@per_edition()
def recipes() -> Mapping[str, JsonObject]:
    """Return every recipe by id; ``ingredients`` are (food id, grams a serving); names are unique."""
    rng = edition.rng("recipes")
    keys = list(foods())
    mains = [key for key in keys if foods()[key]["name"] not in _SIDES]
    titles = [(style, key, dish) for style in _STYLES for key in mains for dish in _DISHES]
    rows = {}
    for index, (style, main, dish) in enumerate(rng.sample(titles, COUNT)):
        others = rng.sample([key for key in keys if key != main], 2 + index % 3)
        ingredients = [(main, rng.randrange(90, 240, 5))] + [
            (key, rng.randrange(10, 120, 5)) for key in others
        ]
        recipe_id = f"recipe-{index + 1:03}"
        rows[recipe_id] = {
            "recipe_id": recipe_id,
            "name": f"{style} {foods()[main]['name']} {dish}",
            "ingredients": tuple(ingredients),
            "diet": _diet({foods()[key]["kind"] for key, _ in ingredients}),
            "difficulty": rng.choice(DIFFICULTIES),
            "prep_minutes": rng.randrange(5, 60),
            "cook_minutes": rng.randrange(10, 160),
            "oven_c": rng.randrange(140, 240, 5),
        }
    return rows


def _diet(kinds: set[str]) -> str:
    if kinds & {"meat", "fish"}:
        return "any"
    return "vegetarian" if "dairy" in kinds else "vegan"
