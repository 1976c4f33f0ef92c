"""Portion Card: the same foods by the portion, by name and in kilojoules; training never sees it."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content.foods import KJ_PER_KCAL, foods, foods_by_name
from stb_env.suites.sandbox.conventions import PAGE, found, page_of
from stb_env.suites.sandbox.params import choice, number, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Food", "Portion Card", "What one usual portion of a food holds.", held_out="tool")
KINDS = ("any", *dict.fromkeys(row["kind"] for row in foods().values()))
_FOOD = text("food_name", "Full name of the food (not an id).", "Leek")


def _food(name: str) -> JsonObject:
    row: JsonObject = found(foods_by_name().get(name.strip().casefold()), "food", name)
    return row


def _card(row: JsonObject) -> JsonObject:
    share = row["portion_g"] / 100
    return {
        "food_name": row["name"],
        "portion": f"1 {row['portion']}",
        "portion_g": row["portion_g"],
        "energy_kj": round(row["energy_kcal"] * KJ_PER_KCAL * share),
        "protein_mg": round(row["protein_g"] * share * 1000),
        "fat_mg": round(row["fat_g"] * share * 1000),
    }


@TOOL.lookup("Foods With Portions", choice("kind", "Only this kind of food.", KINDS, optional=True), PAGE)
def foods_with_portions(kind: str, page: int) -> Response:
    """Names of the foods on the card and the weight of their usual portion in grams."""
    rows = [
        {"food_name": row["name"], "portion_g": row["portion_g"]}
        for row in foods().values()
        if kind in ("any", row["kind"])
    ]
    return page_of(rows, page)


@TOOL.lookup("Portion Facts", _FOOD)
def portion_facts(food_name: str) -> Response:
    """Weight of one usual portion in grams, its energy in kJ, its protein and fat in mg."""
    return _card(_food(food_name))


@TOOL.lookup("Portions For Energy", _FOOD, number("energy_kj", "Energy to reach, in kJ.", 1000, 1, 100_000))
def portions_for_energy(food_name: str, energy_kj: float) -> Response:
    """How many portions of a food give so much energy, rounded to tenths."""
    card = _card(_food(food_name))
    return {"food_name": card["food_name"], "portions": round(energy_kj / card["energy_kj"], 1)}
