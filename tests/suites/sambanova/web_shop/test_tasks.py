"""Products and goals come from a seed; the test list never changes unseen and is not in training."""

from __future__ import annotations

import pytest

from stb_env.errors import ConfigError, DataError
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.demos import COUNTS, demonstrations
from stb_env.suites.sambanova.web_shop.generator import (
    VERSION,
    described_product,
    described_products,
    embedded_catalogue,
)
from stb_env.suites.sambanova.web_shop.goals import NO_BOUND, human_goals
from stb_env.suites.sambanova.web_shop.product import Product, read_product
from stb_env.suites.sambanova.web_shop.tasks import generate, is_attainable, tasks_of, wish
from stb_env.suites.sambanova.web_shop.tools import documents
from stb_env.suites.sambanova.web_shop.vocabulary import nouns_of
from stb_env.tasks import Task

TEST, TRAIN = tasks_of("test"), tasks_of("train")
TESTS = [TEST.at(index) for index in range(100)]


@pytest.fixture(scope="module")
def trains() -> list[Task]:
    return [TRAIN.at(index) for index in range(300)]


@pytest.fixture(scope="module")
def demos() -> list[Task]:
    return [generate("demo", index) for index in range(COUNTS["long"])]


@pytest.fixture(scope="module")
def products() -> list[Product]:
    return [each.product for each in described_products()]


def test_the_catalogue_is_the_pinned_one():
    # Changes to content or generation must raise VERSION and pin anew.
    assert VERSION == 2
    assert embedded_catalogue().hash == "7f3c76440048d1d096127c68b060e98bb0f4de5744cca987dcf6c54266e33e04"


@pytest.mark.heavy
def test_the_shop_has_ten_thousand_products_of_a_hundred_kinds(products):
    assert len(embedded_catalogue()) == len(products) == 10_000
    assert len({product.query for product in products}) == 100
    assert {len(product.asin) for product in products} == {10}
    assert list(embedded_catalogue())[::1_000] == products[::1_000]


@pytest.mark.heavy
def test_no_text_of_the_shop_comes_twice(products):
    texts = [text for product in products for text in (product.title, product.description, *product.bullets)]
    assert len(set(texts)) == len(texts) == 70_000
    # The colon divides what is true of a product from what is said of it.
    said = [bullet.split(": ", 1)[1] for product in products for bullet in product.bullets]
    assert len(set(said)) == len(said)


def test_what_counts_stands_on_the_pages():
    for number in range(0, 10_000, 7):
        product, _, wanted = described_product(number)
        text = " ".join((product.title, product.description, *product.bullets)).lower()
        assert set(wanted) <= set(product.attributes)
        assert all(attribute in text for attribute in product.attributes)
        assert product.shown_price == f"${product.price}"
        values = [value for values in product.options.values() for value in values]
        assert len(values) == len(set(values)) > 0


@pytest.mark.heavy
def test_nothing_that_is_wanted_for_testing_is_wanted_in_training_or_demonstrated(trains, demos):
    wishes = {wish(task.goal) for task in TESTS}
    assert len(wishes) == len({task.goal["asin"] for task in TESTS}) == 100
    others = (*trains, *demos)
    assert wishes.isdisjoint(wish(task.goal) for task in others)
    assert {task.query for task in TESTS}.isdisjoint(task.query for task in others)


def test_equal_instructions_want_the_same(trains, demos):
    wanted: dict[str, tuple[str, float]] = {}
    for task in (*TESTS, *trains, *demos):
        goal = wish(task.goal), task.goal["price_upper"]
        assert wanted.setdefault(task.query, goal) == goal
    assert len(set(wanted.values())) == len(wanted)


def test_a_flawless_purchase_meets_every_goal_in_both_modes(trains):
    shop = embedded_catalogue()
    assert all(is_attainable(task.goal, shop.product(task.goal["asin"])) for task in (*TESTS, *trains))


def test_instructions_name_options_and_bounds(trains):
    for task in (*TESTS, *trains):
        for name, value in task.goal["goal_options"].items():
            assert f"{name}: {value}" in task.query
        upper = task.goal["price_upper"]
        assert upper == NO_BOUND or task.query.endswith(f", and price lower than {upper:.2f} dollars")
        assert 0 < task.goal["weight"] <= 1


def test_demonstrations_have_the_papers_numbers():
    for version, count in COUNTS.items():
        demos = demonstrations(version)
        assert (len(demos), len({demo.name for demo in demos})) == (count, count)
        assert all(demo.program.endswith("click[buy now]") for demo in demos)


def test_short_demonstrations_have_few_products_on_a_page():
    shown = [demo.program.count("[button] B0") for demo in demonstrations("short")]
    # A page of results comes up twice where another product is looked at.
    assert sum(shown) / len(shown) < 6
    with pytest.raises(ConfigError, match="version must be 'long' or 'short', got 'medium'"):
        demonstrations("medium")


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


def test_nouns_of_products_of_a_kind_meet(products):
    names = [product.title for product in products if product.query == "cat trees"]
    assert all({"cat", "tree"} <= set(nouns_of(name)) for name in names)
