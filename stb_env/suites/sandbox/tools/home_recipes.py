"""Home Recipes: dishes, their times and their ingredients."""

from __future__ import annotations

from stb_env.suites.sandbox.content.foods import foods
from stb_env.suites.sandbox.content.recipes import DIETS, DIFFICULTIES, recipes
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Food", "Home Recipes", "Recipes for home cooks.")
_RECIPE = text("recipe_id", "Id from Search Recipes.", "recipe-001")


def _suits(diet: str, wanted: str) -> bool:
    # Vegan dishes are vegetarian, and anything goes for "any".
    return DIETS.index(diet) >= DIETS.index(wanted)


@TOOL.lookup(
    "Search Recipes",
    text("name", "Part of the recipe's name, in any case.", "stew"),
    choice("diet", "Only recipes for this diet.", DIETS, optional=True),
    PAGE,
)
def search_recipes(name: str, diet: str, page: int) -> Response:
    """Find recipes by part of their name; returns ids and names."""
    rows = [row for row in search(recipes().values(), "name", name) if _suits(row["diet"], diet)]
    return page_of(columns(rows, "recipe_id", "name"), page)


@TOOL.lookup("Recipe Details", _RECIPE)
def recipe_details(recipe_id: str) -> Response:
    """Preparation and cooking time, difficulty, oven temperature and diet of one recipe."""
    row = found(recipes().get(recipe_id), "recipe", recipe_id)
    return {key: value for key, value in row.items() if key != "ingredients"}


@TOOL.lookup(
    "Recipe Ingredients", _RECIPE, whole("servings", "For how many people.", 4, 1, 50, optional=True)
)
def recipe_ingredients(recipe_id: str, servings: int) -> Response:
    """Ingredients of one recipe in grams for a number of servings, with their food ids."""
    row = found(recipes().get(recipe_id), "recipe", recipe_id)
    lines = [
        {"food_id": key, "name": foods()[key]["name"], "grams": grams * servings}
        for key, grams in row["ingredients"]
    ]
    return {"recipe_id": recipe_id, "servings": servings, "ingredients": lines}


@TOOL.lookup(
    "Recipes With",
    text("food_id", "Id of an ingredient, as Recipe Ingredients and Food Facts have it.", "food-001"),
    choice("difficulty", "Only recipes of this difficulty.", ("any", *DIFFICULTIES), optional=True),
    PAGE,
)
def recipes_with(food_id: str, difficulty: str, page: int) -> Response:
    """List the recipes that need an ingredient."""
    found(foods().get(food_id), "food", food_id)
    rows = [
        {"recipe_id": row["recipe_id"], "name": row["name"], "difficulty": row["difficulty"]}
        for row in recipes().values()
        if food_id in dict(row["ingredients"]) and difficulty in ("any", row["difficulty"])
    ]
    return page_of(rows, page)
