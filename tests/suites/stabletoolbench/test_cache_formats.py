"""Import and export of recorded calls: the official layout, MirrorAPI-Bench, original answer files."""

import csv
import json
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache
from stb_env.errors import ConfigError
from stb_env.formats.recorded_answer import Notes
from stb_env.suites.stabletoolbench import mirrorapi_bench as mirrorapi
from stb_env.suites.stabletoolbench.cache_export import export_folder
from stb_env.suites.stabletoolbench.cache_folder import read_key, write_key
from stb_env.suites.stabletoolbench.cache_import import import_source
from stb_env.suites.stabletoolbench.provenance import FILE as PROVENANCE
from stb_env.tools import ToolId
from tests.shared import found, objects

ADD = ToolId("Tools", "calc_tool", "add_numbers")
TEXT = st.text(st.characters(), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(TEXT, VALUES, max_size=4)


def write(file, value):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def official(root, answers, category="Tools", tool="calc_tool", api="add_numbers"):
    return write(root / category / f"{tool}_for_{category}" / f"{api}.json", answers)


def imported(source, **options):
    cache = ResponseCache()
    return cache, import_source(cache, source, **options).to_dict()


def found_in(cache, identity, arguments):
    entry = cache.entry(CallKey(identity, arguments))
    return entry and entry.response


# The official layout.


def test_the_official_layout_is_read_in_both_spellings_of_arguments(tmp_path):
    official(
        tmp_path,
        {
            "{'a': 1, 'b': 'x'}": {"error": "", "response": {"sum": 3}},
            '{"a": 2}': {"error": "", "response": "json"},
            "{}": {"error": "", "response": "empty"},
            "{'t': True, 'n': None, 'z': 1.0, 's': \"it's\"}": {"error": "", "response": "python"},
            "[1]": {"error": "", "response": "list"},
            "None": {"error": "", "response": "null"},
            "bare text": {"error": "e", "response": "text", "time": 3},
        },
    )
    cache, report = imported(tmp_path)
    assert (report["entries_read"], report["entries_added"], report["not_object"]) == (7, 7, 3)
    assert report["files"] == {"official": 1}
    assert report["by_source"] == {"unknown": 7}
    assert found_in(cache, ADD, {"b": "x", "a": "1"}) == {"sum": 3}
    assert found_in(cache, ADD, {"a": 2.0}) == "json"
    assert found_in(cache, ADD, "") == "empty"
    assert found_in(cache, ADD, '{"s": "it\'s", "z": 1, "n": null, "t": true}') == "python"
    assert found_in(cache, ADD, "[1]") == "list"
    assert found_in(cache, ADD, "null") == "null"
    assert cache.get(CallKey(ADD, "bare text")) == (
        '{"error": "e", "response": "text"}',
        "e",
        "unknown",
        "exact",
    )


def test_what_is_broken_in_the_official_layout_is_reported_and_never_fatal(tmp_path):
    official(
        tmp_path,
        {"{}": {"error": "", "response": "good"}, "{'a': 1}": "text", "{'a': 2}": [1], "{'a': 3}": {}},
    )
    official(tmp_path, "{ not json", api="broken")
    official(tmp_path, [1, 2], api="list")
    official(tmp_path, "[" * 100_000, api="deep")
    (official(tmp_path, "", api="bytes")).write_bytes(b"\xff\xfe")
    cache, report = imported(tmp_path)
    assert report["entries_added"] == len(cache) == 1
    assert report["unreadable_total"] == 7
    reasons = {problem["file"].rsplit("/", 1)[1]: problem["reason"] for problem in report["unreadable"]}
    assert reasons["deep.json"] == "JSON nests deeper than 100 levels"
    assert reasons["list.json"] == "expected an object from arguments to answer, got list"
    assert reasons["add_numbers.json"].endswith("is no object of error and response")


def test_a_failed_simulation_is_not_stored(tmp_path):
    official(tmp_path, {"{}": {"error": "Failed to generate fake response", "response": ""}})
    cache, report = imported(tmp_path)
    assert (len(cache), report["entries_read"], report["failed_simulations"]) == (0, 1, 1)


def test_the_last_recording_of_exactly_a_call_wins_and_is_counted_where_it_differs(tmp_path):
    official(
        tmp_path,
        {
            "{'a': 1, 'b': 2}": {"error": "", "response": "first"},
            '{"a": 1, "b": 2}': {"error": "", "response": "last"},
            "{'b': 2, 'a': 1}": {"error": "", "response": "other order"},
        },
    )
    cache, report = imported(tmp_path)
    assert (report["entries_read"], report["entries_added"], report["conflicts"]) == (3, 2, 1)
    assert found_in(cache, ADD, {"a": 1, "b": 2}) == "last"
    assert found_in(cache, ADD, {"b": 2, "a": 1}) == "other order"


def test_a_recording_of_what_was_simulated_before_makes_it_an_example(tmp_path):
    official(tmp_path, {"{}": {"error": "", "response": 1}})
    simulated = CacheEntry.of(ADD, {}, 1, source="simulator")
    cache = ResponseCache()
    cache.put(simulated.key, simulated)
    assert import_source(cache, tmp_path).to_dict()["entries_replaced"] == 1
    assert [(entry.source, entry.response) for entry in cache.examples(ADD)] == [("unknown", 1)]


def test_importing_again_changes_nothing(tmp_path):
    official(
        tmp_path / "src",
        {"{'a': 1}": {"error": "", "response": 1}, "{'a': 1.0}": {"error": "", "response": 2}},
    )
    with closing(ResponseCache(tmp_path / "cache")) as cache:
        first = import_source(cache, tmp_path / "src").to_dict()
        before = cache.hash
        again = import_source(cache, tmp_path / "src", origin="other").to_dict()
        assert (first["entries_added"], again["entries_added"], again["entries_replaced"]) == (2, 0, 0)
        assert cache.hash == before


def test_a_single_file_of_the_layout_can_be_imported(tmp_path):
    file = official(tmp_path, {"{}": {"error": "", "response": 1}})
    cache, _ = imported(file, origin="train")
    assert [entry.origin for entry in cache.entries()] == ["train"]


def test_a_category_that_is_standardised_already_is_taken_as_it_is(tmp_path):
    official(tmp_path, {"{}": {"error": "", "response": 1}}, category="A__B")
    cache, _ = imported(tmp_path)
    assert [entry.id.category for entry in cache.entries()] == ["A__B"]


@given(ARGUMENTS | TEXT)
def test_every_key_that_is_written_reads_back_the_same(arguments):
    assert read_key(write_key(arguments)) == arguments


@pytest.mark.parametrize(
    "arguments",
    ["null", "None", "[1,2]", "[1, 2]", "'quoted'", '"quoted"', "{'a': 1}", "True", "true", "1", "1.0",
     "", " ", "(1, 2)", "\n", "\\", "1e999", "b'x'", "{1, 2}", {"a": True, "b": None}, {"\ud800": "\0"}],
)  # fmt: skip
def test_keys_that_look_like_something_else_read_back_the_same(arguments):
    assert read_key(write_key(arguments)) == arguments


@pytest.mark.parametrize(
    "key", ["-" * 100_000 + "1", "[" * 100_000, "{'a': " * 5000, "9" * 10_000, "()" * 9, "lambda: 1"]
)
def test_a_hostile_key_is_raw_text(key):
    assert read_key(key) == key


def same(entry):
    return entry.key, entry.text


def test_an_exported_cache_imports_back_the_same(tmp_path):
    cache = ResponseCache()
    ids = [ADD, ToolId("Tools", "calc_tool", "other"), ToolId("News_Media", "x_for_y", "z")]
    for identity in ids:
        for arguments in (
            {},
            {"b": 1, "a": [None, True, "ü", 1.5]},
            "raw text",
            "[1,2]",
            "None",
            {"a": "\ud800\0"},
        ):
            entry = CacheEntry.of(identity, arguments, {"ü": ["\ud800", None]}, error="")
            cache.put(entry.key, entry)
    assert export_folder(cache, tmp_path / "out") == {"entries": 18, "files": 3}
    file = tmp_path / "out" / "Tools" / "calc_tool_for_Tools" / "add_numbers.json"
    assert file.read_bytes().isascii()
    assert file.read_text().startswith('{\n    "')
    assert "{'b': 1, 'a': [None, True, 'ü', 1.5]}" in json.loads(file.read_text())
    back, _ = imported(tmp_path / "out")
    assert list(map(same, back.entries())) == list(map(same, cache.entries()))


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "",
        ".",
        "a/b",
        "../../x",
        "\0",
        "x" * 300,
        "\ud800",
        "a\\b",
        ".hidden",
        "a\nb",
        "C:",
        "日本" * 90,
        "A b",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_no_name_escapes_the_exported_folder_and_each_comes_back(tmp_path, name, place):
    parts = ["Cat", "tool", "api"]
    parts[place] = name
    cache = ResponseCache()
    for identity in (ToolId(*parts), ToolId(name, name, name)):
        entry = CacheEntry.of(identity, {"a": 1}, "x")
        cache.put(entry.key, entry)
    export_folder(cache, tmp_path / "inside" / "out")
    assert [file.name for file in tmp_path.iterdir()] == ["inside"]
    assert [file.name for file in (tmp_path / "inside").iterdir()] == ["out"]
    back, report = imported(tmp_path / "inside" / "out")
    assert list(map(same, back.entries())) == list(map(same, cache.entries()))
    assert report["unreadable_total"] == 0


def test_an_export_says_beside_the_layout_who_gave_each_answer(tmp_path):
    cache = ResponseCache()
    for n, source in enumerate(("real", "simulator", "unknown")):
        entry = CacheEntry.of(
            ToolId("Cat", "tool", "api"), {"n": n}, "x", source=source, origin="experiment", model="m"
        )
        cache.put(entry.key, entry)
    export_folder(cache, tmp_path / "out")
    with (tmp_path / "out" / PROVENANCE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["arguments"], row["source"], row["origin"], row["model"]) for row in rows} == {
        (f"{{'n': {n}}}", source, "experiment", "m")
        for n, source in enumerate(("real", "simulator", "unknown"))
    }
    _, report = imported(tmp_path / "out")
    assert (report["entries_read"], report["passed_over"], report["unreadable_total"]) == (3, 0, 0)


