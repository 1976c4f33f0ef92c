"""WebShop's own product files, as a user has them."""

from __future__ import annotations

import json
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import DataError
from stb_env.suites.sambanova.web_shop import json_stream, shop_file
from stb_env.suites.sambanova.web_shop.env import make
from stb_env.suites.sambanova.web_shop.goals import SyntheticGoals
from stb_env.suites.sambanova.web_shop.official import official_catalogue, read_shop

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
        ({}, ATTRIBUTES, r"items_shuffle_1000\.json must hold a list"),
        ([1], ATTRIBUTES, "product 0 is no object"),
        ([{"asin": "B1"}], ATTRIBUTES, "product 0: a product needs an asin and a name"),
        (PRODUCTS, [], r"items_ins_v2_1000\.json must hold an object"),
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


def test_a_shop_is_indexed_once_and_again_when_its_files_change(tmp_path: Path, own_cache: Path):
    folder = folder_of(tmp_path)
    read_shop(folder)
    (first,) = own_cache.glob("web_shop/*.sqlite")
    stamp = first.stat().st_mtime_ns
    assert len(read_shop(folder).supply) == 40
    assert [file.stat().st_mtime_ns for file in own_cache.glob("web_shop/*.sqlite")] == [stamp]
    assert len(read_shop(folder_of(tmp_path, PRODUCTS[:39])).supply) == 39
    assert len(list(own_cache.glob("web_shop/*.sqlite"))) == 2


def test_broken_files_leave_nothing_behind(tmp_path: Path, own_cache: Path):
    with pytest.raises(DataError, match="product 1 is no object"):
        read_shop(folder_of(tmp_path, [PRODUCTS[0], 1]))
    assert [file.suffix for file in (own_cache / "web_shop").iterdir()] == [".lock"]


def test_goals_are_those_of_the_originals_shuffle(tmp_path: Path):
    goals = SyntheticGoals(official_catalogue(folder_of(tmp_path)))
    listed = [(product["asin"], size) for product in PRODUCTS[:38] for size in "sml"]
    random.Random(233).shuffle(listed)
    assert [(goal["asin"], goal["goal_options"]["size"]) for goal in goals] == listed
    assert goals[0]["weight"] == 1 / (38 * 3)


def test_official_tasks_travel_to_other_processes(tmp_path: Path):
    tasks = read_shop(folder_of(tmp_path), "train").tasks
    copy = pickle.loads(pickle.dumps(tasks))
    assert (copy.hash, copy.at(7)) == (tasks.hash, tasks.at(7))


@pytest.mark.parametrize("task_id", ["5", "114", "-1", "x", "9" * 30])
def test_an_unknown_official_task_is_an_error(tmp_path: Path, task_id: str):
    with pytest.raises(DataError, match=r"no train task .*; ids are numbers below 114"):
        read_shop(folder_of(tmp_path), "train").tasks.get(task_id)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1 << 20])
def test_json_is_read_alike_in_chunks_of_any_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int):
    monkeypatch.setattr(json_stream, "_CHUNK", size)
    values = [1.5, -20, True, None, 'a "[{,\u00e9', [], {}, {"x": [1, {"y": 12345}]}]
    file = tmp_path / "values.json"
    file.write_text(json.dumps(values, indent=1) + "\n")
    assert list(json_stream.items(file)) == values
    file.write_text(json.dumps({str(number): value for number, value in enumerate(values)}))
    assert [value for _, value in json_stream.members(file)] == values


@pytest.mark.parametrize("text", ["", "[", "[1", "[1,", "[1 2]", "[1,]", "[nope]", "[" * 100_000, '["a]'])
def test_json_that_is_cut_off_is_an_error(tmp_path: Path, text: str):
    file = tmp_path / "values.json"
    file.write_text(text)
    with pytest.raises(DataError, match=r"values\.json (is no JSON|must hold a list)"):
        list(json_stream.items(file))
