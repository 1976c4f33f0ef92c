"""Original answer files: what they convert to, and that import then export gives them back."""

from __future__ import annotations

import json

import pytest

from stb_env.formats.imported import Origin
from stb_env.suites.stabletoolbench.answers import (
    answer_file,
    convert,
    converted_entry,
    is_answer,
    read_answer_file,
    read_json,
    read_name,
)
from stb_env.suites.stabletoolbench.answers.nodes import mark, size_of, write_nodes
from stb_env.suites.stabletoolbench.answers.tree import read_chains, read_tree
from stb_env.suites.stabletoolbench.converted_answers import is_converted, read_entry
from stb_env.trajectory import Trajectory
from tests.shared import golden_cases

ALTERNATIVES = ".invalid_alternatives"


def raw_files(shared_data):
    folders = [shared_data / "stabletoolbench" / "data" / "answers", shared_data / "toolbench" / "answer"]
    files = [file for folder in folders for file in sorted(folder.rglob("*.json"))]
    found = [(file, value) for file in files if is_answer(value := read_json(file))]
    if not found:
        pytest.skip(f"no original answer files below {shared_data}")
    return found


def read(file, value):
    name = read_name(file.stem)
    return read_answer_file(value, Origin(name.query_id, name.method))


def goldens(shared_data):
    """Yield each converted file with the raw files that it was made of: a folder named like it."""
    folders = {file.parent for file, _ in raw_files(shared_data)}
    for golden in sorted((shared_data / "stabletoolbench" / "golden" / "convert").glob("*/*.json")):
        if ALTERNATIVES in golden.name:
            continue
        places = [folder for folder in folders if folder.name == golden.stem]
        named = [folder for folder in places if folder.parent.name == golden.parent.name]
        for folder in named or places:
            yield golden, sorted(folder.glob("*.json"))


def test_golden_conversions_are_reproduced_to_the_byte(shared_data):
    compared = 0
    for golden, files in goldens(shared_data):
        expected = read_json(golden)
        for file in files:
            name = read_name(file.stem)
            if name.query_id in expected:
                got = convert(read_json(file), expected[name.query_id]["answer"]["method"])
                assert json.dumps(got) == json.dumps(expected[name.query_id]), file
                compared += 1
    if not compared:
        pytest.skip("no original answer file has a converted answer")


def test_golden_answers_that_are_none_convert_to_a_walk_that_the_original_may_take(shared_data):
    compared = 0
    for golden, files in goldens(shared_data):
        alternatives = golden.with_name(f"{golden.stem}{ALTERNATIVES}.json")
        cases = read_json(alternatives)["cases"] if alternatives.exists() else {}
        for file in files:
            case = cases.get(read_name(file.stem).query_id)
            if case is not None:
                entry = convert(read_json(file), case["alternatives"][0]["method"])
                assert entry["answer"] in case["alternatives"], file
                assert (entry["query"], entry["available_tools"]) == (case["query"], case["available_tools"])
                compared += 1
    if not compared:
        pytest.skip("the folder holds no answer file without an answer")


def test_golden_every_answer_file_has_a_conversion(shared_data):
    for golden, files in goldens(shared_data):
        known = set(read_json(golden))
        alternatives = golden.with_name(f"{golden.stem}{ALTERNATIVES}.json")
        known |= set(read_json(alternatives)["cases"]) if alternatives.exists() else set()
        assert {read_name(file.stem).query_id for file in files} <= known


def test_golden_import_then_export_gives_back_every_answer_file(shared_data):
    for file, value in raw_files(shared_data):
        saved = Trajectory.from_json(read(file, value).to_json())
        assert answer_file(saved) == value, file


def test_golden_an_episode_and_its_answer_file_convert_alike(shared_data):
    for file, value in raw_files(shared_data):
        method = read_name(file.stem).method
        assert converted_entry(read(file, value)) == convert(value, method), file


def test_golden_entries_of_converted_answers_come_back(shared_data):
    compared = 0
    for golden in sorted((shared_data / "stabletoolbench" / "golden" / "convert").glob("*/*.json")):
        value = read_json(golden)
        for query_id, entry in value.items() if is_converted(value) else ():
            assert converted_entry(read_entry(entry, Origin(query_id))) == entry, (golden, query_id)
            compared += 1
    if not compared:
        pytest.skip("no converted answers")


def test_golden_nodes_of_every_scripted_search_come_back(shared_data):
    for case in golden_cases(shared_data, "search/*.json", "script", "expected"):
        expected = case["expected"]
        if "tree" in expected:
            tree = {"nodes": read_tree(expected["tree"]["root"])}
            groups = write_nodes(tree, {})
            mark(tree, groups)
            assert without_state(groups[0][0]) == expected["tree"]["root"], case["name"]
            assert size_of(tree, groups).items() <= expected["tree"].items(), case["name"]
        else:
            chains = [attempt["chain"] for attempt in expected["trys"]]
            groups = write_nodes({"nodes": read_chains(chains, {})}, {})
            written = [without_state(raw) for group in groups[1:] for raw in group]
            assert [{**raw, "children": []} for raw in written] == [
                {**raw, "children": []} for chain in chains for raw in chain
            ], case["name"]


def without_state(raw):
    """Return nodes as the traces show them."""
    kept = {name: value for name, value in raw.items() if name != "io_state"}
    return kept | {"children": [without_state(below) for below in raw["children"]]}
