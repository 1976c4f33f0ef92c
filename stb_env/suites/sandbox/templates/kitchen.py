"""Tasks about recipes, what is in them, and usual portions of foods."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.edition import Options
from stb_env.suites.sandbox.content.foods import foods
from stb_env.suites.sandbox.content.recipes import recipes
from stb_env.suites.sandbox.conventions import parse_clock, show_clock
from stb_env.suites.sandbox.lookups import find
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Steps, Undecided, template
from stb_env.suites.sandbox.tools import food_facts, home_recipes, portion_card, unit_smith

_RECIPES = Options(lambda: recipes().values())
_LINES = Options(
    lambda: [(row["name"], foods()[key]["name"]) for row in _RECIPES for key, _ in row["ingredients"]]
)
_STARTS = [show_clock(minutes) for minutes in range(9 * 60, 18 * 60, 5)]
_NUTRIENTS = {
    "energy_kcal": "energy in kcal",
    "protein_g": "protein in grams",
    "fat_g": "fat in grams",
    "fibre_g": "fibre in grams",
    "salt_mg": "salt in milligrams",
}

_TOLERANCE = 0.1
"""Of a sum of four amounts, which a table rounds to two decimals."""


def _decided() -> list[tuple[str, str, str]]:
    """Return (recipe of three ingredients, nutrient, most or least) where one ingredient stands out."""
    chosen, table = [], foods()
    for row in _RECIPES:
        for nutrient in _NUTRIENTS if len(row["ingredients"]) == 3 else ():
            amounts = sorted(table[key][nutrient] for key, _ in row["ingredients"])
            chosen += [(row["name"], nutrient, "least")] if amounts[0] < amounts[1] else []
            chosen += [(row["name"], nutrient, "most")] if amounts[1] < amounts[2] else []
    return chosen


def _recipe_id(name: str) -> Steps[str]:
    return str((yield from find(home_recipes.search_recipes(name=name), name=name))["recipe_id"])


def _grams(recipe: str, servings: int, food: str) -> Steps[int]:
    """Look up how many grams of an ingredient a recipe needs; two calls."""
    key = yield from _recipe_id(recipe)
    lines = (yield home_recipes.recipe_ingredients(recipe_id=key, servings=servings))["ingredients"]
    return next(int(line["grams"]) for line in lines if line["name"] == food)


_DECIDED = Options(_decided)
_FOUR = Options(lambda: [row["name"] for row in _RECIPES if len(row["ingredients"]) == 4])


@template(home_recipes.TOOL, calls=2)
def recipe_ready_time(draw: Draw) -> Plan:
    """Time at which a dish is ready."""
    name, start = draw.pick(_RECIPES)["name"], draw.pick(_STARTS)

    def solve() -> Solution:
        row = yield home_recipes.recipe_details(recipe_id=(yield from _recipe_id(name)))
        ready = show_clock(parse_clock(start) + row["prep_minutes"] + row["cook_minutes"])
        return Answer.of(f"It is ready at {ready}.", facts.time("ready_time", ready))

    return Plan.of(
        f"If I begin with the {name} at {start}, first preparing and then cooking it, when is it ready?",
        f"I start to prepare a {name} at {start}. At what time can we eat, straight after cooking?",
        f"Preparation plus cooking of the {name}, starting {start}: when am I done?",
        solve=solve,
    )


@template(home_recipes.TOOL, calls=2)
def recipe_scaled(draw: Draw) -> Plan:
    """Amount of an ingredient for a party."""
    recipe, food = draw.pick(_LINES)
    servings = draw.between(2, 14)

    def solve() -> Solution:
        grams = yield from _grams(recipe, servings, food)
        return Answer.of(f"You need {grams} g.", facts.integer("grams", grams))

    return Plan.of(
        f"How many grams of {food} go into a {recipe} for {servings} people?",
        f"I cook {recipe} for {servings}. What weight of {food} should I buy, in grams?",
        f"Scale the {recipe} to {servings} servings and tell me the grams of {food}.",
        solve=solve,
    )


@template(home_recipes.TOOL, unit_smith.TOOL, calls=3)
def recipe_imperial(draw: Draw) -> Plan:
    """Amount of an ingredient for a party, in ounces or pounds."""
    recipe, food = draw.pick(_LINES)
    servings, (unit, word) = draw.between(2, 14), draw.pick((("oz", "ounces"), ("lb", "pounds")))

    def solve() -> Solution:
        grams = yield from _grams(recipe, servings, food)
        row = yield unit_smith.convert_mass(value=grams, source_unit="g", target_unit=unit)
        weight = round(row["result"], 2)
        return Answer.of(
            f"That is {weight} {word}.",
            facts.number(word, weight, "rounded to two decimals", tolerance=0.005),
        )

    return Plan.of(
        f"My scales show {word}. How many {word} of {food} does the {recipe} for {servings} take? Two "
        "decimals, please.",
        f"Tell me the amount of {food} in a {recipe} for {servings} people, in {word} to two decimals.",
        f"{recipe}, {servings} servings: convert the amount of {food} to {word} (two decimals).",
        solve=solve,
    )


@template(home_recipes.TOOL, food_facts.TOOL, calls=6)
def recipe_nutrition(draw: Draw) -> Plan:
    """A nutrient in a whole dish of four ingredients."""
    recipe, servings = draw.pick(_FOUR), draw.between(2, 12)
    nutrient, words = draw.pick(list(_NUTRIENTS.items()))

    def solve() -> Solution:
        key = yield from _recipe_id(recipe)
        lines = (yield home_recipes.recipe_ingredients(recipe_id=key, servings=servings))["ingredients"]
        amounts = []
        for line in lines:
            row = yield food_facts.nutrient_in_amount(
                food_id=line["food_id"], nutrient=nutrient, grams=line["grams"]
            )
            amounts.append(row["amount"])
        if min(amounts) < 3 * _TOLERANCE:
            raise Undecided  # Without that ingredient the sum is as good as the same.
        total = round(sum(amounts), 1)
        return Answer.of(
            f"It adds up to {total}.",
            facts.number(nutrient, total, "rounded to one decimal", tolerance=_TOLERANCE),
        )

    return Plan.of(
        f"Work out the total {words} (one decimal) of a {recipe} made for {servings}, over all its "
        "ingredients.",
        f"I cook {recipe} for {servings}. Adding up the ingredients, what is the {words} of the whole dish, "
        "to one decimal?",
        f"Sum of {words}, to one decimal, in a {recipe} with {servings} servings?",
        solve=solve,
    )


@template(home_recipes.TOOL, food_facts.TOOL, calls=5)
def richest_ingredient(draw: Draw) -> Plan:
    """The ingredient with the most (or least) of a nutrient, and the amount of it."""
    (recipe, nutrient, wording), servings = draw.pick(_DECIDED), draw.between(2, 12)

    def solve() -> Solution:
        key = yield from _recipe_id(recipe)
        lines = (yield home_recipes.recipe_ingredients(recipe_id=key, servings=servings))["ingredients"]
        amounts = {}
        for line in lines:
            row = yield food_facts.nutrients_per_100_g(food_id=line["food_id"])
            amounts[line["name"]] = row[nutrient]
        best = (max if wording == "most" else min)(amounts, key=lambda food: amounts[food])
        grams = next(line["grams"] for line in lines if line["name"] == best)
        return Answer.of(
            f"That is {best}; take {grams} g of it.",
            facts.name("ingredient", best),
            facts.integer("grams", grams, "of that ingredient"),
        )

    measure = _NUTRIENTS[nutrient].split()[0]
    return Plan.of(
        f"Which ingredient of the {recipe} has the {wording} {measure} per 100 g? Name only that one, and "
        f"how many grams of it {servings} servings need.",
        f"Per 100 g, which ingredient holds the {wording} {measure} in a {recipe}, and what weight of that "
        f"one goes into {servings} servings?",
        f"Find the ingredient of {recipe} with the {wording} {measure} (by 100 g) and its amount in grams "
        f"when I cook for {servings}.",
        solve=solve,
    )


_FOODS = [row["name"] for row in foods().values()]


@template(portion_card.TOOL, calls=1)
def portion_weight(draw: Draw) -> Plan:
    """Weight and energy of several portions."""
    food, count = draw.pick(_FOODS), draw.between(2, 40)

    def solve() -> Solution:
        row = yield portion_card.portion_facts(food_name=food)
        weight, energy = row["portion_g"] * count, row["energy_kj"] * count
        return Answer.of(
            f"They weigh {weight} g and hold {energy} kJ.",
            facts.integer("weight_g", weight),
            facts.integer("energy_kj", energy),
        )

    return Plan.of(
        f"What do {count} usual portions of {food} weigh in grams, and how many kJ do they hold?",
        f"I serve {count} portions of {food}. Total weight in g and total energy in kilojoules?",
        f"{food}, {count} portions of the usual size: grams altogether and kJ altogether, please.",
        solve=solve,
    )


@template(portion_card.TOOL, calls=2)
def portion_plate(draw: Draw) -> Plan:
    """Protein or fat in a plate of two foods."""
    one, two = draw.pick_some(_FOODS, 2)
    first, second = draw.between(2, 6), draw.between(2, 6)
    nutrient = draw.pick(("protein", "fat"))

    def solve() -> Solution:
        total = 0
        for food, count in ((one, first), (two, second)):
            row = yield portion_card.portion_facts(food_name=food)
            total += row[f"{nutrient}_mg"] * count
        if total % 100 == 50:
            raise Undecided  # halfway between two tenths of a gram
        grams = round(total / 1000, 1)
        return Answer.of(
            f"The plate holds {grams} g of {nutrient}.",
            facts.number(f"{nutrient}_g", grams, "to one decimal", tolerance=0.05),
        )

    return Plan.of(
        f"My plate has {first} portions of {one} and {second} of {two}. How many grams of {nutrient} is "
        "that, to one decimal?",
        f"Count the {nutrient} of {first} usual portions of {one} plus {second} of {two}, in grams with one "
        "decimal.",
        f"{one} x {first}, {two} x {second} (usual portions): how much {nutrient} in grams altogether, to a "
        "tenth?",
        solve=solve,
    )


@template(portion_card.TOOL, calls=2)
def portions_to_match(draw: Draw) -> Plan:
    """Portions of one food with the energy of some portions of another."""
    one, two = draw.pick_some(_FOODS, 2)
    count = draw.between(2, 9)

    def solve() -> Solution:
        energy = (yield portion_card.portion_facts(food_name=one))["energy_kj"] * count
        row = yield portion_card.portions_for_energy(food_name=two, energy_kj=energy)
        return Answer.of(
            f"That takes {row['portions']} portions.",
            facts.number("portions", row["portions"], "to one decimal", tolerance=0.05),
        )

    return Plan.of(
        f"How many usual portions of {two} hold as much energy as {count} portions of {one}? Round to one "
        "decimal.",
        f"I swap {count} portions of {one} for {two}. How many portions, to one decimal, for the same "
        "energy?",
        f"Energy of {count} portions of {one}: how many portions of {two} is that, to a tenth?",
        solve=solve,
    )
