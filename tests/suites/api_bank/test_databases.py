"""Reading databases and dialogues from files."""

from __future__ import annotations

import json
import pickle

import pytest

from stb_env.errors import DataError
from stb_env.suites.api_bank.databases import (
    FROZEN,
    LIBRARY,
    TABLES,
    Databases,
    embedded,
    frozen_answers,
    read_databases,
)
from stb_env.suites.api_bank.formats.dialogues import GoldCall, Utterance, read_dialogues, read_level3
from stb_env.suites.api_bank.search_engine import SearchIndex, words
from stb_env.suites.api_bank.world import ApiBankWorld
from tests.suites.api_bank.play import WORLD, play


def write(folder, name, value):
    (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")


def test_a_folder_of_databases_is_read_and_what_it_lacks_is_listed(tmp_path):
    folder = tmp_path / "init_database"
    folder.mkdir()
    write(folder, "Stock", {"ABC": {"2023-01-01": 5}})
    write(folder, "Notes", [])
    databases = read_databases(tmp_path)
    assert databases == read_databases(folder)
    assert "Stock" not in databases.missing
    assert "Account" in databases.missing
    price = play(
        ("QueryStock", {"stock_code": "abc", "date": "2023-1-1"}), world=ApiBankWorld(databases=databases)
    )
    assert price.response == 5


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("Account", [], r"^database Account: expected an object, got list$"),
        ("ImageCaptioning", {}, r"^database ImageCaptioning: expected a list, got dict$"),
        (
            "Account",
            {"a": {"password": "x"}},
            r"^database Account, 'a': expected token, email, got \{'password': 'x'\}$",
        ),
        (
            "Scenes",
            {"a": [{"name": "x"}]},
            r"^database Scenes, 'a': expected description, got \{'name': 'x'\}$",
        ),
        ("Scenes", {"a": "x"}, r"^database Scenes, 'a': expected name, description, got 'x'$"),
        (
            "Reminder",
            {"x": {"content": "", "time": "", "username": ""}},
            r"^database Reminder: expected a number as key, got 'x'$",
        ),
    ],
)
def test_a_database_of_another_shape_is_refused(tmp_path, name, value, text):
    write(tmp_path, name, value)
    with pytest.raises(DataError, match=text):
        read_databases(tmp_path)


