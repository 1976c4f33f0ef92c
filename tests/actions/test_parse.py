"""Reading what an agent wrote, and writing it back."""

from __future__ import annotations

import ast
import json
import re
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.actions import (
    MAX_CALLS,
    MAX_TEXT,
    POSITIONAL,
    Action,
    format_action,
    parse,
    parse_action,
)
from stb_env.errors import ActionError
from stb_env.tools import ToolCall
from tests.timing import seconds_of


def calls_of(action):
    return [(call.name, call.arguments) for call in parse_action(action).calls]


PING = ("ping", {"n": 1})
FUNCTION = {"name": "ping", "arguments": '{"n": 1}'}


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "ping", "arguments": {"n": 1}}',
        '{"name": "ping", "parameters": {"n": 1}}',
        '{"name": "ping", "arguments": "{\\"n\\": 1}"}',
        '{"name": "ping", "arguments": "{\'n\': 1}"}',
        "{'name': 'ping', 'arguments': {'n': 1}}",
        ' [{"name": "ping", "arguments": {"n": 1}}]\n',
        {"name": "ping", "arguments": {"n": 1}},
        MappingProxyType({"name": "ping", "arguments": MappingProxyType({"n": 1})}),
        [{"id": "a", "type": "function", "function": FUNCTION}],
        {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": FUNCTION}]},
        {"role": "assistant", "content": None, "function_call": FUNCTION},
        {"role": "assistant", "content": "API.ping(n=1)", "tool_calls": []},
        {"role": "assistant", "content": [{"type": "text", "text": "API.ping(n=1)"}]},
        b'{"name": "ping", "arguments": {"n": 1}}',
        '```json\n{"name": "ping", "arguments": {"n": 1}}\n```',
        'Now:\n``` json\n{"name": "ping", "arguments": {"n": 1}}',
        '```{"name": "ping", "arguments": {"n": 1}}```',
        "```python\nimport api\nAPI.ping(n=1)\n```",
        '<tool_call>\n{"name": "ping", "arguments": {"n": 1}}\n</tool_call>',
        'So <tool_call>{"name": "ping", "arguments": {"n": 1}}',
        'Thought: yes\nAction: ping\nAction Input: {"n": 1}',
        'thought: yes\nACTION : ping\naction input:\n{"n":\n1}\nObservation: !\nAction: b\nAction Input: {}',
        'Action 1: ping\nAction Input 1: ```json\n{"n": 1}\n```',
        "[ping(n=1)]",
        "API-Request: [ping(n=1)]->{'output': 3}",
        "API.ping(n=1)",
        "    ping(n = 1)  # the only one",
        "k = 1\nAPI.ping(n=k);",
        "answer = API.ping(n=1)",
    ],
)
def test_every_accepted_form_of_one_call_is_read_as_the_same_call(written):
    assert calls_of(written) == [PING]


@pytest.mark.parametrize(
    "written",
    [
        '[{"name": "a"}, {"name": "b"}]',
        '<tool_call>{"name": "a"}</tool_call> and <tool_call>{"name": "b"}</tool_call>',
        '<tool_call>{"name": "a"}\n{"name": "b"}</tool_call>',
        '```json\n{"name": "a"}\n```\nthen\n```json\n{"name": "b"}\n```',
        "Action: a\nAction Input: {}\nAction: b\nAction Input: {}",
        "[a(), b()]",
        "[a()] then [b()]",
        "[a()]\n[b()]",
        "API.a(); API.b()",
        "API.a()\n\nb()",
    ],
)
def test_several_calls_keep_their_order_in_every_form(written):
    assert calls_of(written) == [("a", {}), ("b", {})]


@pytest.mark.parametrize(
    ("written", "thought"),
    [
        ("I look first.\nThought: Then I act.\nAction: a\nAction Input: {}", "I look first.\nThen I act."),
        ('First. <tool_call>{"name": "a"}</tool_call> Last.', "First.\nLast."),
        ('First.\n```json\n{"name": "a"}\n```', "First."),
        ("I set it. API-Request: [a(x='1')]->3", "I set it."),
        ({"content": "Hm. ", "tool_calls": [{"name": "a"}]}, "Hm. "),
        ("API.a()", ""),
    ],
)
def test_what_stands_beside_the_calls_is_the_text(written, thought):
    action = parse_action(written)
    assert [call.name for call in action.calls] == ["a"]
    assert action.text == thought


@pytest.mark.parametrize(
    "written",
    [
        "",
        "The weather (in Rome) is fine; call me (maybe).",
        "Call it.\nAPI.ping(n=1)",
        "API.ping(n=1) and wait",
        "ping",
        "x = 3",
        "f(open('x').read())",
        "f(*a)",
        "f(**a)",
        "f(lambda: 0)",
        "[x(1) for x in y",
        "Action: I will think about it",
        '{"name": "Ada", "age": 36}',
        '{"name": 5, "arguments": {}}',
        "5",
        '"text"',
        "[]",
        "curl -X GET 'https://example.org/a'",
        "search[blue shoes]",
    ],
)
def test_text_without_a_call_is_kept_whole(written):
    assert parse_action(written) == Action((), written)


