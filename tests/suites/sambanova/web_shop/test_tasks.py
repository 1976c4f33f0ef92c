"""Products and goals come from a seed; the test list never changes unseen and is not in training."""

from __future__ import annotations

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.demos import COUNTS, demonstrations
from stb_env.suites.sambanova.web_shop.env import make
from stb_env.suites.sambanova.web_shop.generator import VERSION, described_products, embedded_catalogue
from stb_env.suites.sambanova.web_shop.goals import NO_BOUND, human_goals
from stb_env.suites.sambanova.web_shop.nouns import nouns_of
from stb_env.suites.sambanova.web_shop.product import read_product
from stb_env.suites.sambanova.web_shop.tasks import WebShopTasks, is_attainable
from stb_env.suites.sambanova.web_shop.tools import documents

TEST, TRAIN = WebShopTasks("test"), WebShopTasks("train")
TESTS = [TEST.at(index) for index in range(100)]
TRAINS = [TRAIN.at(index) for index in range(300)]


def test_the_catalogue_and_the_test_list_are_the_pinned_ones():
    # Changes to content or generation must raise VERSION and pin anew.
    assert VERSION == 1
    assert embedded_catalogue().hash == "fffcb2fe3668375d23c0f1d99c16a06d7ca023fdb2b8ea0824b348ed2388181e"
    assert TEST.hash == "9161c9e7ec0aab4735130aec28f26c823417f572405a2c4fbab6770c9a4d014e"


def test_the_shop_has_a_thousand_different_products():
    assert len(embedded_catalogue()) == 1_000
    assert all(len(each.product.asin) == 10 for each in described_products())
    assert len({each.product.title for each in described_products()}) > 990
    assert all(set(each.wanted) <= set(each.product.attributes) for each in described_products())


def wish(task):
    return task.goal["asin"], *task.goal["goal_options"].items()


def test_no_wish_is_in_both_splits_and_none_is_demonstrated():
    wishes = {wish(task) for task in TESTS}
    assert len(wishes) == 100
    assert wishes.isdisjoint(map(wish, TRAINS))
    queries = {task.query for task in TESTS}
    assert queries.isdisjoint(demo.goal for demo in demonstrations())


def test_a_flawless_purchase_meets_every_goal_in_both_modes():
    assert all(is_attainable(task.goal, embedded_catalogue()) for task in (*TESTS, *TRAINS))


def test_instructions_name_options_and_bounds():
    for task in (*TESTS, *TRAINS):
        for name, value in task.goal["goal_options"].items():
            assert f"{name}: {value}" in task.query
        upper = task.goal["price_upper"]
        assert upper == NO_BOUND or task.query.endswith(f", and price lower than {upper:.2f} dollars")
        assert 0 < task.goal["weight"] <= 1


@pytest.mark.parametrize("compat", [None, "original"])
def test_the_oracle_buys_what_every_test_task_wants(compat: str | None):
    env = make(compat=compat)
    for index in range(100):
        env.reset(seed=0, options={"task_id": f"test-{index}"})
        plan = env.oracle(env.task)
        call, terminated = next(plan), False
        while not terminated:
            _, reward, terminated, _, _ = env.step({"name": call.name, "arguments": call.arguments})
            if not terminated:
                call = plan.send(env.snapshot().steps[-1].calls[-1].result)
        assert reward == 1.0


def test_demonstrations_have_the_papers_numbers():
    for version, count in COUNTS.items():
        demos = demonstrations(version)
        assert (len(demos), len({demo.name for demo in demos})) == (count, count)
        assert all(demo.program.endswith("click[buy now]") for demo in demos)


def test_short_demonstrations_have_few_products_on_a_page():
    shown = [demo.program.count("[button] B0") for demo in demonstrations("short")]
    assert sum(shown) / len(shown) < 5
    with pytest.raises(ConfigError, match="version must be 'long' or 'short', got 'medium'"):
        demonstrations("medium")


@pytest.mark.parametrize("index", range(5))
def test_a_task_comes_again_from_its_id(index: int):
    task = TRAIN.at(10_000 + index)
    assert TEST.get(task.id).key == task.key


def test_documents_show_how_actions_are_written():
    assert [document.text.split("\n")[1] for document in documents()] == ["search[query]", "click[element]"]


@pytest.mark.parametrize(
    ("pricing", "shown", "low", "high"),
    [
        ("$12.99", "$12.99", 12.99, 12.99),
        ("$1,299.00", "$1299.0", 1299, 1299),
        ("$9.99$14.25", "$9.99 to $14.25", 9.99, 14.25),
        ("$21.00$25.00$31.00", "$21.0 to $25.0", 21, 25),
        ("", "$100.0", 100, 100),
        (None, "$100.0", 100, 100),
    ],
)
def test_prices_are_shown_and_counted_as_the_original_does(pricing, shown: str, low: float, high: float):
    product = read_product({"asin": "B1", "name": "Cup", "pricing": pricing})
    assert product.shown_price == shown
    assert low <= product.price <= high
    assert product == read_product({"asin": "B1", "name": "Cup", "pricing": pricing})


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"name": "Cup"}, r"a product needs an asin and a name, got the fields \['name'\]"),
        ({"asin": "B1", "name": "Cup", "pricing": "$cheap"}, "the price '\\$cheap' of product 'B1' is none"),
    ],
)
def test_broken_products_are_errors(record, message: str):
    with pytest.raises(DataError, match=message):
        read_product(record)


def test_a_shop_needs_products():
    with pytest.raises(DataError, match="a shop needs at least one product"):
        Catalogue([])


def test_human_goals_need_an_attribute():
    product = read_product({"asin": "B1", "name": "Cup", "pricing": "$985"})
    records = [
        {"instruction": "i want a cup.", "instruction_attributes": ["blue"], "instruction_options": ["m"]},
        {"instruction": "any cup", "instruction_attributes": []},
    ]
    (goal,) = human_goals((product, record) for record in records)
    assert (goal["instruction_text"], goal["goal_options"], goal["weight"]) == ("i want a cup", ["m"], 1.0)
    assert goal["price_upper"] == NO_BOUND


def test_nouns_of_products_of_a_kind_meet():
    names = [each.product.title for each in described_products() if each.product.query == "cat trees"]
    assert all({"cat", "tree"} <= set(nouns_of(name)) for name in names)
