"""The recorded rewards and pages of the original shop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import stb_env  # noqa: F401 (registers the ids)
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.colors import plain_color
from stb_env.suites.sambanova.web_shop.fuzzy import token_set_ratio
from stb_env.suites.sambanova.web_shop.pages import clickables, pieces
from stb_env.suites.sambanova.web_shop.product import Product, read_product
from stb_env.suites.sambanova.web_shop.reward import Reward, purchase_reward
from stb_env.suites.sambanova.web_shop.tasks import shopping_task
from stb_env.tasks import TaskSet

# Rewards of the default where it mends a defect, by the recorded cases' tags.
MENDED = {
    "a color name inside another word (standard holds tan) is taken as the color": 0.75,
    "attribute in capitals is not found in the lower-cased text": 1.0,
    "other product, same query and category, no common noun: type score zero": 1.0,
    "purchased name empty": 1.0,
    "exactly the wanted options, but peppermint turns into the color mint on the bought side only": 5 / 6,
    "list form: one bought option serves two wanted options (both normalise to mint)": 4 / 6,
    "placeholder attribute list of a product without labels": 4 / 6,
}
SHARES = ("reward", "r_type", "r_att", "r_option", "w_att", "w_option", "w_price", "title_score")


@pytest.fixture(scope="module")
def rewards(shared_data: Path) -> dict[str, Any]:
    return json.loads((shared_data / "toolbench_tasks" / "webshop_reward.json").read_text())


@pytest.fixture(scope="module")
def shop(shared_data: Path) -> dict[str, Any]:
    return json.loads((shared_data / "toolbench_tasks" / "webshop_episodes.json").read_text())


def rated(case: dict[str, Any], *, original: bool) -> Reward:
    record = case["product"]
    product = Product(
        record["asin"],
        "",
        record["query"],
        record["product_category"],
        record["Title"],
        record["Description"],
        tuple(record["BulletPoints"]),
        "",
        case["price"],
        {},
        tuple(record["Attributes"]),
    )
    # The bought name is tagged before the wanted one.
    tagged = iter([case["nouns_product"], case["nouns_goal"]])
    return purchase_reward(
        product, case["options"], case["goal"], nouns=lambda _: next(tagged), original=original
    )


def test_golden_rewards_of_every_case_are_the_originals(rewards: dict[str, Any]):
    for case in rewards["cases"]:
        got, expected = rated(case, original=True), case["expected"]
        shares = {name: got.metrics.get(name) for name in SHARES}
        assert shares == pytest.approx({name: expected[name] for name in SHARES}), case["id"]
        counts = (got.attributes, got.options, got.price, got.query_match, got.category_match)
        wanted = ("num_attr_matches", "num_option_matches", "r_price", "query_match", "category_match")
        assert counts == tuple(expected[name] for name in wanted), case["id"]


def test_golden_rewards_of_the_default_differ_where_the_original_has_a_defect(rewards: dict[str, Any]):
    for case in rewards["cases"]:
        expected = MENDED.get(case["tag"], case["expected"]["reward"])
        assert rated(case, original=False).total == pytest.approx(expected), case["id"]


def test_golden_likeness_and_colors_are_the_originals(rewards: dict[str, Any]):
    for case in rewards["token_set_ratio"]:
        assert token_set_ratio(case["a"], case["b"]) == case["score"], case
    for case in rewards["normalize_color"]:
        assert plain_color(case["text"]) == case["result"], case


def shop_of(data: dict[str, Any]) -> Catalogue:
    products = [
        read_product(record, data["attribute_lists"][record["asin"]], data["fixed_prices"][record["asin"]])
        for record in data["catalogue"]
    ]
    return Catalogue(products, lambda query: data["search_results"].get(query, ()))


@pytest.mark.parametrize("mode", ["text", "text_rich"])
def test_golden_pages_of_every_episode_are_the_originals(shop: dict[str, Any], mode: Any):
    catalogue = shop_of(shop)
    tasks = TaskSet([shopping_task(str(at), "test", goal) for at, goal in enumerate(shop["goals"])])
    env: Any = gym.make(
        "stb/WebShop-v0", data=tasks, compat="original", catalogue=catalogue, page_text=mode
    ).unwrapped
    for episode in shop["episodes"]:
        env.reset(seed=0, options={"task_id": str(episode["goal_index"])})
        for step in episode["steps"]:
            place = episode["id"], step["action"]
            reward, done = 0.0, False
            if step["action"] is not None:
                _, reward, done, truncated, _ = env.step(step["action"])
                assert not truncated, place
            session = env.snapshot().backend
            assert done == step["done"], place
            assert clickables(pieces(session, catalogue)) == step["clickables"], place
            assert (session.kind == "search") == step["has_search_bar"], place
            if not (done and episode["reward_depends_on_tagger"]):
                assert reward == pytest.approx(step["reward"]), place
                assert env.rules.backend.page(session) == step[mode], place


def test_golden_human_instructions_are_no_calls(shared_data: Path):
    env: Any = gym.make("stb/WebShop-v0").unwrapped
    for file in (shared_data / "webshop").glob("*goals*.json"):
        for text in json.loads(file.read_text())[:300]:
            assert not env.rules.parse(text).calls
