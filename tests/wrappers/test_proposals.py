"""Arguments of candidate actions, from the query, earlier results and documentation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.tools import FINISH, Tool
from stb_env.wrappers.candidate import AnswerCandidate, CallCandidate, Filling
from stb_env.wrappers.documented import documented
from stb_env.wrappers.features import FEATURES, features
from stb_env.wrappers.mentions import kind_of, mentions
from stb_env.wrappers.proposals import Done, Seen, candidates
from stb_env.wrappers.result_rows import rows


def spec(properties: dict[str, Any], required: list[str] | None = None, name: str = "find_for_shop") -> str:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
    }
    return f"[{Tool(name, 'Finds things.', schema).spec}]"


def filled(
    query: str, properties: dict[str, Any], *done: Done, required: list[str] | None = None
) -> list[Any]:
    """Return the arguments of every candidate call of a tool with these parameters, in order."""
    found = candidates(Seen(query, spec(properties, required), done), size=64, finish=False)
    return [json.loads(candidate.action)["arguments"] for candidate in found]


@pytest.mark.parametrize(
    ("query", "properties", "expected"),
    [
        ("Weather in Las Brisas?", {"city": {"type": "string"}}, {"city": "Las Brisas"}),
        ('Play "The Sea" now', {"title": {"type": "string"}}, {"title": "The Sea"}),
        ("On 3 May 2026?", {"day": {"type": "string", "examples": ["2026-01-01"]}}, {"day": "2026-05-03"}),
        ("On 2026-05-03?", {"start_date": {"type": "string"}}, {"start_date": "2026-05-03"}),
        ("Wake me at 07:15", {"start_time": {"type": "string"}}, {"start_time": "07:15"}),
        ("Ring +44 7087 8992", {"phone": {"type": "string"}}, {"phone": "+44 7087 8992"}),
        ("Where is NW110?", {"flight_id": {"type": "string", "examples": ["AB1"]}}, {"flight_id": "NW110"}),
        ("Buy 1,200 of them", {"count": {"type": "integer"}}, {"count": 1200}),
        ("Send 12.50 AUR", {"amount": {"type": "number"}}, {"amount": 12.5}),
        (
            "From 50 AUR to GYO",
            {
                "source": {"type": "string", "default": "X" * 3},
                "target": {"type": "string", "default": "YYY"},
            },
            {"source": "AUR", "target": "GYO"},
        ),
        ("By train, please", {"mode": {"type": "string", "enum": ["bus", "train"]}}, {"mode": "train"}),
        (
            "High in Fahrenheit?",
            {
                "units": {
                    "type": "string",
                    "enum": ["metric", "imperial"],
                    "description": "metric: Celsius; imperial: Fahrenheit.",
                }
            },
            {"units": "imperial"},
        ),
        ("Anything?", {"city": {"type": "string", "examples": ["Oslo"]}}, {"city": "Oslo"}),
        ("Anything?", {"n": {"type": "integer"}}, {"n": 1}),
        ("Anything?", {"deep": {"type": "object"}}, {"deep": {}}),
        ("Anything?", {"b": {"type": "boolean"}}, {"b": True}),
    ],
)
def test_the_first_candidate_takes_what_the_query_says(query: str, properties: Any, expected: Any):
    assert filled(query, properties)[0] == expected


def test_a_number_with_a_fraction_is_no_whole_number():
    assert filled("Send 12.5", {"n": {"type": "integer", "examples": [3]}}) == [{"n": 3}]


def test_the_default_stays_in_reach():
    assert {"code": "AUR"} in filled("Into GYO", {"code": {"type": "string", "examples": ["AUR"]}})


def test_two_parameters_of_a_kind_never_get_one_value():
    codes = {name: {"type": "string", "default": "AUR"} for name in ("source_code", "target_code")}
    assert {"source_code": "GYO", "target_code": "GYO"} not in filled("Into GYO", codes)


def test_an_optional_parameter_is_given_where_something_fits_and_left_out_elsewhere():
    phone = {"phone": {"type": "string", "default": ""}, "note": {"type": "string", "default": ""}}
    assert filled("Her number is +44 7087 8992", phone, required=[]) == [{"phone": "+44 7087 8992"}, {}]
    assert filled("What is her number?", phone, required=[]) == [{}]


def test_the_row_that_the_query_names_comes_first():
    query = "Delete Ada Byron from my contacts"
    response = [{"contact_id": "c-1", "name": "Ben Ash"}, {"contact_id": "c-2", "name": "Ada Byron"}]
    done = Done("search", "{}", True, rows(response, query))
    key = {"contact_id": {"type": "string", "examples": ["c-9"]}}
    assert filled(query, key, done) == [{"contact_id": "c-2"}, {"contact_id": "c-1"}, {"contact_id": "c-9"}]


def test_values_are_taken_from_the_three_latest_results():
    query = "Track my orders."
    made = [Done("search", "{}", True, rows({"order_id": f"o-{n}"}, query)) for n in range(5)]
    order = {"order_id": {"type": "string", "examples": ["o-9"]}}
    assert [found["order_id"] for found in filled(query, order, *made)] == ["o-4", "o-3", "o-2", "o-9"]
    later = Done("search", "{}", True, rows({"city": "Oslo"}, query))
    assert [found["order_id"] for found in filled(query, order, made[0], later, later)] == ["o-0", "o-9"]
    assert [found["order_id"] for found in filled(query, order, made[0], later, later, later)] == ["o-9"]


@pytest.mark.parametrize("size", [2, 3, 64])
def test_however_few_candidates_there_are_one_of_them_answers(size: int):
    found = candidates(Seen("Where is my order?", spec({"order_id": {"type": "string"}})), size)
    assert json.loads(found[-1].action)["name"] == FINISH
    assert json.loads(found[0].action)["name"] == "find_for_shop"


@given(
    st.text(max_size=200),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
        max_leaves=40,
    ),
)
def test_any_query_and_any_response_give_candidates_that_can_be_read(query: str, response: Any):
    properties = {"city_id": {"type": "string"}, "n": {"type": "integer"}, "when": {"type": "string"}}
    done = Done("find_for_shop", "{}", True, rows(response, query))
    found = candidates(Seen(query, spec(properties), (done,), 1), size=32)
    assert 2 <= len(found) <= 32
    assert all(json.loads(candidate.action)["name"] in ("find_for_shop", FINISH) for candidate in found)


# -- what a query mentions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How many people live in Las Brisas?", ["Las Brisas"]),
        ("How far is it from Cawdle to Mirabad?", ["Cawdle", "Mirabad"]),
        ("Daily departure Cawdle - Mirabad", ["Cawdle", "Mirabad"]),
        ("Saskia Wexcombe has moved", ["Wexcombe", "Saskia Wexcombe"]),
        ("What is Ada Byron's number?", ["Ada Byron"]),
        ("a 14-night stay", [14]),
        ("on May 3rd, 2026 or 04 June 2026", ["2026-05-03", "2026-06-04"]),
        ("on 2026-02-31", [2026, 2, 31]),
        ("Aa " * 20, ["Aa Aa Aa Aa Aa", "Aa Aa Aa Aa Aa Aa", *["Aa Aa Aa Aa Aa Aa"] * 2, "Aa Aa"]),
        ("in Las Brisas on 2026-05-03, then Cawdle", ["Las Brisas", "2026-05-03", "Cawdle"]),
        ("from 50 AUR (aurel)", [50, "AUR"]),
        ("", []),
    ],
)
def test_mentions_are_read_in_order(text: str, expected: list[Any]):
    assert [mention.value for mention in mentions(text)] == expected


@pytest.mark.parametrize(
    ("positions", "in_order"),
    [((3, 9), True), ((9, 3), False), ((3, 3), True), ((-1, 3), True), ((9, -1), True)],
)
def test_values_are_in_order_where_none_stands_before_one_that_is_named_earlier(positions, in_order):
    schema = {"first": {"type": "string"}, "second": {"type": "string"}}
    (tool,) = documented(spec(schema))
    fillings = tuple(Filling("Ada", "query", 1.0, position) for position in positions)
    assert CallCandidate(tool, fillings).in_order == in_order


@given(st.text(max_size=300))
def test_any_text_has_mentions_inside_it(text: str):
    found = mentions(text)
    assert [mention.position for mention in found] == sorted(mention.position for mention in found)
    assert all(0 <= mention.position < len(text) for mention in found)


@given(st.text(max_size=60))
def test_any_text_is_of_one_kind(text: str):
    assert kind_of(text) in ("date", "time", "phone", "id", "number", "code", "name")


@pytest.mark.parametrize(
    ("names", "singled_out"),
    [(["Ada", "Bob"], [False, True]), (["Bob", "Bob"], [False, False]), (["Bob"], [False])],
)
def test_a_row_is_singled_out_where_the_query_names_it_and_no_other(
    names: list[str], singled_out: list[bool]
):
    found = rows({"found": [{"name": name} for name in names]}, "Please call Bob.")
    assert [row.singled_out for row in found] == singled_out


@pytest.mark.parametrize(
    ("calls", "called", "repeated", "failed"),
    [
        ([], 0.0, 0.0, 0.0),
        ([("o-2", True)], 1.0, 0.0, 0.0),
        ([("o-2", False)], 1.0, 0.0, 0.0),
        ([("o-1", True), ("o-2", False)], 1.0, 1.0, 0.0),
        ([("o-1", False), ("o-2", True)], 1.0, 1.0, 1.0),
    ],
)
def test_a_call_is_a_repetition_where_its_arguments_are_the_same(
    calls: list[tuple[str, bool]], called: float, repeated: float, failed: float
):
    made = tuple(Done("find_for_shop", f'{{"order_id": "{order}"}}', ok) for order, ok in calls)
    schema = {"order_id": {"type": "string", "default": "o-1"}}
    seen = Seen("Track my order.", spec(schema), made)
    row = features(candidates(seen, 4, finish=False), seen, 4)[0]
    names = ("tool_called", "call_repeated", "call_failed")
    assert [row[FEATURES.index(name)] for name in names] == [called, repeated, failed]


@pytest.mark.parametrize(
    ("query", "used"), [("Cancel my order.", 1.0), ("Cancel order 7431.", 0.0), ("Cancel 7431!", 0.0)]
)
def test_a_value_counts_as_taken_from_a_result_only_where_the_query_does_not_say_it(query: str, used: float):
    found = Done("orders", "{}", True, rows({"order": 7431}, query))
    cancelled = Done("cancel", '{"order": 7431}', True, values=frozenset({"7431"}))
    seen = Seen(query, spec({}), (found, cancelled))
    row = features([AnswerCandidate("Done.")], seen, 1)[0]
    assert row[FEATURES.index("results_used")] == used
