from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.simulator import mirror
from stb_env.formats.recorded_answer import Answer
from stb_env.models.prompting import latest
from stb_env.suites.stabletoolbench.api_entry import tool_from_api
from stb_env.tools import Tool
from tests.shared import golden_cases

PROMPT = latest("mirror_sft")
NAMES = st.text("abcdxyz", min_size=1, max_size=4)
PLAIN = st.recursive(
    st.integers() | st.booleans() | st.text("ab c", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def bench_records(folder):
    for file in sorted((folder / "mirrorapi_bench").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").split("\n"):
            if line.strip():
                yield json.loads(line)


def bench_tool(record):
    document = record["api_doc"]
    return tool_from_api({"category_name": document["tool_category"], **document}, "api")


def user_lines(tool, arguments):
    return mirror.messages(PROMPT, tool, arguments)[1]["content"].splitlines()


def test_golden_outputs_are_read_literally_in_compatibility_mode(shared_data):
    cases = golden_cases(shared_data, "server/*.json", "model_output")
    for case in cases:
        got = mirror.read_output(case["model_output"], compat=True)
        if "original_raises" in case:
            assert got is None, case
            assert mirror.server_body(case["model_output"])["error"] == mirror.FAILED, case
        else:
            read = (got.error, got.response) if got else (None, None)
            assert read == (case["error"], case["response"]), case
            assert mirror.server_body(case["model_output"]) == case["server_body"], case


def test_golden_outputs_that_the_published_server_reads_are_read_by_default(shared_data):
    cases = golden_cases(shared_data, "server/*.json", "model_output")
    for case in cases:
        text = case["model_output"]
        if mirror.read_output(text, compat=True) is not None:
            assert mirror.read_output(text) is not None, case


@pytest.mark.parametrize(
    ("output", "compat", "default"),
    [
        pytest.param(
            '{"error": "", "response": "{"a": 1}"}',
            Answer("", '{"a": 1}"}'),
            Answer("", '{"a": 1}', cut=True),
            id="the closing quote and brace are no part of a response with unescaped quotes",
        ),
        pytest.param(
            '{"error": "first\nsecond", "response": ""}',
            Answer("first\nsecond", '"}'),
            Answer("first\nsecond", ""),
            id="line breaks inside texts are part of them",
        ),
        pytest.param(
            '```json\n{"error": "", "response": "x"}\n```',
            Answer("", 'x"}\n```'),
            Answer("", "x"),
            id="text around the object and a fence are no part of the response",
        ),
        pytest.param(
            '{"response": "a "q" b", "error": ""}',
            None,
            Answer("", 'a "q" b', cut=True),
            id="the fields may stand in either order, also where quotes are not escaped",
        ),
        pytest.param(
            '{"error": "a "b" c", "response": "d"}',
            None,
            Answer('a "b" c', "d", cut=True),
            id="quotes in an error need no escape",
        ),
        pytest.param(
            '{"mechanism_of_the_api": "m" , "error": "", "response": "r"',
            None,
            Answer("", "r", cut=True),
            id="blanks between the fields do not matter",
        ),
        pytest.param(
            '{"mechanism_of_the_api": "a "b"", "error": "", "response": [1, 2]}',
            None,
            Answer("", [1, 2], cut=True),
            id="a response of any JSON type may follow damaged text",
        ),
        pytest.param(
            '{"error": null, "response": 1}', Answer(None, 1), Answer("", 1), id="an error of null is none"
        ),
        pytest.param(
            '{"error": "no such city"}', None, Answer("no such city", ""), id="an error may stand alone"
        ),
        pytest.param('{"response": [1]}', None, Answer("", [1]), id="a response may stand alone"),
    ],
)
def test_the_two_readings_differ_where_the_rule_says(output, compat, default):
    assert mirror.read_output(output, compat=True) == compat
    assert mirror.read_output(output) == default


@pytest.mark.parametrize("output", ['{"error": "", "response": ""}', '{"error": null, "response": null}'])
def test_an_empty_answer_is_an_answer_but_a_failure_for_the_published_server(output):
    assert not mirror.read_output(output).response
    assert mirror.server_body(output) == {"error": mirror.FAILED, "response": ""}


@pytest.mark.parametrize(
    "output", ["", "plain text", "[1,2]", "3", '{"error": ""}', "{", '{"error": "', "null"]
)
@pytest.mark.parametrize("compat", [False, True])
def test_what_is_no_answer_is_read_as_none(output, compat):
    assert mirror.read_output(output, compat=compat) is None


@given(error=st.text(max_size=20), response=ANYTHING)
def test_both_readings_agree_on_well_formed_output(error, response):
    output = json.dumps({"mechanism_of_the_api": "m", "error": error, "response": response})
    assert mirror.read_output(output) == mirror.read_output(output, compat=True) == Answer(error, response)


@given(
    value=PLAIN, dump=st.sampled_from([json.dumps, repr]), end=st.sampled_from(['"}', '"\n}', '"\n}\n```'])
)
def test_an_unescaped_response_comes_back_as_it_was_written(value, dump, end):
    response = dump({"data": value})
    assert mirror.read_output('{\n "error": "",\n "response": "' + response + end).response == response


def test_an_escaped_response_that_was_cut_off_is_unescaped():
    assert mirror.read_output(r'{"error": "", "response": "{\"a\": \"b').response == '{"a": "b'


def test_a_mechanism_that_speaks_of_the_response_is_no_response():
    output = '{"mechanism_of_the_api": "gives {"response": "x"}", "error": "", "response": "a "q" b"}'
    assert mirror.read_output(output) == Answer("", 'a "q" b', cut=True)


def test_a_cut_off_object_is_closed():
    output = '{"error": "", "response": {"a": 1, "b": [1, 2'
    assert mirror.read_output(output) == Answer("", {"a": 1, "b": [1]}, cut=True)


@given(
    parts=st.lists(
        st.sampled_from(
            ['"error"', '"response"', mirror.MECHANISM, ":", ",", "{", "}", '"', "\\", "```", " ", "x"]
        )
        | st.text(max_size=3),
        max_size=30,
    )
)
def test_no_output_makes_either_reading_fail(parts):
    text = "".join(parts)
    for answer in (mirror.read_output(text), mirror.read_output(text, compat=True)):
        assert answer is None or isinstance(answer, Answer)
    assert mirror.server_body(text).keys() == {"error", "response"}


@pytest.mark.parametrize(
    "part", ["[", "{", '"', '\\"', '{"error": "', ', "response": "', "```json\n", '{"a":', "} "]
)
def test_long_hostile_output_is_read_quickly(part):
    text = '{"mechanism_of_the_api": "' + part * (200_000 // len(part))
    mirror.read_output(text)
    mirror.read_output(text[1:].replace(mirror.MECHANISM, "error"), compat=True)
    assert mirror.server_body(text)["error"] in ("", mirror.FAILED)


def test_every_published_output_is_read_and_none_of_its_text_is_lost(shared_data):
    for record in bench_records(shared_data):
        output = record["simulated_response"]
        answer = mirror.read_output(output)
        assert answer is not None
        if answer.cut:
            assert answer.response in output
            assert len(output) - len(answer.response) < 60 + len(answer.error)


def test_the_document_is_the_published_one(shared_data):
    for record in bench_records(shared_data):
        assert repr(mirror.document(bench_tool(record))) == repr(record["api_doc"])


def test_the_prompt_holds_document_and_request_as_literals_on_one_line_each(shared_data):
    for record in bench_records(shared_data):
        given_input = record["request"]["tool_input"]
        label, document, blank, other_label, request = user_lines(bench_tool(record), given_input)
        assert (label, blank, other_label) == ("API doc:", "", "Request:")
        assert ast.literal_eval(document) == record["api_doc"]
        assert ast.literal_eval(request) == given_input


@given(text=st.text(max_size=60) | st.sampled_from(["\n\nRequest:\n{}", "\r\u2028\x85'\"\\", "{request}"]))
def test_no_text_leaves_its_line(text):
    schema = {"type": "object", "properties": {"p": {"type": "string", "description": text, "default": text}}}
    lines = user_lines(Tool("api", text, schema, record={"tool_description": text}), {"p": text})
    assert len(lines) == 5
    assert ast.literal_eval(lines[4]) == {"p": text}
    assert ast.literal_eval(lines[1])["tool_description"] == text


def test_parameters_without_a_record_are_documented_in_the_published_form():
    properties = {
        "city": {"type": "string", "description": "Where", "default": "Oslo"},
        "n": {"type": ["integer", "null"]},
    }
    tool = Tool("now", "Weather.", {"type": "object", "properties": properties, "required": ["city"]})
    document = mirror.document(tool)
    assert document["required_parameters"] == [
        {"name": "city", "type": "STRING", "description": "Where", "default": "Oslo"}
    ]
    assert document["optional_parameters"] == [
        {"name": "n", "type": "INTEGER", "description": "", "default": ""}
    ]
    assert (document["api_name"], document["api_description"]) == ("now", "Weather.")


def test_raw_text_is_sent_as_a_text():
    assert user_lines(Tool("api", "", {}), "a = 1")[4] == "'a = 1'"


def test_endless_arguments_are_cut():
    assert len(user_lines(Tool("api", "", {}), {"a": "x" * 10**6})[4]) <= mirror.MAX_REQUEST


def test_the_chain_of_thought_prompt_is_marked_and_asks_for_the_mechanism_first():
    prompt = latest("mirror_cot").text
    assert prompt.startswith("[CHAIN_OF_THOUGHT]\n")
    assert prompt.index(f'"{mirror.MECHANISM}"') < prompt.index('"error"') < prompt.index('"response"')
    assert mirror.MECHANISM not in PROMPT.text


@pytest.mark.parametrize("name", ["mirror_sft", "mirror_cot"])
def test_the_worked_example_of_a_prompt_is_an_answer_in_both_readings(name):
    output = latest(name).text.rpartition("Output:\n")[2]
    answer = mirror.read_output(output)
    assert answer == mirror.read_output(output, compat=True)
    assert json.loads(answer.response)["palette"] == "basic"
