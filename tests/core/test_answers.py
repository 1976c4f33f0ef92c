"""The comparison of typed answers: legal forms, equality by type, and what no value may break."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stb_env.core.answers import (
    code_key,
    form_problems,
    listed_spelling,
    name_key,
    object_schema,
    right_fields,
    same,
    schema_of,
)
from stb_env.errors import ConfigError

NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
NEAR = {"type": "number", "tolerance": 0.5}
BOOLEAN = {"type": "boolean"}
DATE = {"type": "string", "format": "date"}
TIME = {"type": "string", "format": "time"}
NAME = {"type": "string"}
CODE = {"type": "string", "format": "code"}
WEEKDAY = {"type": "string", "enum": ["Monday", "Tuesday", "São Tomé", "NW-110"]}
NAMES = {"type": "array", "items": NAME, "uniqueItems": True}
ORDERED = {**NAMES, "ordered": True}


@pytest.mark.parametrize(
    ("schema", "expected", "given_", "equal"),
    [
        (INTEGER, 12, 12.0, True),
        (NUMBER, 12.0, 12, True),
        (NUMBER, 0.3, 0.1 + 0.2, True),
        (NUMBER, 0.3, 0.31, False),
        (INTEGER, 12, 13, False),
        (INTEGER, 1, True, False),
        (INTEGER, 12, "12", False),
        (NUMBER, 1200, "1,200", False),
        (NUMBER, 1, None, False),
        (NUMBER, 1, float("nan"), False),
        (NUMBER, 1, float("inf"), False),
        (NUMBER, 0.5, 10**400, False),
        (INTEGER, 10**400, 10**400, True),
        (INTEGER, 10**400, 10**400 + 1, False),
        (INTEGER, 10**400, 0.5, False),
        # Large whole numbers are told apart, and so are cents of large amounts.
        (INTEGER, 3_000_000_000, 3_000_000_001, False),
        (NUMBER, 3_000_000_000, 3_000_000_001.0, False),
        (NUMBER, 10**15, 10**15 + 1, False),
        (NUMBER, 3_000_000_000.25, 3_000_000_000.26, False),
        (NEAR, 10, 10.5, True),
        (NEAR, 10, 9.5, True),
        (NEAR, 10, 10.51, False),
        ({"type": "number", "tolerance": 0.1}, 0.3, 0.4, True),
        ({"type": "integer", "tolerance": 1}, 3_000_000_000, 3_000_000_001, True),
        ({"type": "integer", "tolerance": 1}, 3_000_000_000, 3_000_000_002, False),
        (BOOLEAN, True, True, True),
        (BOOLEAN, True, False, False),
        (BOOLEAN, True, 1, False),
        (BOOLEAN, False, 0, False),
        (BOOLEAN, False, None, False),
        (BOOLEAN, True, "true", False),
    ],
)
def test_numbers_count_by_value_and_are_neither_text_nor_true(
    schema: dict, expected: Any, given_: Any, equal: bool
):
    assert same(schema, expected, given_) is equal


@pytest.mark.parametrize(
    ("given_", "equal"),
    [
        ("2026-03-09", True),
        ("2026-03-09T00:00", True),
        ("2026-03-09T00:00:00", True),
        ("2026-03-09T00:00Z", True),
        ("2026-03-09T00:00:00+00:00", True),
        ("2026-03-09T00:00:00.000Z", True),
        ("2026-03-10", False),
        ("2026-03-09T00:01", False),
        ("2026-03-09T00:00:00-05:00", False),
        ("2026-03-09T00:00:00.001Z", False),
        ("2026-02-30", False),
        ("2026-3-9", False),
        ("09.03.2026", False),
        ("March 9, 2026", False),
        ("20260309", False),
        ("2026-03-09 ", False),
        ("2026-03-09\n", False),
        ("２０２６-03-09", False),
        ("0000-01-01", False),
        ("", False),
        (20260309, False),
    ],
)
def test_a_date_is_an_iso_date_or_its_midnight(given_: Any, equal: bool):
    assert same(DATE, "2026-03-09", given_) is equal
    problems = list(form_problems(object_schema({"due": DATE}), {"due": given_}))
    # A date that is only another one is well formed; what is no text is for the JSON Schema to refuse.
    assert bool(problems) is (not equal and given_ not in ("2026-03-10", 20260309))


@pytest.mark.parametrize(
    ("given_", "equal"),
    [
        ("09:15", True),
        ("09:15:00", True),
        ("09:15:01", False),
        ("9:15", False),
        ("09:15 AM", False),
        ("21:15", False),
        ("24:00", False),
        ("09:60", False),
        ("09:15Z", False),
        (" 09:15", False),
        ("09:15\n", False),
        ("０９:15", False),
        ("٠٩:15", False),
        (9.25, False),
    ],
)
def test_a_time_is_hours_and_minutes_of_24(given_: Any, equal: bool):
    assert same(TIME, "09:15", given_) is equal
    problems = list(form_problems(object_schema({"at": TIME}), {"at": given_}))
    assert bool(problems) is (not equal and given_ not in ("21:15", 9.25))


@pytest.mark.parametrize(
    ("expected", "given_", "equal"),
    [
        ("Café d'Or", "cafe dor", True),
        ("Café d'Or", "CAFE D’OR", True),
        ("Cafe\u0301", "Café", True),
        ("The Golden Fork", "golden fork", True),
        ("An Evening Out", "Evening Out", True),
        ("A Week", "week", True),
        ("Straße", "STRASSE", True),
        ("İstanbul", "istanbul", True),
        ("ŉ", "ʼN", True),
        ("Ann  Lee", "ann lee", True),
        ("Ann Lee", "Lee", False),
        ("Ann Lee", "Ann", False),
        ("Ann Lee", "Ms Ann Lee", False),
        ("Ann Lee", "Ann Lee (Oslo)", False),
        ("Ann Lee", "Ann-Lee", False),
        ("Ann Lee", "AnnLee", False),
        ("Theodore", "odore", False),
        ("The", "", False),
        ("½", "1/2", False),
        ("½", "12", False),
        ("Ann Lee", ["Ann Lee"], False),
        ("Ann Lee", None, False),
        ("12", 12, False),
    ],
)
def test_case_accents_apostrophes_and_a_leading_article_do_not_count_in_names(
    expected: str, given_: Any, equal: bool
):
    assert same(NAME, expected, given_) is equal


@pytest.mark.parametrize(
    ("expected", "given_", "equal"),
    [
        ("NW 110", "nw-110", True),
        ("NW 110", "NW110", True),
        ("+47 22 33", "+472233", True),
        ("NW 110", "NW\u2011110", True),
        ("NW 110", "NW.110", False),
        ("ab.c@x.org", "a.bc@x.org", False),
        ("ab@x.org", "ab x.org", False),
        ("+47 22", "47 22", False),
        ("½", "12", False),
        ("é1", "e1", False),
        ("e\u03011", "é1", True),
        ("The1", "1", False),
        ("12", 12, False),
    ],
)
def test_spaces_hyphens_and_case_do_not_count_in_codes_and_other_signs_do(
    expected: str, given_: Any, equal: bool
):
    assert same(CODE, expected, given_) is equal


@pytest.mark.parametrize(
    ("given_", "read"),
    [
        ("monday", "Monday"),
        ("sao tome", "São Tomé"),
        ("nw110", "NW-110"),
        ("Monday", "Monday"),
        ("Mon", "Mon"),
        ("Wednesday", "Wednesday"),
        ("Monday (tomorrow)", "Monday (tomorrow)"),
        (1, 1),
        (["monday"], ["monday"]),
    ],
)
def test_an_enum_value_is_read_in_its_listed_spelling(given_: Any, read: Any):
    schema = object_schema({"day": WEEKDAY})
    assert listed_spelling(schema, {"day": given_}) == {"day": read}


def test_listed_spellings_are_read_inside_of_lists_and_objects_too():
    schema = object_schema(
        {"days": {"type": "array", "items": WEEKDAY}, "at": object_schema({"day": WEEKDAY})}
    )
    given_ = {"days": ["monday", "x"], "at": {"day": "TUESDAY"}}
    assert listed_spelling(schema, given_) == {"days": ["Monday", "x"], "at": {"day": "Tuesday"}}


def test_listed_values_that_differ_by_little_stay_apart():
    band = {"type": "string", "enum": ["The Who", "Who", "who-1", "who 1"]}
    assert listed_spelling(band, "Who") == "Who"
    assert listed_spelling(band, "WHO1") == "WHO1"
    assert same(band, "The Who", "The Who")
    assert not same(band, "The Who", "Who")
    assert not same(band, "who-1", "who 1")


@pytest.mark.parametrize(
    ("schema", "expected", "given_", "equal"),
    [
        (NAMES, ["Milk", "Bread"], ["bread", "milk"], True),
        (ORDERED, ["Milk", "Bread"], ["bread", "milk"], False),
        (ORDERED, ["Milk", "Bread"], ["milk", "bread"], True),
        (NAMES, ["Milk", "Bread"], ["milk"], False),
        (NAMES, ["Milk"], ["milk", "bread"], False),
        (NAMES, ["Milk"], ["milk", "milk"], False),
        (NAMES, ["Milk", "Bread"], ["milk", "Milk"], False),
        (NAMES, ["Milk"], "Milk", False),
        (NAMES, [], [], True),
        ({"type": "array", "items": NUMBER}, [1, 1, 2], [2, 1, 1], True),
        ({"type": "array", "items": NUMBER}, [1, 1, 2], [2, 2, 1], False),
        # The first value that is near enough to one is the only one for another.
        ({"type": "array", "items": NEAR}, [1.0, 1.4, 1.8], [1.4, 1.8, 1.0], True),
        ({"type": "array", "items": NEAR}, [1.0, 1.4], [1.3, 0.6], True),
        ({"type": "array", "items": NEAR}, [1.0, 1.4], [1.3, 1.95], False),
    ],
)
def test_the_order_of_a_list_counts_only_where_that_is_declared(
    schema: dict, expected: Any, given_: Any, equal: bool
):
    assert same(schema, expected, given_) is equal


def test_a_list_that_repeats_a_value_in_another_spelling_is_refused():
    schema = object_schema({"titles": NAMES})
    assert list(form_problems(schema, {"titles": ["Milk", "The MILK"]})) == [
        "'answer.titles' has 'The MILK' twice; give each value once"
    ]
    assert not list(form_problems(schema, {"titles": ["Milk", "Bread"]}))


def test_problems_name_the_place_inside_of_lists_and_objects():
    schema = object_schema({"legs": {"type": "array", "items": object_schema({"departs": TIME})}})
    problems = list(form_problems(schema, {"legs": [{"departs": "09:15"}, {"departs": "noon"}]}))
    assert problems == ["'answer.legs[1].departs' must be a time as HH:MM, 24 hours, got the text 'noon'"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_no_json_can_hold_is_a_problem(value: float):
    (problem,) = form_problems(object_schema({"total": NUMBER}), {"total": value})
    assert "'answer.total' must be a finite number" in problem


def test_every_expected_field_is_right_or_wrong_for_itself():
    schema = object_schema({"total": NUMBER, "city": NAME, "at": object_schema({"day": DATE, "time": TIME})})
    expected = {"total": 12, "city": "Oslo", "at": {"day": "2026-03-09", "time": "09:15"}}
    assert right_fields(schema, expected, {**expected, "city": "Bergen"}) == {
        "total": True,
        "city": False,
        "at": True,
    }
    assert right_fields(schema, expected, {"total": 12}) == {"total": True, "city": False, "at": False}
    assert not any(right_fields(schema, expected, None).values())
    assert not right_fields(schema, expected, {**expected, "at": {"day": "2026-03-09"}})["at"]
    assert not right_fields(schema, expected, {**expected, "at": {**expected["at"], "more": 1}})["at"]


# -- schemas from values -----------------------------------------------------------------------------


def test_values_suggest_their_schema():
    values = {"count": 2, "total": 2.5, "due": "2026-03-09", "at": "09:15", "open": True, "titles": ["Milk"]}
    properties = schema_of({**values, "seat": {"row": 1}})["properties"]
    kinds = {name: (each["type"], each.get("format")) for name, each in properties.items()}
    assert kinds == {
        "count": ("integer", None),
        "total": ("number", None),
        "due": ("string", "date"),
        "at": ("string", "time"),
        "open": ("boolean", None),
        "titles": ("array", None),
        "seat": ("object", None),
    }
    assert properties["seat"]["required"] == ["row"]
    assert properties["titles"]["uniqueItems"]


@pytest.mark.parametrize("value", [None, [], {}, [1, "a"], [[], [1]], {"x": None}, object()])
def test_a_value_that_tells_no_type_is_refused(value: Any):
    with pytest.raises(ConfigError, match="tells no type"):
        schema_of({"total": value})


# -- properties --------------------------------------------------------------------------------------

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just(10**400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
SCALARS = st.sampled_from([NUMBER, INTEGER, NEAR, BOOLEAN, DATE, TIME, NAME, CODE, WEEKDAY])
SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(
            lambda items, more: {"type": "array", "items": items, **more},
            inner,
            st.sampled_from([{}, {"uniqueItems": True}, {"ordered": True}]),
        )
        | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3).map(object_schema)
    ),
    max_leaves=6,
)


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that fit a schema."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"], schema.get("format"):
        case "number", _:
            return st.floats(allow_nan=False, allow_infinity=False) | st.integers()
        case "integer", _:
            return st.integers()
        case "boolean", _:
            return st.booleans()
        case "string", "date":
            return st.dates().map(str)
        case "string", "time":
            return st.times().map(lambda time: f"{time:%H:%M}")
        case "array", _:
            return st.lists(values_of(schema["items"]), max_size=5)
        case "object", _:
            return st.fixed_dictionaries(
                {name: values_of(each) for name, each in schema["properties"].items()}
            )
    return st.text()


TYPED = SCHEMAS.flatmap(lambda schema: st.tuples(st.just(schema), values_of(schema), values_of(schema)))


@given(TYPED)
def test_a_value_is_equal_to_itself(case: Any):
    schema, value, _ = case
    assert same(schema, value, value)
    assert same(schema, value, json.loads(json.dumps(value)))


@given(TYPED)
def test_equality_goes_both_ways(case: Any):
    schema, one, other = case
    assert same(schema, one, other) is same(schema, other, one)


@given(TYPED, st.randoms(use_true_random=False))
def test_an_unordered_list_is_equal_to_its_permutations(case: Any, random: Any):
    schema, value, _ = case
    assume(schema["type"] == "array" and not schema.get("ordered"))
    assert same(schema, value, random.sample(value, len(value)))


@given(SCHEMAS, JSON, JSON)
def test_no_json_makes_an_exception(schema: dict, one: Any, other: Any):
    whole = object_schema({"x": schema})
    assert same(schema, one, other) in (True, False)
    listed_spelling(whole, {"x": one})
    assert all(isinstance(problem, str) for problem in form_problems(whole, {"x": one}))
    assert right_fields(whole, {"x": one}, {"x": other}).keys() == {"x"}


@given(JSON)
def test_no_schema_says_nothing_against_a_value_and_leaves_it_as_it_is(value: Any):
    assert not list(form_problems({}, value))
    assert listed_spelling({}, value) is value


@given(st.text())
def test_the_keys_of_texts_are_stable(text: str):
    assert name_key(text) == name_key(unicodedata.normalize("NFC", text))
    assert code_key(code_key(text)) == code_key(text)
    assert code_key(text) == code_key(f" {text}-")


def test_a_value_that_nests_deep_where_the_schema_is_flat_is_no_trouble():
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    schema = object_schema({"city": NAME, "more": {}})
    given_ = {"city": deep, "more": deep}
    assert not list(form_problems(object_schema({"more": {}}), {"more": deep}))
    assert listed_spelling(schema, given_)["more"] is deep
    assert right_fields(schema, {"city": "Oslo"}, given_) == {"city": False}


def test_long_texts_are_compared_and_not_kept():
    long = "Oslo " * 200_000
    assert same(NAME, long, long.upper())
    assert not same(CODE, long, long + "1")