@pytest.mark.parametrize(
    "junk", [None, 5, 1.5, True, object(), {}, [], [[[]]], {1: 2}, (None,), {"name": b"a"}, {1}]
)
def test_data_without_a_call_is_no_call(junk):
    assert parse_action(junk).calls == ()


@pytest.mark.parametrize(
    ("written", "raw"),
    [
        ('{"name": "a", "arguments": "n = 1"}', "n = 1"),
        ('{"name": "a", "arguments": ""}', ""),
        ('{"name": "a", "arguments": "[1]"}', "[1]"),
        ('{"name": "a", "arguments": [1, true]}', "[1, true]"),
        ('Action: a\nAction Input: {"n": }', '{"n": }'),
        ("[a(just words)]", "just words"),
    ],
)
def test_arguments_that_are_no_object_are_kept_as_raw_text(written, raw):
    assert calls_of(written) == [("a", raw)]


@pytest.mark.parametrize(
    "written", ['{"name": "a", "arguments": null}', '{"name": "a"}', {"name": "a", "type": "x"}]
)
def test_a_call_without_arguments_has_none(written):
    assert calls_of(written) == [("a", {})]


@pytest.mark.parametrize(
    ("bracket", "arguments"),
    [
        ("A(x='1')", {"x": "1"}),
        ('A(x="it\'s", y=-2.5)', {"x": "it's", "y": -2.5}),
        ("A(x='it's fine', y='b')", {"x": "it's fine", "y": "b"}),
        ("A(name=Ann Lee, n=2)", {"name": "Ann Lee", "n": "2"}),
        ("A(name=Ann)", {"name": "Ann"}),
        ("A(x=['a', 'b'], y=None)", {"x": ["a", "b"], "y": None}),
        ("A(x='[{'name': 'bp'}]')", {"x": [{"name": "bp"}]}),
        ("A(x='(a)] b')", {"x": "(a)] b"}),
        ("A('one', k=2)", {POSITIONAL: ["one"], "k": 2}),
        ("A(x='1', x='2')", {"x": "2"}),
    ],
)
def test_api_bank_values_are_literals_and_unescaped_quotes_do_no_harm(bracket, arguments):
    assert calls_of(f"API-Request: [{bracket}]") == [("A", arguments)]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ('API.set_location("X")', ("set_location", {POSITIONAL: ["X"]})),
        ("f(1, -2, +3.5, 1_000, k=('a', None))", ("f", {POSITIONAL: [1, -2, 3.5, 1000], "k": ["a", None]})),
        ("f(true, False, null)", ("f", {POSITIONAL: [True, False, None]})),
        ('f(Loc("X"))', ("f", {POSITIONAL: [{"name": "Loc", "arguments": {POSITIONAL: ["X"]}}]})),
        ("Agent.WalkTo(kitchen)", ("Agent.WalkTo", {POSITIONAL: [{"name": "kitchen"}]})),
        ("d = Date(1, 2)\nf(d)", ("f", {POSITIONAL: [{"name": "Date", "arguments": {POSITIONAL: [1, 2]}}]})),
    ],
)
def test_program_values_are_data_that_a_world_can_resolve(line, call):
    assert calls_of(line) == [call]


def test_reading_a_program_never_runs_it(tmp_path):
    target = tmp_path / "written"
    for text in (
        f"open({str(target)!r}, 'w')",
        f"API.f(open({str(target)!r}, 'w'))",
        f"[A(x=open({str(target)!r}, 'w'))]",
    ):
        parse_action(text)
    assert not target.exists()


def test_calls_keep_their_order_and_a_second_finish_is_dropped():
    written = [{"name": "Finish", "id": "f"}, {"name": "a"}, {"name": "Finish", "id": "g"}, {"name": "b"}]
    assert [(call.name, call.id) for call in parse_action(written).calls] == [
        ("Finish", "f"),
        ("a", "call_1"),
        ("b", "call_2"),
    ]


def test_ids_are_filled_in_by_position_and_made_unique():
    written = [{"name": "a"}, {"name": "a", "id": "x"}, {"name": "a", "id": "x"}, {"name": "a", "id": 7}]
    assert [call.id for call in parse_action(written).calls] == ["call_0", "x", "x_1", "7"]


def test_a_name_is_kept_as_written_up_to_256_characters():
    assert parse_action({"name": " A b\t", "arguments": {}}).calls[0].name == " A b\t"
    assert len(parse_action({"name": "a" * 300, "arguments": {}}).calls[0].name) == 256


