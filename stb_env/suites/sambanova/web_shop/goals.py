"""What shoppers want: instructions with the attributes, options and price bound that they ask for."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product as combinations

from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.seeding import rng
from stb_env.suites.sambanova.web_shop.generator import Described
from stb_env.suites.sambanova.web_shop.product import Product

Goal = JsonObject

SHUFFLE_SEED = 233
NO_BOUND = 1_000_000
"""Price bound of a goal that has none."""

_BOUNDS = range(10, 1_000, 10)
_NEAREST_BOUNDS = 4


def synthetic_goals(described: Iterable[Described]) -> list[Goal]:
    """Return a goal for each way to choose a product's options, in the original's order.

    The original draws price bounds before it seeds its generator, so that goals differ between processes;
    here they follow from product and options.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.product import read_product
        >>> record = {"asin": "B1", "name": "Cup", "pricing": "$95"}
        >>> options = {"Size": [{"value": "S"}, {"value": "M"}]}
        >>> cup = Described(read_product({**record, "customization_options": options}), "a cup", ("blue",))
        >>> sorted(goal["instruction_text"] for goal in synthetic_goals([cup]))[0]
        'a cup with size: m, and price lower than 130.00 dollars'
    """
    goals = []
    for each in described:
        names = sorted(each.product.options)
        for values in combinations(*(each.product.options[name] for name in names)):
            options = dict(zip(names, values, strict=True))
            draw = rng("web_shop", "bound", each.product.asin, *values)
            goals.append(synthetic_goal(each, options, draw))
    return _finished(goals)


def synthetic_goal(described: Described, options: Mapping[str, str], draw: random.Random) -> Goal:
    """Return the goal of buying a product with these options, its price bound drawn."""
    asked = ", and ".join(f"{name}: {value}" for name, value in options.items())
    text = described.instruction + (f" with {asked}" if asked else "")
    return _goal(described.product, text, described.wanted, dict(options), draw)


def human_goals(annotated: Iterable[tuple[Product, JsonMapping]]) -> list[Goal]:
    """Return a goal for each annotated instruction that names an attribute, in the original's order.

    Args:
        annotated: Products with records that have ``instruction``, ``instruction_attributes`` and
            ``instruction_options``.
    """
    goals = []
    for number, (product, record) in enumerate(annotated):
        attributes = tuple(record.get("instruction_attributes") or ())
        if attributes:
            draw = rng("web_shop", "human bound", product.asin, number)
            text = str(record["instruction"]).strip().removesuffix(".")
            options = list(record.get("instruction_options") or ())
            goals.append(_goal(product, text, attributes, options, draw))
    return _finished(goals)


def _goal(
    product: Product,
    instruction: str,
    attributes: Sequence[str],
    options: Mapping[str, str] | Sequence[str],
    draw: random.Random,
) -> Goal:
    upper = _bound(product.price, draw)
    bound = f", and price lower than {upper:.2f} dollars" if upper < NO_BOUND else ""
    return {
        "asin": product.asin,
        "category": product.category,
        "query": product.query,
        "name": product.title,
        "product_category": product.path,
        "instruction_text": instruction + bound,
        "attributes": list(attributes),
        "price_upper": upper,
        "goal_options": options,
        "weight": 1.0,
    }


def _bound(price: float, draw: random.Random) -> float:
    above = [bound for bound in _BOUNDS if bound > price][:_NEAREST_BOUNDS]
    return float(max(draw.sample(above, 2))) if len(above) >= 2 else NO_BOUND


def _finished(goals: list[Goal]) -> list[Goal]:
    """Weigh goals by how rare their attributes are, and shuffle them as the original does."""
    counts = Counter(attribute for goal in goals for attribute in goal["attributes"])
    for goal in goals:
        if isinstance(goal["goal_options"], dict):
            shares = [1 / counts[attribute] for attribute in goal["attributes"]]
            goal["weight"] = sum(shares) / len(shares) if shares else 1.0
    random.Random(SHUFFLE_SEED).shuffle(goals)
    return goals
