"""Official query files, as they are and as they should not be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stb_env.errors import DataError
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


def test_every_real_query_keeps_all_its_apis_and_relevant_pairs(shared_data: Path):
    for file in load(queries(shared_data)).files:
        records = {str(r["query_id"]): r for r in json.loads(file.read_text(encoding="utf-8"))}
        for task in load(file).tasks:
            raw = records[task.id]
            assert len(task.tools) == len(raw["api_list"])
            assert len(task.relevant) == len({tuple(pair) for pair in raw["relevant APIs"]})
            assert set(task.relevant) <= {tool.id for tool in task.tools}


def test_toolbench_instruction_files_load_too(shared_data: Path):
    for file in found(shared_data, "toolbench/instruction/*.json"):
        loaded = load(file)
        assert loaded.problems == []
        assert len(loaded.tasks) == len(json.loads(file.read_text(encoding="utf-8")))


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


def test_minimal_records_load(tmp_path: Path):
    file = write(tmp_path, [{"query": ["one"], "api_list": [API]}, {"query": "open domain", "query_id": 5}])
    first, second = load(file, strict=True).tasks
    assert (first.id, first.query, len(first.tools)) == ("0", "one", 1)
    assert (second.id, second.tools) == ("5", ())


BAD = [
    ([3], r"record 0, record: expected an object, got int"),
    ([record(query="  ")], r"record 0, query: expected a non-empty text, got '  '"),
    ([record(query=["a", "b"])], r"record 0, query: expected a non-empty text, got \['a', 'b'\]"),
    ([record(), record()], r"record 1, query_id: id 7 occurs more than once; the first is kept"),
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
