"""Shopping tasks over the embedded shop."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import islice

from stb_env.jsontypes import JsonMapping
from stb_env.seeding import rng
from stb_env.suites.sambanova.common.seeded_tasks import TEST_SIZE, SeededTasks
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.generator import (
    VERSION,
    Described,
    described_products,
    embedded_catalogue,
)
from stb_env.suites.sambanova.web_shop.goals import Goal, synthetic_goal, synthetic_goals
from stb_env.suites.sambanova.web_shop.reward import purchase_reward
from stb_env.suites.sambanova.web_shop.tools import TOOLS
from stb_env.tasks import Task

NAME = "WebShop"


class WebShopTasks(SeededTasks):
    """A `TaskSource` of shopping goals, each of which a flawless purchase meets completely.

    Args:
        split: ``test``, a fixed list of 100, or ``train``, without end. No product is wanted with the same
            options in both.

    Raises:
        ConfigError: There is no such split.

    Examples:
        >>> task = WebShopTasks("test").at(0)
        >>> sorted(task.goal)[:3], len(task.tools)
        (['asin', 'attributes', 'category'], 2)
    """

    def __init__(self, split: str = "test") -> None:
        super().__init__(NAME, generate, split)


@lru_cache(maxsize=1_024)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index."""
    if split == "test":
        return shopping_task(f"test-{index}", "test", _test_goals()[0][index])
    _, rest = _test_goals()
    draw = rng("web_shop", VERSION, split, index)
    while True:
        chosen = draw.choice(rest)
        # The bound is drawn again, so that there are more goals than ways to choose products.
        goal = synthetic_goal(_described()[chosen["asin"]], chosen["goal_options"], draw)
        if is_attainable(goal, embedded_catalogue()):
            return shopping_task(f"{split}-{index}", split, goal)


def shopping_task(task_id: str, split: str, goal: JsonMapping) -> Task:
    """Build a task from a goal."""
    return Task(
        id=task_id,
        query=goal["instruction_text"],
        tools=TOOLS,
        suite=NAME,
        group=goal["category"],
        split=split,
        relevant=tuple(tool.id for tool in TOOLS),
        goal=goal,
        record=goal,
    )


def is_attainable(goal: JsonMapping, shop: Catalogue) -> bool:
    """Return whether buying a product with the wanted options earns everything, in the original's mode too.

    Its treatment of colors keeps some flawless purchases from that.
    """
    product, chosen = shop.products[goal["asin"]], goal["goal_options"]
    return all(
        purchase_reward(product, chosen, goal, original=original).total == 1.0 for original in (False, True)
    )


@cache
def _described() -> dict[str, Described]:
    return {each.product.asin: each for each in described_products()}


@cache
def _test_goals() -> tuple[list[Goal], list[Goal]]:
    """Return the test goals, the first attainable ones in the original's order, and all that follow."""
    shop = embedded_catalogue()
    rest = iter(synthetic_goals(described_products()))
    test = list(islice((goal for goal in rest if is_attainable(goal, shop)), TEST_SIZE))
    return test, list(rest)
