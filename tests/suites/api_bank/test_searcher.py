"""ToolSearcher on small records, and on every search that the dialogues record."""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import DataError
from stb_env.retrieval import BM25Retriever
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.searcher import ToolSearcher, frozen_searches, search_text, spaced
from tests.shared import found

Record = Mapping[str, Any]


def record(name: str, description: str, *inputs: str) -> Record:
    parameters = {key: {"type": "str", "description": ""} for key in inputs}
    return {
        "name": name,
        "description": description,
        "input_parameters": parameters,
        "output_parameters": {},
    }


LOGIN = record("GetUserToken", "Log in.", "username", "password")
AGENDA = record("QueryAgenda", "Read what is on the agenda.", "token")
ALARM = record("AddAlarm", "Set an alarm clock.", "token", "time")
STOCK = record("QueryStock", "Price of a share.", "code")
SEARCHER = record("ToolSearcher", "Searches for tools.", "keywords")
RECORDS = [SEARCHER, LOGIN, AGENDA, ALARM, STOCK]


def names(output: Any) -> list[str]:
    return [each["name"] for each in (output if isinstance(output, list) else [output])]


def test_an_api_without_a_token_comes_alone():
    assert ToolSearcher(RECORDS)("share price") == STOCK


def test_an_api_with_a_token_comes_after_the_one_that_gives_it():
    search = ToolSearcher(RECORDS)
    assert search("alarm clock") == [{**LOGIN, "desc_for_search": "get user tokenLog in."}, ALARM]


def test_the_api_that_gives_tokens_comes_alone():
    assert ToolSearcher(RECORDS)("log in") == LOGIN


def test_without_an_api_that_gives_tokens_every_result_is_one_object():
    assert ToolSearcher([AGENDA, STOCK])("agenda") == AGENDA


@pytest.mark.parametrize("keywords", ["QueryStock", "Query Stock", "querystock", " query  stock "])
def test_an_exact_name_wins_whatever_its_blanks_and_capitals(keywords: str):
    rival = record("QueryStockQuery", "Query stock query stock.", "code")
    assert names(ToolSearcher([rival, STOCK])(keywords)) == ["QueryStock"]


def test_frozen_keywords_find_what_was_recorded():
    search = ToolSearcher(RECORDS, frozen={"Alarm  clock": "QueryStock"})
    assert names(search("alarm clock")) == ["QueryStock"]


def test_frozen_keywords_of_an_api_that_is_not_there_are_searched():
    search = ToolSearcher(RECORDS, frozen={"alarm clock": "DeleteAlarm"})
    assert names(search("alarm clock")) == ["GetUserToken", "AddAlarm"]


def test_the_searcher_does_not_find_itself():
    found = ToolSearcher(RECORDS).find("ToolSearcher, searches for tools")
    assert found is None or found["name"] != "ToolSearcher"
    assert ToolSearcher([SEARCHER]).find("tools") is None


def test_keywords_that_resemble_nothing_are_refused():
    with pytest.raises(
        ApiError, match=r"^no API resembles 'zzz'; describe in a few words what it should do$"
    ):
        ToolSearcher(RECORDS)("zzz")


def test_of_equal_matches_the_first_is_found():
    twin = {**STOCK, "name": "Query_Stock"}
    assert ToolSearcher([twin, {**twin, "name": "query_stock"}])("share")["name"] == "Query_Stock"


def test_results_are_new_objects_each_time():
    search = ToolSearcher(RECORDS)
    found = search("share price")
    assert isinstance(found, dict)
    found["input_parameters"].clear()
    assert search("share price") == STOCK


def test_another_retriever_reads_the_originals_texts():
    seen: list[str] = []

    def build(texts: Any) -> BM25Retriever:
        seen.extend(texts)
        return BM25Retriever(texts)

    assert names(ToolSearcher(RECORDS, retriever=build)("price share")) == ["QueryStock"]
    assert seen == [search_text(each) for each in RECORDS[1:]]


def test_a_record_without_a_description_is_refused():
    with pytest.raises(DataError, match=r"^an API record needs 'description', got \['name'\]$"):
        ToolSearcher([{"name": "QueryStock"}])


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [("QueryMeeting", "Query Meeting"), ("DocumentQA", "Document Q A"), ("a b", "a b")],
)
def test_level_3_keywords_get_blanks(keywords: str, expected: str):
    assert spaced(keywords) == expected