def test_calls_beyond_the_bound_are_dropped():
    assert len(parse_action([{"name": "a"}] * 100).calls) == MAX_CALLS
    assert len(parse_action("API.a()\n" * 100, max_calls=3).calls) == 3


def test_text_beyond_the_bound_is_not_read():
    written = '{"name": "a"}'
    assert parse_action(written + " " * 50, max_text=len(written)).calls
    assert not parse_action(" " * 50 + written, max_text=50).calls


def test_parsed_arguments_share_nothing_with_the_caller():
    given_arguments = {"list": [1]}
    action = parse_action({"name": "a", "arguments": given_arguments})
    given_arguments["list"].append(2)
    assert action.calls[0].arguments == {"list": [1]}


def test_a_structure_that_contains_itself_is_cut():
    loop = {"name": "a"}
    loop["arguments"] = loop
    action = parse_action(loop)
    assert action.calls[0].name == "a"
    assert parse_action(format_action(action)) == action


@pytest.mark.heavy
def test_a_structure_that_multiplies_itself_is_cut():
    many = []
    for _ in range(60):
        many = [many, many]
    assert parse_action({"name": "a", "arguments": {"many": many}}).calls


def test_numbers_and_text_that_json_cannot_carry_become_text():
    arguments = {"inf": float("inf"), "huge": 10**5000, 1: {2}, "pair": "\ud83d\ude00", "lone": "\ud83d"}
    (call,) = parse_action({"name": "a", "arguments": arguments}).calls
    assert call.arguments["inf"] == "Infinity"
    assert call.arguments["huge"].startswith("0x")
    assert call.arguments["1"] is None
    assert call.arguments["pair"] == "\U0001f600"
    assert call.arguments["lone"] == "\ud83d"


HOSTILE = {
    "open brackets": "[" * MAX_TEXT,
    "nested brackets": "[" * 100_000 + "]" * 100_000,
    "nested objects": '{"a":' * 100_000,
    "deep arguments": '{"name": "a", "arguments": {"b": ' + "[" * 90 + "]" * 90 + "}}",
    "long number": '{"name": "a", "arguments": {"n": ' + "9" * 5_000 + "}}",
    "long number in a program": f"f({'9' * 5_000})",
    "NaN": '{"name": "a", "arguments": {"n": NaN, "m": -Infinity, "k": 1e999}}',
    "lone surrogate": '{"name": "\\ud800", "arguments": {"n": "\ud800"}}',
    "null byte": "f('\0')",
    "Action:": "Action:" * 140_000,
    "Action lines": "Action:\n" * 120_000,
    "Action and blanks": "Action" + " " * MAX_TEXT,
    "Action Input": "Action: a\nAction Input: {\n" * 38_000,
    "fences": "```" * 330_000,
    "fenced programs": "```a(b)```" * 100_000,
    "tags": "<tool_call>" * 90_000,
    "closed tags": "<tool_call>{</tool_call>" * 40_000,
    "open API-Bank calls": "[a(" * 330_000,
    "API-Bank calls": "[a()]" * 200_000,
    "API-Bank separators": f"[a({',' * 900_000})]",
    "API-Bank word": f"[a({'x' * 900_000})]",
    "API requests": "api request: " * 70_000 + "[a()]",
    "program": "f()\n" * 250_000,
    "unary": f"f({'-' * 19_000}1)",
    "attributes": "a" + ".b" * 9_000 + "()",
    "subscripts": f"f(a{'[0]' * 6_000})",
    "sum": f"f({'1+' * 9_000}1)",
    "parentheses": f"f({'(' * 190}1{')' * 190})",
    "escapes": '{"a":"' + "\\" * 900_000,
    "quotes": "{" + '"' * 900_000,
    "blanks": " " * MAX_TEXT,
}


@pytest.mark.heavy
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_read_in_linear_time(text):
    read = []
    assert seconds_of(lambda: read.append(parse_action(text)), within=5) < 5
    assert all(isinstance(call.name, str) and call.id for call in read[-1].calls)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