def test_an_export_needs_an_empty_folder(tmp_path):
    write(tmp_path / "out" / "file", "")
    with pytest.raises(ConfigError, match=r"out exists and is not empty; name a new folder to export to"):
        export_folder(ResponseCache(), tmp_path / "out")


# MirrorAPI-Bench.


def mirror_line(**changes):
    request = {
        "category": "Tools",
        "tool_name": "Calc Tool",
        "api_name": "Add Numbers",
        "tool_input": '{"a": 1}',
    }
    record = {
        "real_response": '{"error": "", "response": "real"}\n',
        "simulated_response": '{"error":"","response":"sim"}',
    }
    for name, value in changes.items():
        (record if name in record else request)[name] = value
    return {"request": request} | record


def test_mirrorapi_records_give_real_answers_and_simulated_ones_on_request(tmp_path):
    lines = [
        mirror_line(),
        mirror_line(tool_input={"a": 2, "toolbench_key": "K"}),
        mirror_line(tool_input='{"a": 1}, {"a": 2}'),
    ]
    file = write(tmp_path / "x.jsonl", "\n".join(map(json.dumps, lines)) + "\n\n")
    cache, report = imported(file)
    assert (report["entries_added"], report["not_object"], report["by_source"]) == (3, 1, {"real": 3})
    assert (
        found_in(cache, ADD, {"a": 1})
        == found_in(cache, ADD, {"a": 2})
        == found_in(cache, ADD, '{"a": 1}, {"a": 2}')
        == "real"
    )
    _, report = imported(file, simulated=True)
    assert report["by_source"] == {"real": 3, "simulator": 3}
    assert (report["entries_added"], report["conflicts"]) == (3, 0)


