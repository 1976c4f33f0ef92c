"""The key of a call: which calls share one, and which never do."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.cache.key import call_key, canonical, id_prefix
from stb_env.core import jsontext
from stb_env.tools import Tool, ToolId
from tests.backend.cache.made import ARGUMENTS, PING, TEXT

# Few different characters, so that texts meet: the key's separator, and what standardising changes.
PART = st.text(st.sampled_from("\0 A-"), max_size=2)
IDS = st.builds(ToolId, PART, PART, PART) | st.builds(ToolId.of, PART, PART, PART)
NAMES = st.text(st.sampled_from("_-aA1"), min_size=1, max_size=3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": {"x": 1, "y": [1, {"p": 1, "q": 2}]}}, {"a": {"y": [1, {"q": 2, "p": 1}], "x": 1}}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": "1"}),
        ({"a": 1.5}, {"a": 1.50}),
        ({"a": 1.5}, {"a": "1.5"}),
        ({"a": -0.0}, {"a": 0}),
        ({"a": 1e22}, {"a": 10**22}),
        ({"a": True}, {"a": "true"}),
        ({"a": [False, 2]}, {"a": ["false", "2"]}),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({"orgId": 1}, {"orgid": 1}),
        ({"id": 1}, {"is_id": 1}),
        ({"X-API-Key": 1}, {"x_api_key": 1}),
        ({"a": 1}, '{"a": 1}'),
        ({"a": 1}, ' {"a":1.0}\n'),
        ({}, ""),
        ({}, " \n"),
        ({}, "{}"),
        ({"a": {1: 2}}, {"a": {"1": 2}}),
        ({"a": {None: 2, True: 3}}, {"a": {"null": 2, "true": 3}}),
    ],
)
def test_calls_that_an_api_could_not_tell_apart_share_a_key(one, other):
    assert call_key(PING, one) == call_key(PING, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": "1.10"}, {"a": "1.1"}),
        ({"a": "01"}, {"a": 1}),
        ({"a": True}, {"a": 1}),
        ({"a": "True"}, {"a": True}),
        ({"a": None}, {"a": "null"}),
        ({"a": None}, {}),
        ({"a": ""}, {}),
        ({"a": "x"}, {"a": "X"}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": [1]}, {"a": 1}),
        ({"a": {"B": 1}}, {"a": {"b": 1}}),
        ({"a": '{"b": 1}'}, {"a": {"b": 1}}),
        ({"a-b": 1, "a_b": 2}, {"a-b": 2, "a_b": 1}),
        ({"город": 1}, {"страна": 1}),
        ("[1]", "[2]"),
        ("[1]", {"1": 1}),
        ("null", {}),
        ("free text", "free  text"),
        ('{"a": 1', {"a": 1}),
    ],
)
def test_calls_that_differ_have_different_keys(one, other):
    assert call_key(PING, one) != call_key(PING, other)


def test_the_key_depends_on_each_part_of_the_identity():
    ids = [PING, ToolId("net", "icmp", "ping"), ToolId("Net", "icmp6", "ping"), ToolId("Net", "icmp", "pong"),
           ToolId("Net", "icmpping", ""), ToolId("Neticmp", "", "ping")]  # fmt: skip
    assert len({call_key(each, {}) for each in ids}) == len(ids)
    assert len({id_prefix(each) for each in ids}) == len(ids)


def test_the_key_is_the_same_in_every_process_and_version():
    assert call_key(PING, {"host": "a", "n": 1}) == "a939cbc7b977690b:2ea79246cdb06ac8de35ce746f4dbaaa"


@given(ARGUMENTS, st.randoms())
def test_the_key_ignores_order_and_the_form_of_numbers(arguments, random):
    def disguised(value):
        if isinstance(value, dict):
            items = list(value.items())
            random.shuffle(items)
            return {name: disguised(item) for name, item in items}
        if isinstance(value, list):
            return [disguised(item) for item in value]
        if isinstance(value, bool):
            return random.choice([value, str(value).lower()])
        if isinstance(value, int):
            return random.choice([value, str(value)] + [float(value)] * (abs(value) < 2**53))
        return value

    assert call_key(PING, disguised(arguments)) == call_key(PING, arguments)


@pytest.mark.heavy
@given(ARGUMENTS, ARGUMENTS)
def test_equal_keys_mean_equal_canonical_arguments(one, other):
    assert (call_key(PING, one) == call_key(PING, other)) == (canonical(one) == canonical(other))
    assert canonical(one).isascii()


@given(ARGUMENTS)
def test_arguments_and_their_json_text_share_a_key(arguments):
    assert call_key(PING, jsontext.dumps(arguments)) == call_key(PING, arguments)


@given(TEXT, TEXT, TEXT)
def test_different_texts_never_share_a_key(name, one, other):
    assert (call_key(PING, {name: one}) == call_key(PING, {name: other})) == (one == other)


@given(IDS, IDS)
def test_different_identities_never_share_a_key(one: ToolId, other: ToolId):
    assert (call_key(one, {}) == call_key(other, {})) == (one == other)


@given(NAMES, NAMES)
def test_tools_with_a_name_alone_share_a_key_where_they_share_the_name(one: str, other: str):
    keys = {call_key(Tool(name, "", {}).id, {}) for name in (one, other)}
    assert (len(keys) == 1) == (one == other)


@given(NAMES, st.builds(ToolId.of, PART, PART, PART))
def test_a_tool_with_a_name_alone_never_shares_a_key_with_an_api(name: str, api: ToolId):
    assert call_key(Tool(name, "", {}).id, {}) != call_key(api, {})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ToolId("a\0b", "c", ""), ToolId("a", "b", "c\0")),
        (ToolId("\0", "\ud83d\ude00", ""), ToolId("\0", "\U0001f600", "")),
    ],
)
def test_a_separator_inside_an_identity_moves_none_to_the_key_of_another(one: ToolId, other: ToolId):
    assert id_prefix(one) != id_prefix(other)


@pytest.mark.parametrize(
    "arguments",
    ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, "\ud800", '{"a": ' + "9" * 5000 + "}", "NaN", '{"a": NaN}',
     {"a": 10**6000}, {"a": -(10**6000)}, {"a": math.nan, "b": math.inf}, {"\ud800": "\udfff"},
     {1: {2: {3.5: object}}}],
)  # fmt: skip
def test_no_arguments_make_the_key_fail(arguments):
    assert len(call_key(PING, arguments)) == 49


def test_endless_nesting_is_bounded():
    loop: dict = {}
    loop["again"] = loop
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert len(call_key(PING, loop)) == len(call_key(PING, {"a": deep})) == 49