NAMES = st.sampled_from(["ping", "Finish", "a b", "", "\ud83d"]) | st.text(max_size=6)
CALLS = st.fixed_dictionaries(
    {"name": NAMES, "arguments": JSON},
    optional={"id": st.sampled_from(["a", "call_0", "a_1"]) | st.integers(), "content": st.text(max_size=9)},
)
MESSAGES = st.fixed_dictionaries(
    {"content": st.text() | st.none(), "tool_calls": st.lists(CALLS, max_size=4)}
)
PIECES = st.sampled_from(
    [
        *"{}[]()'\",:=\n\\1#; é\0\ud83d\ude00",
        *(
            "Action:",
            "\nAction: a",
            "\nAction Input: ",
            "Thought:",
            "```",
            "json\n",
            "<tool_call>",
            "</tool_call>",
        ),
        *("[A(", "x='1'", ")]", "API.f(", "None", "\\ud83d", "Finish", "tool_calls", "content", '"name"'),
        *('{"name": "a", "arguments": ', '{"b": 1}'),
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@pytest.mark.heavy
@given(JSON | CALLS | st.lists(CALLS, max_size=4) | MESSAGES | TEXTS | st.text() | st.binary())
def test_parsing_survives_anything_and_formatting_undoes_it(written):
    action = parse_action(written)
    assert parse_action(format_action(action)) == action


@given(MESSAGES)
def test_data_and_its_json_text_are_the_same_action(message):
    assert parse_action(json.dumps(message)).calls == parse_action(json.loads(json.dumps(message))).calls


@given(
    st.dictionaries(
        st.text("abc", min_size=1), st.text() | st.integers(-9, 9) | st.booleans() | st.none(), max_size=4
    )
)
def test_api_bank_reads_what_python_would(arguments):
    written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    assert calls_of(f"[A({written})]") == [("A", ast.literal_eval(repr(arguments)))]


def test_one_call_is_formatted_as_one_object_and_several_as_a_list():
    call = ToolCall("a", {"n": 1}, "x")
    assert json.loads(format_action(call)) == {"name": "a", "arguments": {"n": 1}, "id": "x"}
    assert [item["name"] for item in json.loads(format_action([call, ToolCall("b", "raw")]))] == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (ToolCall("a", {"x": {1}}), "give 'a' plain JSON data: Object of type set is not JSON serializable"),
        (
            ToolCall("a", "x" * MAX_TEXT),
            f"the action takes {MAX_TEXT + 30} characters, at most {MAX_TEXT} are read; shorten it",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(call, message):
    with pytest.raises(ActionError, match=f"^{re.escape(message)}$"):
        format_action(call)


# -- the quick reader of usual calls ---------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
members = st.fixed_dictionaries(
    {"name": st.text(max_size=8) | st.just("ping") | st.integers()},
    optional={
        "arguments": JSON | st.dictionaries(st.text(max_size=5), JSON, max_size=3),
        "id": st.text(max_size=6) | st.none(),
        "function": JSON,
        "content": st.text(max_size=5),
    },
)


def quick(action):
    return parse._parse_usual(action, parse.MAX_CALLS, {"ping"})


def general(action):
    return parse._parse(action, parse.MAX_TEXT, parse.MAX_CALLS, {"ping"})


@given(members | st.lists(members, max_size=3), st.booleans())
def test_the_quick_reader_agrees_with_the_general_ones(call, ascii_only):
    for action in (json.dumps(call, ensure_ascii=ascii_only), call):
        usual = quick(action)
        assert usual is None or usual == general(action)


functions = st.fixed_dictionaries(
    {"name": st.sampled_from(["ping", "pong", "functions.ping", "Finish", "functions.Finish", "é", 1])},
    optional={"arguments": JSON | st.dictionaries(st.text(max_size=5), JSON, max_size=3).map(json.dumps)},
)
chat_messages = st.fixed_dictionaries(
    {
        "tool_calls": JSON
        | st.lists(
            JSON
            | st.fixed_dictionaries({"function": JSON | functions, "id": st.sampled_from(["a", "b", "", 1])}),
            max_size=3,
        )
    },
    optional={
        "name": st.just("ping"),
        "arguments": JSON,
        "content": st.none() | st.text(max_size=5),
        "reasoning": st.text(max_size=5),
    },
)


@given(chat_messages)
def test_the_quick_reader_agrees_with_the_general_ones_on_messages(message):
    usual = quick(message)
    assert usual is None or usual == general(message)


def test_the_quick_reader_reads_the_calls_of_a_message():
    function = {"name": "ping", "arguments": '{"n": 1}'}
    calls = [{"id": name, "type": "function", "function": function} for name in "ab"]
    assert quick({"role": "assistant", "content": None, "tool_calls": calls}) is not None


@pytest.mark.parametrize("digits", [297, 298, 299, 300, 5000])
def test_the_quick_reader_agrees_on_long_numbers(digits):
    for sign in ("", "-"):
        text = f'{{"name": "f", "arguments": {{"n": {sign}{"9" * digits}}}}}'
        assert quick(text) == general(text)


@pytest.mark.parametrize("form", [json.dumps, lambda call: json.dumps([call]), dict])
def test_the_quick_reader_reads_what_agents_usually_write(form):
    assert quick(form({"name": "ping", "arguments": {"n": 1}})) is not None


def test_arguments_that_were_handed_over_as_data_are_copied():
    given = {"name": "ping", "arguments": {"n": [1]}}
    (call,) = parse_action(given).calls
    given["arguments"]["n"].append(2)
    assert call.arguments == {"n": [1]}
