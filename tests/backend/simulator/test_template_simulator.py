from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.cache.key import call_key
from stb_env.backend.simulator.template import TemplateSimulator
from stb_env.backend.simulator.template import skeleton as skeletons
from stb_env.backend.simulator.template.words import town, words
from stb_env.core import jsontext
from stb_env.errors import ConfigError
from stb_env.tools import Status, Tool, ToolId, pure_name

SIMULATOR = TemplateSimulator()


def tool(skeleton=None, *, api="Get Thing", required=(), description="", **properties):
    record = {"api_name": api, "api_description": description}
    if skeleton is not None:
        record["template_response"] = skeleton
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Tool("thing", description, schema, ToolId.of("Data", "demo", api), record)


def answer(given_tool, arguments=None, key="k", **kwargs):
    return SIMULATOR.simulate(given_tool, arguments or {}, key=key, **kwargs).response


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [("str", str), ("int", int), ("float", float), ("bool", bool), ("NoneType", type(None))],
)
def test_a_leaf_gets_a_value_of_its_type(leaf, expected):
    assert type(answer(tool({"data": 1, "wobble": leaf}))["wobble"]) is expected


@pytest.mark.parametrize(
    ("leaf", "length", "member"),
    [
        ("empty list", 0, None),
        ("list of str with length 4", 4, str),
        ("list of int with length 2", 2, int),
        ("list of float with length 3", 3, float),
        ("list of NoneType with length 1", 1, type(None)),
        ("list of list with length 2", 2, list),
        ([{"a": "int", "_list_length": 7}], 7, dict),
        ([{"a": "int", "_list_length": 0}], 0, None),
        ([], 0, None),
    ],
)
def test_a_list_keeps_its_declared_length(leaf, length, member):
    got = answer(tool({"data": 1, "wobbles": leaf}))["wobbles"]
    assert (len(got), {type(item) for item in got}) == (length, {member} if length else set())


def test_the_marker_of_the_length_is_no_field():
    assert "_list_length" not in json.dumps(answer(tool([{"a": "int", "_list_length": 3}])))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "int"}', {"a": "int"}),
        ('{"a": "int", "b": "st', {"a": "int"}),
        ('{"a": [{"b": "int", "c', {"a": [{"b": "int"}]}),
        ('{"a": {"b": "x\\"y, {", "c": 1', {"a": {"b": 'x"y, {'}}),
        ('[{"a": "int", "_list_length": 20}, ', [{"a": "int", "_list_length": 20}]),
        ('{"a', {}),
        ("", None),
        ("plain words", None),
    ],
)
def test_a_text_that_was_cut_off_is_closed(text, expected):
    assert jsontext.close(text) == expected


def test_long_lists_lose_members_to_keep_the_size():
    small = TemplateSimulator(max_size=1000)
    long = tool({"rows": [{"title": "str", "url": "str", "_list_length": 6387}]})
    result = small.simulate(long, {}, key="k")
    assert 300 < len(result.text) <= 1000
    assert "[cut]" not in result.text


def test_a_limit_in_the_call_bounds_the_list():
    rows = tool({"rows": [{"title": "str", "_list_length": 20}]})
    assert [len(answer(rows, {"limit": limit})["rows"]) for limit in (3, "5", -1, "many", 99)] == [
        3,
        5,
        20,
        20,
        20,
    ]


def test_a_size_too_small_for_any_answer_is_refused():
    with pytest.raises(ConfigError, match=r"^max_size must be at least 256 characters, got 10$"):
        TemplateSimulator(max_size=10)


@pytest.mark.parametrize(
    ("field", "parameter", "value", "expected"),
    [
        ("city", "city", "Paris", "Paris"),
        ("countryCode", "country_code", "FR", "FR"),
        ("id", "is_id", "tt7", "tt7"),
        ("year", "year", 1999, "1999"),
    ],
)
def test_an_argument_comes_back_in_the_field_of_its_name(field, parameter, value, expected):
    assert answer(tool({"data": {field: "str"}}), {parameter: value})["data"][field] == expected


def test_an_argument_of_another_type_does_not_come_back():
    got = answer(tool({"data": 1, "year": "int", "open": "bool"}), {"year": "soon", "open": "maybe"})
    assert (type(got["year"]), type(got["open"])) == (int, bool)


