"""Shopping tasks over the embedded shop."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache, partial

from stb_env.seeding import rng
from stb_env.suites.sambanova.common.seeded_tasks import TEST_SIZE, SeededTasks, belongs
from stb_env.suites.sambanova.web_shop.generator import SIZE, VERSION, described_product
from stb_env.suites.sambanova.web_shop.goals import Goal, synthetic_goal
from stb_env.suites.sambanova.web_shop.product import Product
from stb_env.suites.sambanova.web_shop.reward import purchase_reward
from stb_env.suites.sambanova.web_shop.tools import TOOLS
from stb_env.tasks import Task

NAME = "WebShop"


@lru_cache(maxsize=1_024)
def generate(split: str, index: int) -> Task:
    """Make a task again from its split and index; every split but ``test`` shares nothing with that."""
    draw = rng("web_shop", "task", VERSION, split, index)
    while True:
        number = draw.randrange(SIZE)
        if split == "test":
            # Every hundredth product is of one kind: each test task wants another.
            number += index - number % TEST_SIZE
        described = described_product(number)
        names = sorted(described.product.options)
        options = {name: draw.choice(described.product.options[name]) for name in names}
        goal = synthetic_goal(described, options, draw)
        side = "test" if split == "test" else "train"
        if not belongs(side, wish(goal)) or not is_attainable(goal, described.product):
            continue
        if side == "test" or goal["asin"] not in _tested():
            return shopping_task(f"{split}-{index}", split, goal)


tasks_of = partial(SeededTasks, NAME, generate)
"""Makes the shopping goals of a split, each of which a flawless purchase meets completely.

What is wanted in one split is never wanted in the other, of whatever product, and no training task is about
the product of a test.
"""


@cache
def _tested() -> frozenset[str]:
    """Return the products that tests ask for."""
    return frozenset(generate("test", index).goal["asin"] for index in range(TEST_SIZE))


def shopping_task(task_id: str, split: str, goal: Goal) -> Task:
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
        answer="acts",
        record=goal,
    )


def wish(goal: Goal) -> str:
    """Return what a goal asks for, in whatever words and up to whatever price."""
    options = goal["goal_options"]
    chosen = sorted(options.items()) if isinstance(options, dict) else sorted(options)
    return repr((goal["query"], sorted(goal["attributes"]), chosen))


def is_attainable(goal: Goal, product: Product) -> bool:
    """Return whether buying a product with the wanted options earns everything, in the original's mode too.

    Its treatment of colors keeps some flawless purchases from that.
    """
    chosen = goal["goal_options"]
    return isinstance(chosen, Mapping) and all(
        purchase_reward(product, chosen, goal, original=original).total == 1.0 for original in (False, True)
    )
