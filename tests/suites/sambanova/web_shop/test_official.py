"""WebShop's own product files, as a user has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import DataError
from stb_env.suites.sambanova.web_shop import shop_file
from stb_env.suites.sambanova.web_shop.env import make
from stb_env.suites.sambanova.web_shop.official import read_shop

PRODUCTS = [
    {
        "asin": f"B{number:09}",
        "category": "home",
        "query": "Tea Cups",
        "product_category": "Home › Kitchen › Cups",
        "name": f"Tea Cup Number {number}",
        "full_description": "A cup.",
        "small_description": "Light",
        "pricing": "$10",
        "images": [],
        "customization_options": {"Size": [{"value": "S"}, {"value": "M"}, {"value": "L"}], "Style": None},
    }
    for number in range(40)
]
ATTRIBUTES = {
    product["asin"]: {
        "attributes": ["light weight"],
        "instruction": f"i need tea cup {number}",
        "instruction_attributes": ["light weight"],
    }
    for number, product in enumerate(PRODUCTS[:38])
}
HUMAN = {
    PRODUCTS[0]["asin"]: [
        {
            "instruction": "give me a light cup of size m.",
            "instruction_attributes": ["light weight"],
            "instruction_options": ["m"],
        }
    ]
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(shop_file.platformdirs, "user_cache_path", lambda *_, **__: folder)
    return folder


def folder_of(folder: Path, products: Any = PRODUCTS, attributes: Any = ATTRIBUTES) -> Path:
    (folder / "items_shuffle_1000.json").write_text(json.dumps(products))
    (folder / "items_ins_v2_1000.json").write_text(json.dumps(attributes))
    (folder / "items_human_ins.json").write_text(json.dumps(HUMAN))
    return folder


def test_synthetic_goals_are_one_for_each_choice(tmp_path: Path):
    folder = folder_of(tmp_path)
    test, train = read_shop(folder), read_shop(folder, "train")
    assert (test.tasks.size, train.tasks.size) == (100, 38 * 3 - 100)
    assert [test.tasks.at(index).id for index in range(2)] == ["0", "1"]
    assert train.tasks.at(0).id == "100"
    assert {test.tasks.at(index).goal["asin"] for index in range(100)} <= set(ATTRIBUTES)
    assert read_shop(folder).tasks.hash == test.tasks.hash


@pytest.mark.parametrize("compat", [None, "original"])
def test_official_goals_are_played(tmp_path: Path, compat: Any):
    env = make(data=str(folder_of(tmp_path)), compat=compat)
    env.reset(seed=0, options={"task_id": "7"})
    goal = env.task.goal
    assert env.task.query.startswith(f"{ATTRIBUTES[goal['asin']]['instruction']} with size: ")
    env.step(f"search[{goal['name']}]")
    env.step(f"click[{goal['asin']}]")
    env.step(f"click[{goal['goal_options']['size']}]")
    assert env.step("click[Buy Now]")[1:3] == (1.0, True)


def test_human_goals_are_played(tmp_path: Path):
    env = make(data=folder_of(tmp_path), goals="human")
    assert env.tasks.size == 1
    env.reset(seed=0)
    assert env.task.query.startswith("give me a light cup of size m, and price lower than ")
    for action in ("search[cup number 0]", f"click[{PRODUCTS[0]['asin']}]", "click[m]"):
        env.step(action)
    assert env.step("click[buy now]")[1] == 1.0


def test_a_test_file_names_the_goals(tmp_path: Path):
    folder = folder_of(tmp_path)
    (folder / "test.jsonl").write_text('{"id": 5}\n\n{"id": 2}\n')
    tasks = read_shop(folder).tasks
    assert [tasks.at(index).id for index in range(tasks.size)] == ["5", "2"]
    assert read_shop(folder, "train").tasks.size == 38 * 3 - 2


def test_products_that_the_original_skips_are_skipped(tmp_path: Path):
    odd = [{"asin": "nan", "name": "x"}, {"asin": "B" * 11, "name": "x"}, PRODUCTS[0]]
    assert len(read_shop(folder_of(tmp_path, [*PRODUCTS, *odd])).supply) == 40


@pytest.mark.parametrize(
    ("products", "attributes", "message"),
    [
        ({}, ATTRIBUTES, r"items_shuffle\*\.json must be a list"),
        ([1], ATTRIBUTES, "product 0 is no object"),
        ([{"asin": "B1"}], ATTRIBUTES, "product 0: a product needs an asin and a name"),
        (PRODUCTS, {}, "has no synthetic goals for its products"),
        ([], ATTRIBUTES, "a shop needs at least one product"),
    ],
)
def test_broken_files_are_errors(tmp_path: Path, products: Any, attributes: Any, message: str):
    with pytest.raises(DataError, match=message):
        read_shop(folder_of(tmp_path, products, attributes))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is no JSON"),
        ('{"id": 1000}', "line 1 needs an id from 0 to 113, got 1000"),
        ("[]", "got None"),
    ],
)
def test_a_broken_test_file_is_an_error(tmp_path: Path, line: str, message: str):
    folder = folder_of(tmp_path)
    (folder / "test.jsonl").write_text(line)
    with pytest.raises(DataError, match=message):
        read_shop(folder)


def test_a_file_that_is_no_json_is_an_error(tmp_path: Path):
    folder = folder_of(tmp_path)
    (folder / "items_human_ins.json").write_text("{")
    with pytest.raises(DataError, match=r"items_human_ins\.json is no JSON"):
        read_shop(folder, goals="human")