def test_a_known_town_brings_its_country():
    for place in words().places[:20]:
        skeleton = {"city": "str", "country": "str", "countryCode": "str", "latitude": "float"}
        known = town(place.city)
        got = answer(tool(skeleton), {"city": place.city}, key=f"in {place.city}")
        again = answer(tool({"country": "str", "place": "str"}), {"city": place.city.upper()}, key="again")
        assert got["country"] == again["country"] == known.country
        assert (got["countryCode"], got["latitude"]) == (known.code, known.latitude)


def test_a_limit_shortens_the_list_that_was_asked_for_and_none_inside_a_record():
    row = {"id": "int", "tags": "list of str with length 5"}
    listed = answer(tool({"rows": [{**row, "_list_length": 4}]}), {"limit": 2})["rows"]
    assert [len(row["tags"]) for row in listed] == [5, 5]
    assert len(answer(tool(row), {"id": 7, "limit": 2})["tags"]) == 5


def test_members_of_a_list_do_not_share_the_identifier_of_the_call():
    rows = answer(tool({"rows": [{"id": "int", "title": "str", "_list_length": 5}]}), {"user_id": 7})["rows"]
    assert len({row["id"] for row in rows}) == 5


def test_a_record_looks_the_same_in_every_api_of_its_tool():
    skeleton = {"id": "int", "title": "str", "description": "str", "price": "float"}
    several = tool({"rows": [{**skeleton, "_list_length": 4}]}, api="List Things")
    listed = answer(several, {"q": "bolts"}, key="page 1")["rows"]
    for row in listed:
        single = answer(tool({"data": skeleton}), {"is_id": str(row["id"])}, key=f"one {row['id']}")
        assert single["data"] == row


def test_other_pages_show_other_records():
    rows = tool({"rows": [{"id": "int", "title": "str", "_list_length": 4}]})
    assert answer(rows, {"page": 1}, key="1") != answer(rows, {"page": 2}, key="2")


def test_a_cached_example_gives_the_shape_where_there_is_no_template():
    example = {"total": 3, "names": ["a", "b"], "ratio": 0.5, "none": None, "open": True}
    got = answer(tool(), examples=[{"message": "try later"}, "", example])
    assert {name: type(value) for name, value in got.items()} == {
        name: type(value) for name, value in example.items()
    }


def test_a_template_is_preferred_to_an_example():
    assert list(answer(tool({"data": "int"}), examples=[{"other": 1}])) == ["data"]


def test_the_template_of_a_failure_teaches_nothing():
    failure = tool({"message": "str", "statusCode": "int"}, api="Search City")
    assert "results" in answer(failure)


@pytest.mark.parametrize(
    ("api", "field"),
    [
        ("Current Weather", "temperature"),
        ("Get Stock", "price"),
        ("Song Lyrics", "artist"),
        ("Latest News", "results"),
        ("Wobble", "description"),
    ],
)
def test_documentation_alone_gives_a_fitting_shape(api, field):
    assert field in answer(tool(api=api))


def test_the_documented_answer_repeats_what_was_asked():
    asked = tool(
        api="Wobble", required=["is_id", "api_key"], is_id={"type": "integer"}, api_key={"type": "string"}
    )
    got = answer(asked, {"is_id": 12, "api_key": "secret"})
    assert (got["id"], "api_key" in got) == (12, False)


def test_a_later_example_replaces_the_guess_from_the_documentation():
    bare = tool()
    before = answer(bare)
    assert list(answer(bare, examples=[{"other": 1}])) == ["other"]
    assert answer(bare) == before


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("not json", "Bad request: the arguments must be a JSON object"),
        ({}, "Missing required parameters: 'city', 'day'"),
        ({"city": "Oslo"}, "Missing required parameter: 'day'"),
    ],
)
def test_a_call_that_cannot_be_served_is_an_application_error(arguments, error):
    needy = tool({"data": "int"}, required=["", "city", "day"], city={}, day={})
    result = SIMULATOR.simulate(needy, arguments, key="k")
    assert (result.error, result.response, result.status, result.source) == (
        error,
        "",
        Status.TOOL_ERROR,
        "simulator",
    )


