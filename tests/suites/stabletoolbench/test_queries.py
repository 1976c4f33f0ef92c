"""Official query files, as they are and as they should not be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.cache import CacheEntry, ResponseCache
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.api_entry import api_id
from stb_env.suites.stabletoolbench.env import make
from stb_env.suites.stabletoolbench.queries import GROUPS, load
from tests.shared import found, queries

API = {"category_name": "Data", "tool_name": "Films", "api_name": "Film"}


def write(folder: Path, records: Any, stem: str = "G1_instruction", below: str = "") -> Path:
    target = folder / below
    target.mkdir(parents=True, exist_ok=True)
    file = target / f"{stem}.json"
    file.write_text(records if isinstance(records, str) else json.dumps(records), encoding="utf-8")
    return file


def record(**more: Any) -> dict[str, Any]:
    return {
        "query": "Which film?",
        "query_id": 7,
        "api_list": [API],
        "relevant APIs": [["Films", "Film"]],
    } | more


def test_every_real_query_loads_without_a_problem(shared_data: Path):
    root = queries(shared_data)
    loaded = load(root, strict=True)
    raw = [json.loads(file.read_text(encoding="utf-8")) for file in loaded.files]
    assert len(loaded.tasks) == sum(len(records) for records in raw) > 0
    assert loaded.problems == []
    cut = sum(
        isinstance(api.get("template_response"), str)
        for records in raw
        for r in records
        for api in r["api_list"]
    )
    assert loaded.cut_templates == cut


@pytest.mark.heavy
def test_every_real_query_keeps_all_its_apis_and_relevant_pairs(shared_data: Path):
    for file in load(queries(shared_data)).files:
        records = {str(r["query_id"]): r for r in json.loads(file.read_text(encoding="utf-8"))}
        for task in load(file).tasks:
            raw = records[task.id]
            assert len(task.tools) == len(raw["api_list"])
            assert len(task.relevant) == len({tuple(pair) for pair in raw["relevant APIs"]})
            assert set(task.relevant) <= {tool.id for tool in task.tools}


def test_instruction_files_of_toolllm_load_too(shared_data: Path):
    for file in found(shared_data, "toolbench/instruction/*.json"):
        loaded = load(file)
        records = json.loads(file.read_text(encoding="utf-8"))
        without_apis = [index for index, raw in enumerate(records) if not raw.get("api_list")]
        assert [(problem.index, problem.field) for problem in loaded.problems] == [
            (index, "api_list") for index in without_apis
        ]
        assert len(loaded.tasks) == len(records) - len(without_apis)


@pytest.mark.parametrize(
    "below", ["", "test_instruction", "solvable_queries/test_instruction", "G1_instruction"]
)
def test_a_group_is_found_in_every_layout(tmp_path: Path, below: str):
    write(tmp_path, [record()], below=below)
    assert [task.id for task in load(tmp_path, "I1-Instruction").tasks] == ["7"]


def test_the_id_file_beside_the_records_chooses_among_them(tmp_path: Path):
    write(tmp_path, [record(query_id=1), record(query_id=2)], below="test_instruction")
    write(tmp_path, {"2": 0, "3": 0}, below="test_query_ids")
    loaded = load(tmp_path, "I1-Instruction")
    assert [task.id for task in loaded.tasks] == ["2"]
    assert "id 3 is in the id file but no record has it" in str(loaded.problems[0])


def test_a_minimal_record_loads(tmp_path: Path):
    (task,) = load(write(tmp_path, [{"query": ["one"], "api_list": [API]}]), strict=True).tasks
    assert (task.id, task.query, len(task.tools)) == ("0", "one", 1)


def test_an_api_that_is_listed_twice_is_offered_once(tmp_path: Path):
    again = {**API, "api_name": "film", "required_parameters": []}
    (task,) = load(write(tmp_path, [record(api_list=[API, API, again])]), strict=True).tasks
    assert [tool.record for tool in task.tools] == [API]


OPTION = r"; retrieve=K \(--retrieve K\) finds K of them for such a query$"
BAD = [
    ([3], r"record 0, record: expected an object, got int"),
    ([record(query="  ")], r"record 0, query: expected a non-empty text, got '  '"),
    ([record(query=["a", "b"])], r"record 0, query: expected a non-empty text, got \['a', 'b'\]"),
    ([record(), record()], r"record 1, query_id: id 7 occurs more than once; the first is kept"),
    (
        [record(query_id="")],
        r"record 0, query_id: expected a number or a non-empty text, got ''$",
    ),
    (
        [record(query_id=None)],
        r"record 0, query_id: expected a number or a non-empty text, got None$",
    ),
    (
        [{"query": "q"}],
        r"record 0, api_list: expected at least one API to call, got none" + OPTION,
    ),
    (
        [record(api_list=[])],
        r"record 0, api_list: expected at least one API to call, got \[\]" + OPTION,
    ),
    (
        [record(api_list=[{"category_name": "", "tool_name": "!", "api_name": "?"}])],
        r"record 0, api_list\[0\]: nothing is left of its category, tool and API name once standardised$",
    ),
    (
        [record(api_list=[API, {**API, "api_name": "film", "required_parameters": [{"name": "year"}]}])],
        r"record 0, api_list\[1\]: an earlier entry has other parameters under the same "
        r"ToolId\(category='Data', tool='films', api='film'\); make them one$",
    ),
    (
        [record(), record(query_id=8, api_list=[{**API, "optional_parameters": [{"name": "year"}]}])],
        r"record 1, api_list\[0\]: an earlier entry has other parameters under the same ToolId\(.*\); make",
    ),
    ([record(api_list={})], r"record 0, api_list: expected a list, got dict"),
    ([record(api_list=["x"])], r"record 0, api_list\[0\]: expected an object, got str"),
    (
        [record(api_list=[{**API, "tool_name": 5}])],
        r"record 0, api_list\[0\]\.tool_name: expected a text, got 5",
    ),
    (
        [record(api_list=[{**API, "required_parameters": [{"type": "STRING"}]}])],
        r"record 0, api_list\[0\]\.required_parameters: expected a list of objects that have a text 'name'",
    ),
    (
        [record(**{"relevant APIs": [["Films", "Gone"]]})],
        r"record 0, relevant APIs: \['Films', 'Gone'\] is not among",
    ),
]


@pytest.mark.parametrize(("records", "message"), BAD)
def test_a_bad_record_is_reported_with_file_index_and_field(tmp_path: Path, records: list, message: str):
    file = write(tmp_path, records)
    (problem,) = load(file).problems
    assert problem.file == str(file)
    with pytest.raises(DataError, match=message):
        load(file, strict=True)


def test_good_records_survive_bad_neighbours(tmp_path: Path):
    loaded = load(write(tmp_path, [3, record(query_id=8), record(query=None)]))
    assert [task.id for task in loaded.tasks] == ["8"]
    assert len(loaded.problems) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "expected a JSON list of query records, got dict"),
        ("[", "not readable as JSON"),
        ("[" * 99_999, "not"),
    ],
)
def test_a_file_that_is_no_list_is_refused(tmp_path: Path, text: str, message: str):
    with pytest.raises(DataError, match=message):
        load(write(tmp_path, text))


def test_a_folder_without_query_files_says_where_it_looked(tmp_path: Path):
    with pytest.raises(DataError, match=r"no G1_tool\.json in .* or its folders test_instruction, "):
        load(tmp_path, "I1-Tool")


def test_a_missing_path_says_what_data_takes(tmp_path: Path):
    with pytest.raises(
        DataError, match=r"does not exist; --data takes a query file or the folder solvable_queries"
    ):
        load(tmp_path / "nowhere")


def test_an_unknown_group_is_answered_with_the_nearest(tmp_path: Path):
    with pytest.raises(
        DataError, match=r"unknown group 'I1-Instructions'; .* Did you mean 'I1-Instruction'\?"
    ):
        load(tmp_path, "I1-Instructions")


def test_the_package_ships_queries_for_every_group():
    from importlib.resources import as_file, files

    with as_file(files("stb_env.suites.stabletoolbench") / "embedded") as folder:
        for group in GROUPS:
            loaded = load(folder, group, strict=True)
            assert len(loaded.tasks) >= 2
            assert all(task.relevant for task in loaded.tasks)


MEETING = [{**API, "category_name": "Media"}, {**API, "category_name": "Events"}]


def test_apis_whose_original_names_meet_get_names_of_their_own(tmp_path: Path):
    (task,) = load(write(tmp_path, [record(api_list=MEETING)])).tasks
    assert len({tool.name for tool in task.tools}) == 2


def test_in_compatibility_mode_the_first_api_of_a_name_is_the_one_that_is_called(tmp_path: Path):
    cache = ResponseCache()
    for entry in MEETING:
        answer = CacheEntry.of(api_id(entry), {}, f"from {entry['category_name']}")
        cache.put(answer.key, answer)
    file = write(tmp_path, [record(api_list=MEETING)])
    env = make("I1-Instruction", file, cache, "replay", judge="heuristic", compat="original")
    _, info = env.reset(seed=0)
    shown = [spec["function"]["name"] for spec in info["tools"]]
    assert shown == ["film_for_films", "film_for_films", "Finish"]
    *_, info = env.step({"name": "film_for_films", "arguments": {}})
    assert info["calls"][0]["response"] == "from Media"


def test_in_compatibility_mode_a_name_keeps_what_the_original_leaves_in_it(tmp_path: Path):
    file = write(tmp_path, [record(api_list=[{**API, "api_name": "天气^now"}])])
    names = [load(file, compat=compat).tasks[0].tools[0].name for compat in (None, "original")]
    assert names == ["now_for_films_453cb346", "天气^now_for_films"]


@pytest.mark.heavy
def test_compatibility_mode_gives_the_original_names(shared_data: Path):
    goldens = found(shared_data, "stabletoolbench/golden/openai_functions_*.jsonl")
    lines = [
        json.loads(line)
        for golden in goldens
        for line in golden.read_text(encoding="utf-8").splitlines()
        if not golden.name.endswith(".flat.jsonl")
    ]
    for file in found(shared_data, "stabletoolbench/solvable_queries/test_instruction/*.json"):
        tasks = {task.id: task for task in load(file, compat="original").tasks}
        for case in (line for line in lines if line["group"] == file.stem):
            if str(case["query_id"]) in tasks:
                shown = [json.loads(tool.spec) for tool in tasks[str(case["query_id"])].tools]
                assert shown == case["functions"]