@dataclass(frozen=True)
class Gold:
    """Recorded searches of a level with the APIs that they chose among."""

    searches: list[tuple[str, Any]]
    records: list[Record]

    def found(self, search: ToolSearcher, keywords: Any = str) -> int:
        pairs = ((search.find(keywords(asked)), names(output)[-1]) for asked, output in self.searches)
        return sum(found is not None and found["name"] == wanted for found, wanted in pairs)

    @property
    def table(self) -> dict[str, str]:
        return frozen_searches(dict(self.searches))


@pytest.fixture(scope="module")
def level_2(shared_data: Path) -> Gold:
    calls = list(_calls(shared_data / "api_bank" / "lv1-lv2-samples"))
    if not calls:
        pytest.skip("no level-2 dialogues")
    searches = [
        (call["param_dict"]["keywords"], call["result"]["output"])
        for call in calls
        if call["api_name"] == "ToolSearcher"
    ]
    if not searches:
        pytest.skip("no recorded searches of level 2")
    recorded = {each["name"]: each for _, output in searches for each in _as_list(output)}
    called = {call["api_name"] for call in calls} - {"ToolSearcher"}
    known = _documented(shared_data / "api_bank" / "all_apis.csv") | recorded
    return Gold(searches, [known[name] for name in sorted((called & known.keys()) | recorded.keys())])


@pytest.fixture(scope="module")
def level_3(shared_data: Path) -> Gold:
    files = found(shared_data, "api_bank/level-3/*.json")
    items = [item for file in files for item in json.loads(file.read_text(encoding="utf-8"))]
    calls = [call for item in items for call in item["apis"]]
    searches = [
        (call["input"]["keywords"], call["output"]["output"])
        for call in calls
        if call["api_name"] == "ToolSearcher"
    ]
    records = {output["name"]: output for _, output in searches}
    return Gold(searches, [records[name] for name in sorted(records)])


def _calls(folder: Path) -> Iterator[Mapping[str, Any]]:
    for file in sorted(folder.rglob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            item = json.loads(line) if line.strip() else {}
            if item.get("role") == "API":
                yield item


def _documented(table: Path) -> dict[str, Record]:
    """Read the table's documentation: assignments of literals, never executed."""
    records: dict[str, Record] = {}
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                statements = ast.parse(row["api_info"]).body
            except SyntaxError:
                continue
            said: dict[str, Any] = {"name": row["类名"], "input_parameters": {}, "output_parameters": {}}
            for node in statements:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    said[node.targets[0].id] = ast.literal_eval(node.value)
            if "description" in said:
                records[said["name"]] = said
    return records


def _as_list(output: Any) -> list[Record]:
    return output if isinstance(output, list) else [output]


def test_the_frozen_table_finds_every_golden_level_2_result(level_2: Gold):
    assert level_2.found(ToolSearcher(level_2.records, level_2.table)) == len(level_2.searches)


@pytest.mark.parametrize("keywords", [str, spaced])
def test_golden_keywords_that_are_the_name_of_what_was_found_find_it_without_a_table(
    level_2: Gold, level_3: Gold, keywords: Any
):
    for gold in (level_2, level_3):
        named = [(asked, output) for asked, output in gold.searches if is_name(asked, output)]
        assert replace(gold, searches=named).found(ToolSearcher(gold.records), keywords) == len(named)


def is_name(keywords: str, output: Any) -> bool:
    return keywords.replace(" ", "").lower() == names(output)[-1].lower()


def test_golden_keywords_that_are_unseen_find_more_than_chance_does(level_2: Gold):
    by_chance = len(level_2.searches) / len(level_2.records)
    assert level_2.found(ToolSearcher(level_2.records)) >= by_chance


def test_golden_results_keep_their_shape_and_search_text(level_2: Gold):
    search = ToolSearcher(level_2.records, level_2.table)
    for keywords, output in level_2.searches:
        found = search(keywords)
        assert isinstance(found, list) == isinstance(output, list)
        assert [list(each) for each in _as_list(found)] == [list(each) for each in _as_list(output)]
        if isinstance(output, list):
            assert _as_list(found)[0] == output[0]
