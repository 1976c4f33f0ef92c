"""Food Facts: nutrients per 100 grams, by food id; energy in kilocalories."""

from __future__ import annotations

from stb_env.suites.sandbox.content.foods import NUTRIENTS, foods
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, number, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Food", "Food Facts", "Nutrients of foods per 100 grams.")
COLUMNS = ("energy_kcal", *NUTRIENTS)
_FOOD = text("food_id", "Id from Search Foods.", "food-001")


@TOOL.lookup("Search Foods", text("name", "Part of the food's name, in any case.", "bean"), PAGE)
def search_foods(name: str, page: int) -> Response:
    """Find foods by part of their name; returns ids, names and kinds."""
    rows = search(foods().values(), "name", name)
    return page_of(columns(rows, "food_id", "name", "kind"), page)


@TOOL.lookup("Nutrients Per 100 G", _FOOD)
def nutrients_per_100_g(food_id: str) -> Response:
    """Energy in kcal, and protein, fat, carbohydrate, fibre (g) and salt (mg) in 100 grams of a food."""
    row = found(foods().get(food_id), "food", food_id)
    return {"food_id": food_id, "name": row["name"], **{column: row[column] for column in COLUMNS}}


@TOOL.lookup(
    "Nutrient In Amount",
    _FOOD,
    choice("nutrient", "What to count.", COLUMNS),
    number("grams", "How much of the food.", 100, 0, 100_000),
)
def nutrient_in_amount(food_id: str, nutrient: str, grams: float) -> Response:
    """How much of one nutrient an amount of a food holds, in the unit that the nutrient's name ends with."""
    row = found(foods().get(food_id), "food", food_id)
    amount = round(row[nutrient] * grams / 100, 2)
    return {"food_id": food_id, "nutrient": nutrient, "grams": grams, "amount": amount}


@TOOL.lookup("Richest Foods", choice("nutrient", "What to rank by.", COLUMNS), PAGE)
def richest_foods(nutrient: str, page: int) -> Response:
    """Rank all foods by a nutrient per 100 grams, the richest first."""
    rows = sorted(foods().values(), key=lambda row: (-row[nutrient], row["food_id"]))
    return page_of(
        [{"food_id": row["food_id"], "name": row["name"], nutrient: row[nutrient]} for row in rows], page
    )