def test_the_record_decides_and_not_which_was_seen_first():
    first, second = tool({"data": "int"}), tool({"other": "int"})
    assert [list(answer(each)) for each in (first, second, first)] == [["data"], ["other"], ["data"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "user_id": 2, "post_id": 3}, {"post_id": 3, "user_id": 2, "a": 1}),
        ({"page": 1.0, "open": True}, {"page": "1", "open": "true"}),
        ({"movieId": 5}, {"movieid": "5"}),
        ({"page": 2}, '{"page": 2}'),
    ],
)
def test_calls_that_share_a_key_get_one_answer(one, other):
    page = tool({"page": "str", "pages": "int", "open": "bool", "id": "int", "title": "str", "a": "float"})
    keys = {call_key(page.id, arguments) for arguments in (one, other)}
    assert len(keys) == 1
    assert answer(page, one, *keys) == answer(page, other, *keys)


def test_the_size_bound_is_part_of_the_version():
    assert TemplateSimulator(max_size=500).version != SIMULATOR.version == TemplateSimulator().version


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from(
        ["str", "int", "float", "bool", "NoneType", "empty list", "list of str with length 300"]
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=12) | st.sampled_from(["id", "_list_length", "url", "data"]), inner, max_size=5
        )
    ),
    max_leaves=20,
)


@given(
    JSON,
    st.dictionaries(st.text(max_size=10) | st.sampled_from(["id", "q", "city", "limit"]), JSON, max_size=4),
)
def test_any_skeleton_and_any_arguments_give_a_bounded_deterministic_answer(skeleton, arguments):
    small = TemplateSimulator(max_size=600)
    for given_tool, examples in ((tool(skeleton), ()), (tool(), (skeleton,))):
        result = small.simulate(given_tool, arguments, key="k", examples=examples)
        assert set(json.loads(result.text)) == {"error", "response"}
        assert len(result.text) <= 600
        assert result == TemplateSimulator(max_size=600).simulate(
            given_tool, arguments, key="k", examples=examples
        )


@given(JSON, st.integers(min_value=0, max_value=400))
def test_a_skeleton_cut_anywhere_can_be_read(skeleton, end):
    read = skeletons.read(jsontext.close(json.dumps(skeleton)[:end]))
    assert read is None or isinstance(read, skeletons.Leaf | skeletons.Items | skeletons.Record)


def test_a_skeleton_is_read_up_to_600_fields_however_large_answers_may_be():
    wide = {f"field {number}": "str" for number in range(5_000)}
    result = TemplateSimulator(max_size=10**7).simulate(tool(wide), {}, key="k")
    assert 500 <= len(result.response) <= 600


@pytest.mark.heavy
def test_a_hostile_skeleton_is_bounded():
    deep = "str"
    for _ in range(90):
        deep = [{"data": deep, "_list_length": 10**9}]
    wide = {f"field {number}": "str" for number in range(20_000)}
    for skeleton in (deep, wide, "[" * 50_000, '{"a":' * 50_000):
        assert len(SIMULATOR.simulate(tool(skeleton), {}, key="k").text) <= 4000


def _documented(folder):
    """Build each API of the real query files once, with a call that follows its documentation."""
    seen = set()
    for path in sorted(folder.glob("*.json")):
        for entry in (entry for query in json.loads(path.read_text()) for entry in query["api_list"]):
            identity = ToolId.of(entry["category_name"], entry["tool_name"], entry["api_name"])
            if identity not in seen:
                seen.add(identity)
                yield _built(identity, entry)


def _built(identity, entry):
    required = {
        pure_name(parameter["name"]): parameter["default"] for parameter in entry["required_parameters"]
    }
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in required},
        "required": list(required),
    }
    return Tool(identity.api[:64], entry["api_description"], schema, identity, entry), required


@pytest.mark.heavy
def test_golden_every_documented_call_gets_a_parsable_answer_with_content(shared_data):
    for real, arguments in _documented(
        shared_data / "stabletoolbench" / "solvable_queries" / "test_instruction"
    ):
        result = SIMULATOR.simulate(real, arguments, key=str(real.id))
        assert not result.error
        assert json.loads(result.text)["response"], real.id
        assert len(result.text) <= 4000


def test_golden_every_template_that_was_cut_off_gives_fields(shared_data):
    for real, _ in _documented(shared_data / "stabletoolbench" / "solvable_queries" / "test_instruction"):
        text = real.record.get("template_response")
        if isinstance(text, str):
            assert jsontext.close(text), real.id
            assert skeletons.read(text) is not None, real.id
