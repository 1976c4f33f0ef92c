"""Recorded calls out of original answer files, and answers that were cut or damaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.cache import CacheEntry, CallKey, ResponseCache
from stb_env.formats.recorded_answer import Notes, read_answer
from stb_env.suites.stabletoolbench.answers import calls as answer_calls
from stb_env.suites.stabletoolbench.cache_import import import_source
from stb_env.suites.stabletoolbench.recording_reader import sniff
from stb_env.tools import ToolId

ADD = ToolId("Tools", "calc_tool", "add_numbers")
TEXT = st.text(st.characters(), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


def write(file, value):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def imported(source, **options):
    cache = ResponseCache()
    return cache, import_source(cache, source, **options).to_dict()


def found(cache, identity, arguments):
    entry = cache.entry(CallKey(identity, arguments))
    return entry and entry.response


@pytest.mark.parametrize(
    ("text", "error", "response", "cut"),
    [
        ('{"error": "", "response": "x"}\n', "", "x", False),
        ('{"error": null, "response": [1]}', "", [1], False),
        ('{"error": {"code": 1}, "response": ""}', '{"code": 1}', "", False),
        ('{"response": 1}', "", 1, False),
        ('{"error": "e"}', "e", "", False),
        ('{"error": "", "response": "one \\"two...', "", 'one "two', True),
        ('{"error": "", "response": "a\\u00e...', "", "a", True),
        ('{"error": "", "response": "ends in a slash \\', "", "ends in a slash ", True),
        ('{\n "error": "",\n "response": "{"a": "b"}"\n}', "", '{"a": "b"}', True),
        ('{"error": "", "response": {"a": [1, 2, {"b": "c...', "", {"a": [1, 2, {"b": "c"}]}, True),
    ],
)
def test_an_answer_is_read_as_far_as_it_goes(text, error, response, cut):
    answer = read_answer(text)
    assert (answer.error, answer.response, answer.cut) == (error, response, cut)


@pytest.mark.parametrize(
    "text", ["", "...", "<html>", "[]", "[1, 2", "null", "{", "{}", '{"other": 1', "[" * 100_000]
)
def test_what_is_no_answer_is_none(text):
    assert read_answer(text) is None


@given(VALUES, st.integers(0, 200))
def test_a_cut_answer_never_makes_reading_fail(response, length):
    text = json.dumps({"error": "", "response": response})[:length] + "..."
    answer = read_answer(text)
    assert answer is None or isinstance(answer.error, str)


# Answer files.


API = {"category_name": "Tools", "tool_name": "Calc Tool", "api_name": "Add Numbers"}
QUERY = {"query_id": 7, "query": "Add.", "api_list": [API]}


def node(kind, text, *children, **more):
    return {"node_type": kind, "description": text, "children": list(children)} | more


def call(name, arguments, observation, *children, code=0):
    return node(
        "Action",
        name,
        node("Action Input", arguments, *children, observation=observation, observation_code=code),
    )


def chain(*nodes):
    flat = []
    for top in nodes:
        flat += [top, *top["children"]]
    return [{name: value for name, value in each.items() if name != "children"} for each in flat]


def answered(value):
    return json.dumps({"error": "", "response": value})


def dfs(*nodes, query="Add."):
    return {
        "tree": {"size": 1, "tree": node("Action Input", "", *nodes)},
        "answer_generation": {"query": query},
    }


def cot(*nodes, query="Add."):
    return {"trys": [{"chain": chain(*nodes), "win": True}], "answer_generation": {"query": query}}


@pytest.mark.parametrize("shape", [dfs, cot])
def test_calls_of_answer_files_are_resolved_through_the_queries_beside_them(tmp_path, shape):
    name = "add_numbers_for_calc_tool"
    nodes = [
        node("Thought", "I add."),
        call(name, '{"a": 1}', answered("one")),
        call(name, '{"a": 2}', answered("two"), code=11),
        call(name, '{"a": 3}', answered("x" * 1100)[:1024] + "..."),
        call(name, '{"a": 4}', '{"error": "Timeout error...", "response": ""}', code=5),
        call("made_up", "{}", '{"error": "No such function name: made_up", "response": ""}', code=1),
        call("unknown_for_other", "{}", answered("lost")),
        call(name, '{"a": 5}', "..."),
        call(name, '{"a": 6}', "<html>"),
        call("Finish", '{"return_type": "give_answer"}', '{"response": "done"}', code=3),
    ]
    write(tmp_path / "answer" / "G1_answer" / "7_method.json", shape(*nodes))
    write(tmp_path / "instruction" / "G1_query.json", [QUERY])
    cache, report = imported(tmp_path / "answer")
    assert [report[key] for key in ("entries_added", "cut", "cut_dropped", "unreadable_total")] == [
        3,
        2,
        1,
        1,
    ]
    assert report["unresolved_names"] == {"unknown_for_other": 1}
    assert [found(cache, ADD, {"a": number}) for number in (1, 2)] == ["one", "two"]
    assert set(found(cache, ADD, {"a": 3})) == {"x"}


def test_an_answer_file_is_told_however_deep_its_tree_is(tmp_path):
    deep = call("add_numbers_for_calc_tool", "{}", answered(1))
    for _ in range(100):
        deep = call("add_numbers_for_calc_tool", "{}", answered(1), deep)
    assert sniff(write(tmp_path / "7_m.json", dfs(deep))) == "answers"


def test_a_name_is_never_guessed_among_several_apis(tmp_path):
    twin = API | {"category_name": "Other"}
    name = "add_numbers_for_calc_tool"
    write(tmp_path / "instruction" / "q.json", [QUERY, {"query_id": 8, "query": "Twin.", "api_list": [twin]}])
    write(tmp_path / "answer" / "7_m.json", dfs(call(name, '{"a": 1}', answered("tools"))))
    write(tmp_path / "answer" / "8_m.json", dfs(call(name, '{"a": 1}', answered("other")), query="Twin."))
    write(tmp_path / "answer" / "9_m.json", dfs(call(name, '{"a": 1}', answered("whose")), query="Unknown."))
    cache, report = imported(tmp_path / "answer")
    assert (len(cache), report["unresolved"]) == (2, 1)
    assert found(cache, ADD, {"a": 1}) == "tools"
    assert found(cache, ToolId("Other", "calc_tool", "add_numbers"), {"a": 1}) == "other"


def test_given_query_files_are_used_instead_of_those_nearby(tmp_path):
    write(tmp_path / "answers" / "7_m.json", dfs(call("add_numbers_for_calc_tool", "{}", answered(1))))
    queries = write(tmp_path / "elsewhere" / "mine.json", [QUERY])
    assert imported(tmp_path / "answers")[1]["unresolved"] == 1
    assert imported(tmp_path / "answers", queries=queries)[1]["entries_added"] == 1
    assert imported(tmp_path / "answers", queries=queries.parent)[1]["entries_added"] == 1


def test_an_answer_tree_may_be_deeper_than_the_stack():
    inner = call("add_numbers_for_calc_tool", "{}", answered(1))
    for _ in range(5000):
        inner = node("Thought", "", inner)
    calls = list(answer_calls.calls_in(dfs(inner)))
    assert [name for name, _ in calls][-1] == "add_numbers_for_calc_tool"


@pytest.mark.heavy
def test_golden_answer_files_import_and_their_calls_are_found_again(shared_data):
    folders = [shared_data / "stabletoolbench" / "data" / "answers", shared_data / "toolbench" / "answer"]
    files = [file for folder in folders for file in sorted(folder.rglob("*.json"))]
    if not files:
        pytest.skip(f"no original answer files below {shared_data}")
    cache, seen = ResponseCache(), {}
    read = unresolved = 0
    for file in files:
        assert sniff(file) == "answers"
        index = answer_calls.QueryIndex(answer_calls.nearest_query_files(file.parent))
        for recorded in answer_calls.read_file(file, index, Notes()):
            entry = CacheEntry.of(
                recorded.id, recorded.arguments, recorded.answer.response, error=recorded.answer.error
            )
            seen.setdefault((entry.id, entry.call.exact), (entry.call, set()))[1].add(entry.text)
        report = import_source(cache, file).to_dict()
        read += report["entries_read"]
        unresolved += report["unresolved"]
        assert report["unreadable_total"] == report["cut_dropped"] == 0
        calls = [
            node for name, node in answer_calls.calls_in(json.loads(file.read_text())) if name != "Finish"
        ]
        own = sum(
            node.get("observation_code") in (1, 2, 3, 4, 5, 12) or not node.get("observation")
            for node in calls
        )
        assert report["entries_read"] + report["unresolved"] == len(calls) - own
    assert len(cache) == len(seen) <= read
    assert read > 0
    assert all(cache.get(call).text in texts for call, texts in seen.values())
