"""Tasks about the usual portion of a food, in kilojoules and milligrams."""

from __future__ import annotations

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.foods import foods
from stb_env.suites.sandbox.template import Answer, Draw, Plan, Solution, Undecided, template
from stb_env.suites.sandbox.tools import portion_card

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