def test_a_simulated_answer_never_replaces_a_real_one(tmp_path):
    real = write(tmp_path / "a.jsonl", json.dumps(mirror_line()))
    simulated = write(tmp_path / "b.jsonl", json.dumps(mirror_line(real_response="broken")))
    cache = ResponseCache()
    import_source(cache, simulated, simulated=True)
    assert found_in(cache, ADD, {"a": 1}) == "sim"
    assert import_source(cache, real).to_dict()["entries_replaced"] == 1
    assert import_source(cache, simulated, simulated=True).to_dict()["entries_replaced"] == 0
    assert found_in(cache, ADD, {"a": 1}) == "real"
    both, _ = imported(tmp_path, simulated=True)
    assert found_in(both, ADD, {"a": 1}) == "real"


def test_broken_mirrorapi_lines_are_reported(tmp_path):
    lines = [
        json.dumps(mirror_line()),
        "{",
        "[]",
        json.dumps({"request": {}, "real_response": ""}),
        json.dumps(mirror_line(real_response=3)),
    ]
    cache, report = imported(write(tmp_path / "x.jsonl", "\n".join(lines)))
    assert (len(cache), report["unreadable_total"]) == (1, 4)
    assert [problem["reason"].split(":")[0] for problem in report["unreadable"]] == [
        "line 2",
        "line 3",
        "line 4",
        "line 5",
    ]


