"""Goals: instructions with the attributes, options and price bound that they ask for."""

from __future__ import annotations

import random
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice
from itertools import product as combinations
from typing import TypedDict, overload

from stb_env.core.jsontypes import JsonMapping
from stb_env.seeding import rng
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.product import Described, Product
from stb_env.suites.sambanova.web_shop.shop_file import plain


class Goal(TypedDict):
    """A goal as the original's files have it.

    Attributes:
        asin: Identity of the product that is meant.
        category: Its department.
        query: Words that one would search for it with.
        name: Its name.
        product_category: Levels of its category, separated by ``›``.
        instruction_text: The instruction, price bound included.
        attributes: Wanted attributes.
        price_upper: Price bound.
        goal_options: Wanted options, by name or as values alone.
        weight: Rareness of the attributes.
    """

    asin: str
    category: str
    query: str
    name: str
    product_category: str
    instruction_text: str
    attributes: list[str]
    price_upper: float
    goal_options: Mapping[str, str] | Sequence[str]
    weight: float


SHUFFLE_SEED = 233
NO_BOUND = 1_000_000
"""Price bound of a goal that has none."""

_BOUNDS = range(10, 1_000, 10)
_NEAREST_BOUNDS = 4


class SyntheticGoals(Sequence[Goal]):
    """A goal for each way to choose a product's options, in the original's order; made when asked for.

    The original draws price bounds before it seeds its generator, so that goals differ between processes;
    here they follow from product and options.

    Args:
        shop: The products; those without an instruction have no goals.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.product import read_product
        >>> record = {"asin": "B1", "name": "Cup", "pricing": "$95"}
        >>> options = {"Size": [{"value": "S"}, {"value": "M"}]}
        >>> cup = Described(read_product({**record, "customization_options": options}), "a cup", ("blue",))
        >>> sorted(goal["instruction_text"] for goal in SyntheticGoals(Catalogue([cup])))[0]
        'a cup with size: m, and price lower than 130.00 dollars'
    """

    def __init__(self, shop: Catalogue) -> None:
        self._shop = shop
        rows = shop.rows("SELECT number, ways FROM products WHERE ways > 0 ORDER BY number")
        self._numbers = array("q", (number for number, _ in rows))
        self._starts = array("q", accumulate((ways for _, ways in rows), initial=0))
        # Shuffles numbers as the original shuffles the goals themselves, of which a full shop has millions.
        self._order = array("q", range(self._starts[-1]))
        random.Random(SHUFFLE_SEED).shuffle(self._order)

    def __reduce__(self) -> tuple[type[SyntheticGoals], tuple[Catalogue]]:
        return SyntheticGoals, (self._shop,)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Goal: ...

    @overload
    def __getitem__(self, index: slice) -> list[Goal]: ...

    def __getitem__(self, index: int | slice) -> Goal | list[Goal]:
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        way = self._order[index]
        place = bisect_right(self._starts, way) - 1
        described = self._shop.at(self._numbers[place])
        names = sorted(described.product.options)
        ways = combinations(*(described.product.options[name] for name in names))
        values = next(islice(ways, way - self._starts[place], None))
        draw = rng("web_shop", "bound", described.product.asin, *values)
        goal = synthetic_goal(described, dict(zip(names, values, strict=True)), draw)
        return goal | {"weight": self._weight(goal["attributes"])}

    def _weight(self, attributes: Sequence[str]) -> float:
        """Return how rare the attributes are: the mean share that one goal is of all that have each."""
        counts = [
            self._shop.rows("SELECT goals FROM attributes WHERE name = ?", (plain(name),))[0][0]
            for name in attributes
        ]
        return sum(1 / count for count in counts) / len(counts) if counts else 1.0


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
    random.Random(SHUFFLE_SEED).shuffle(goals)
    return goals


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