def test_a_folder_without_databases_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"holds none of API-Bank's databases; give the folder init_database"):
        read_databases(tmp_path)
    (tmp_path / "Bank.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"Bank\.json: not readable as JSON"):
        read_databases(tmp_path)


def test_every_embedded_database_holds_something():
    databases = embedded()
    assert databases.missing == ()
    assert all(databases.tables[name] for name in TABLES)
    assert all(databases.library[name] for name in (*LIBRARY, *FROZEN))


def test_a_state_is_small_to_save_and_comes_back_equal():
    state = WORLD.fresh(7)
    saved = pickle.dumps(state)
    assert pickle.loads(saved) == state
    assert len(saved) < 20_000


def test_frozen_answers_are_added_to_those_that_are_there():
    calls = [
        GoldCall("Dictionary", {"keyword": "Slow_worm"}, {"output": [1]}),
        GoldCall("Dictionary", {"keyword": "slow worm"}, {"output": [2]}),
        GoldCall("Dictionary", {"keyword": "none"}, {"output": None}),
        GoldCall("Translate", {"src": "hi", "tgt_lang": "fr"}, {"output": "salut"}),
        GoldCall("Translate", {"src": "hi", "tgt_lang": "klingon"}, {"output": "x"}),
        GoldCall("Wiki", {"keyword": "a"}, {"output": {}}),
    ]
    world = ApiBankWorld(databases=embedded().with_frozen(frozen_answers(calls)))
    assert play(("Dictionary", {"keyword": " slow worm"}), world=world).response == [1]
    assert play(("Translate", {"src": "hi", "tgt_lang": "French"}), world=world).response == "salut"
    assert play(("Translate", {"src": "Good morning", "tgt_lang": "fr"}), world=world).response == "Bonjour"
    assert world.fingerprint["databases"] != WORLD.fingerprint["databases"]
    assert Databases.of({}).library["Dictionary"] == {}


def test_a_common_word_weighs_a_quarter_of_the_mean():
    texts = ["a b", "a c", "a d"]
    index = SearchIndex.of([{"title": text} for text in texts], [words(text) for text in texts])
    rare = index.weights["b"]
    common = -1.9459101490553132
    assert index.weights["a"] == pytest.approx(0.25 * (common + 3 * rare) / 4)


TODAY = {"api_name": "GetToday", "input": None, "output": "2023-03-31", "exception": None}
ITEMS = [
    {"role": "User", "text": "Hi"},
    {"role": "API", "api_name": "GetToday", "param_dict": {}, "result": TODAY},
    {"role": "AI", "text": "It is."},
]


def dialogue(root, text):
    folder = root / "level-1-given-desc"
    folder.mkdir()
    (folder / "GetToday-level-1-1.jsonl").write_text(text, encoding="utf-8")
    return root


def test_a_dialogue_is_read_item_by_item(tmp_path):
    (read,) = read_dialogues(dialogue(tmp_path, "\n".join(map(json.dumps, ITEMS))))
    assert (read.name, read.level) == ("GetToday-level-1-1", 1)
    assert read.items == (Utterance("User", "Hi"), *read.calls, Utterance("AI", "It is."))
    assert read.calls == (GoldCall("GetToday", {}, TODAY),)


def test_an_empty_file_is_a_dialogue_without_items(tmp_path):
    assert read_dialogues(dialogue(tmp_path, ""))[0].items == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"level-1-1\.jsonl, line 1: no item of a dialogue: JSONDecodeError"),
        (
            '{"role": "User", "text": "a"}\n{"role": "Bot"}',
            r"line 2: .*role must be User, AI or API, got 'Bot'",
        ),
        ('{"role": "API", "api_name": "X"}', r"line 1: no item of a dialogue: KeyError\('param_dict'\)"),
        ("[]", r"line 1: no item of a dialogue: TypeError"),
    ],
)
def test_a_broken_dialogue_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_dialogues(dialogue(tmp_path, text))


def test_a_folder_without_dialogues_is_refused(tmp_path):
    with pytest.raises(
        DataError, match=r"holds no API-Bank dialogues; give the folder that holds level-1-given"
    ):
        read_dialogues(tmp_path)


def test_level_3_dialogues_are_read_as_requirement_calls_and_response(tmp_path):
    api = {"api_name": "GetToday", "input": {"a": 1}, "output": TODAY}
    write(tmp_path, "level-3", [{"requirement": "r", "response": "s", "apis": [api]}])
    (read,) = read_level3(tmp_path / "level-3.json")
    assert (read.name, read.level) == ("level-3-000", 3)
    assert read.items == (Utterance("User", "r"), GoldCall("GetToday", {"a": 1}, TODAY), Utterance("AI", "s"))


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"requirement": "r"}], r"is no list of level 3 dialogues: KeyError\('apis'\)"),
        ({"a": 1}, r"is no list of level 3 dialogues: TypeError"),
        (
            [
                {
                    "requirement": "r",
                    "apis": [{"api_name": "X", "input": {}, "output": {"input": {}, "output": 1}}],
                }
            ],
            r"a result has input, output and exception; this one lacks exception",
        ),
    ],
)
def test_a_broken_level_3_file_is_refused(tmp_path, records, message):
    write(tmp_path, "level-3", records)
    with pytest.raises(DataError, match=message):
        read_level3(tmp_path / "level-3.json")


def test_a_missing_level_3_file_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"is no list of level 3 dialogues: FileNotFoundError"):
        read_level3(tmp_path / "level-3.json")