# All kinds.


def test_each_file_of_a_mixed_folder_is_told_by_its_content(tmp_path):
    official(tmp_path / "a", {"{}": {"error": "", "response": 1}})
    write(tmp_path / "b.jsonl", json.dumps(mirror_line()))
    write(tmp_path / "c" / "7_m.json", {"tree": {"tree": {}}, "answer_generation": {}})
    write(tmp_path / "readme.json", {"hello": 1})
    write(tmp_path / "broken.json", "{")
    _, report = imported(tmp_path)
    assert report["files"] == {"answers": 1, "mirrorapi": 1, "official": 1}
    assert report["passed_over"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"kind": "oficial"},
            "no kind 'oficial'; expected one of auto, official, mirrorapi, answers. Did you mean 'official'?",
        ),
        ({}, "nothing recorded found in "),
    ],
)
def test_a_source_without_recordings_is_a_config_error(tmp_path, options, message):
    with pytest.raises(ConfigError) as caught:
        imported(tmp_path, **options)
    assert str(caught.value).startswith(message)


def test_a_missing_source_is_a_config_error(tmp_path):
    with pytest.raises(
        ConfigError, match=r"absent does not exist; name a file or folder of recorded responses"
    ):
        imported(tmp_path / "absent")


# The real data.


def test_golden_mirrorapi_pairs_import_and_are_found_again(shared_data):
    files = found(shared_data, "mirrorapi_bench/*.jsonl")
    notes, answers = Notes(), {}
    for file in files:
        for recorded in mirrorapi.read_file(file, notes):
            entry = CacheEntry.of(
                recorded.id, recorded.arguments, recorded.answer.response, error=recorded.answer.error
            )
            answers.setdefault((entry.id, entry.call.exact), (entry.call, set()))[1].add(entry.text)
    cache, report = imported(shared_data / "mirrorapi_bench")
    assert report["entries_read"] == sum(len(file.read_text().strip().split("\n")) for file in files) > 0
    assert report["unreadable_total"] == 0
    assert len(cache) == report["entries_added"] == len(answers)
    assert all(cache.get(call).text in texts for call, texts in answers.values())
    assert {(cache.get(call).source, cache.get(call).key) for call, _ in answers.values()} == {
        ("real", "exact")
    }


def test_golden_official_caches_round_trip(shared_data, tmp_path):
    files = objects(shared_data, "stabletoolbench/golden/server/*.json", "flows")
    flows = [flow for file in files for flow in file["flows"]]
    folders = 0
    for number, flow in enumerate(flows):
        for step, states in enumerate(
            [flow["cache_before"], *(each["expected"].get("cache_after") for each in flow["steps"])]
        ):
            root = tmp_path / f"{number}-{step}"
            good = {path: data for path, data in (states or {}).items() if isinstance(data, dict) and data}
            if not good or any(".." in path for path in good):
                continue
            for path, data in good.items():
                write(root / "in" / path, data)
            cache, report = imported(root / "in")
            assert report["entries_read"] == sum(map(len, good.values())) - report["unreadable_total"]
            export_folder(cache, root / "out")
            back = imported(root / "out")[0] if len(cache) else cache
            assert list(map(same, back.entries())) == list(map(same, cache.entries()))
            folders += 1
    if not folders:
        pytest.skip("no recorded flow leaves a cache")
