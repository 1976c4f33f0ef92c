"""The sandbox's tools: documentation, answers, errors, state."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from stb_env.backend.world import Tables
from stb_env.core.request import drive
from stb_env.errors import DataError
from stb_env.suites.sandbox.catalog import apis, household, skeleton, tools
from stb_env.suites.sandbox.content.bistros import SLOTS, bistros, days_with_table, free_tables
from stb_env.suites.sandbox.content.films import films
from stb_env.suites.sandbox.content.flights import flights
from stb_env.suites.sandbox.content.hotels import hotels, hotels_by_city
from stb_env.suites.sandbox.content.households import COUNT, friends
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.content.places import cities, cities_by_name
from stb_env.suites.sandbox.lookups import days
from stb_env.suites.sandbox.registry import ToolDoc
from stb_env.suites.sandbox.tools import room_keeper
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tasks import Task
from stb_env.tools import NO_ID, Status, Tool, ToolCall
from tests.fakes.tools import ONE_TOOL

WORLD = SandboxWorld()
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def named(name: str) -> Tool:
    return next(tool for tool in tools().values() if tool.name == name)


def call(state: Tables, name: str, /, **arguments):
    return WORLD.call(state, named(name), arguments)


def test_the_documented_example_of_an_api_gets_an_answer():
    for tool in tools().values():
        for number in range(COUNT):
            result, _ = WORLD.call(household(number), tool, apis()[tool.id].defaults)
            assert result.status is Status.OK, (tool.name, result.error)


def test_the_schema_is_valid_and_accepts_the_documented_example():
    for tool in tools().values():
        Draft202012Validator.check_schema(tool.parameters)
        Draft202012Validator(tool.parameters).validate(apis()[tool.id].defaults)
        assert tool.parameters.get("required") != [], tool.name


def test_a_record_has_the_shape_of_stabletoolbench():
    for tool in tools().values():
        record, required = tool.record, tool.parameters.get("required", [])
        parameters = record["required_parameters"] + record["optional_parameters"]
        assert {"category_name", "tool_name", "api_name", "api_description", "method"} < record.keys()
        assert all({"name", "type", "description", "default"} <= entry.keys() for entry in parameters)
        ordered = sorted(tool.parameters["properties"], key=lambda name: name not in required)
        assert [entry["name"] for entry in parameters] == ordered
        assert record["api_description"], tool.name


def test_the_template_response_is_the_skeleton_of_an_answer():
    for tool in tools().values():
        result, _ = WORLD.call(household(0), tool, apis()[tool.id].defaults)
        assert tool.record["template_response"] == skeleton(result.response), tool.name


def test_names_fit_what_models_accept():
    assert all(tool.name.replace("_", "").isalnum() and len(tool.name) <= 64 for tool in tools().values())


@pytest.mark.parametrize("tool", tools().values(), ids=lambda tool: tool.name)
@given(data=st.data())
@settings(max_examples=5)
def test_any_schema_valid_call_is_answered(tool, data):
    arguments = data.draw(st.fixed_dictionaries({}, optional=_strategies(tool)))
    result, state = WORLD.call(household(0), tool, arguments)
    missing = set(tool.parameters.get("required", [])) - arguments.keys()
    assert (result.status is Status.INVALID_ARGUMENTS) == bool(missing)
    assert json.loads(result.text).keys() == {"error", "response"}
    assert isinstance(state, Tables)


def _strategies(tool):
    made = {}
    for name, schema in tool.parameters["properties"].items():
        example = schema.get("default", schema.get("examples", [None])[0])
        if "enum" in schema:
            made[name] = st.sampled_from(schema["enum"])
        elif schema["type"] == "string":
            made[name] = st.just(example) | st.text(max_size=12)
        else:
            numbers = st.integers if schema["type"] == "integer" else st.floats
            low, high = schema["minimum"], schema["maximum"]
            made[name] = numbers(low, high) if numbers is st.integers else st.floats(float(low), float(high))
    return made


@given(st.sampled_from(list(tools().values())), st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_junk_arguments_are_answered_with_an_error_and_change_nothing(tool, arguments):
    result, state = WORLD.call(household(0), tool, arguments)
    if arguments:
        assert result.status is Status.INVALID_ARGUMENTS
        assert result.error
        assert state is household(0)


@given(st.sampled_from(list(tools().values())), st.data())
def test_values_of_a_wrong_type_are_answered_and_never_raise(tool, data):
    arguments = {name: data.draw(JSON) for name in tool.parameters["properties"]}
    result, _ = WORLD.call(household(0), tool, arguments)
    assert result.status in (Status.OK, Status.TOOL_ERROR, Status.INVALID_ARGUMENTS)


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("city_details_for_city_atlas", {"city_id": "city-999"}, "no city with id 'city-999'"),
        ("get_fare_for_skyfare", {"flight_id": "SJ101", "date": "2026-02-30"}, "real day as YYYY-MM-DD"),
        ("get_fare_for_skyfare", {"flight_id": "SJ101", "date": "2026-W10-1"}, "real day as YYYY-MM-DD"),
        ("get_fare_for_skyfare", {"flight_id": "SJ101", "date": "1999-01-01"}, "2026 and 2027 only"),
        (
            "convert_amount_for_rate_board",
            {"amount": 1, "source_code": "USD", "target_code": "AUR"},
            "no currency",
        ),
        (
            "transfer_money_for_pocket_bank",
            {"source_account_id": "account-001", "target_account_id": "account-002", "amount": 1e6},
            "insufficient funds",
        ),
        ("set_cart_quantity_for_corner_shop", {"product_id": "product-001", "quantity": 999}, "in stock"),
        ("search_hotels_for_stayfinder", {"city_name": "city-001"}, "no city is named 'city-001'"),
        (
            "create_event_for_day_planner",
            {"title": "x", "date": "2026-05-04", "start_time": "25:00", "duration_minutes": 30},
            "24-hour HH:MM",
        ),
    ],
)
def test_what_an_api_refuses_is_a_tool_error_that_says_why(name, arguments, error):
    before = household(0)
    result, after = call(before, name, **arguments)
    assert result.status is Status.TOOL_ERROR
    assert error in result.error
    assert after is before


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "missing required parameter 'city_id'"),
        ({"city_id": 3}, "city_id must be string, got '3'"),
        (
            {"city_id": "city-001", "date": "2026-03-02", "units": "kelvin"},
            "units must be one of metric, imperial",
        ),
        ({"city_id": "city-001", "date": "2026-03-02", "hour": 3}, "unknown parameter 'hour'"),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments, error):
    result, _ = call(household(0), "daily_forecast_for_climate_desk", **arguments)
    assert result.status is Status.INVALID_ARGUMENTS
    assert error in result.error


def test_a_whole_number_may_be_written_as_a_float():
    result, _ = call(household(0), "price_stay_for_stayfinder", hotel_id="hotel-001", nights=3.0)
    assert result.response["nights"] == 3


def test_two_states_from_one_do_not_influence_each_other():
    start = household(0)
    before = pickle.dumps(start)
    _, one = call(start, "add_contact_for_contact_book", name="Ann Other", phone="1")
    _, two = call(start, "add_contact_for_contact_book", name="Bob Other", phone="2")
    assert [row["name"] for row in list(one.table("contacts").values())[-1:]] == ["Ann Other"]
    assert [row["name"] for row in list(two.table("contacts").values())[-1:]] == ["Bob Other"]
    assert pickle.dumps(start) == before


def test_a_caller_that_changes_a_response_changes_no_later_answer():
    result, _ = call(household(0), "list_accounts_for_pocket_bank")
    result.response["accounts"].clear()
    again, _ = call(household(0), "list_accounts_for_pocket_bank")
    assert len(again.response["accounts"]) == 3


def test_a_state_survives_pickling():
    _, state = call(household(1), "place_order_for_corner_shop")
    assert pickle.loads(pickle.dumps(state)) == state


def test_a_transfer_moves_exactly_the_amount():
    before = household(0)
    _, after = call(
        before,
        "transfer_money_for_pocket_bank",
        source_account_id="account-001",
        target_account_id="account-002",
        amount=12.5,
    )
    moved = [after.row("accounts", key)["balance"] - before.row("accounts", key)["balance"] for key in
             ("account-001", "account-002", "account-003")]  # fmt: skip
    assert moved == pytest.approx([-12.5, 12.5, 0])


def test_pages_partition_the_results():
    name = "search_people_for_cine_people"
    first, _ = call(household(0), name, name="a")
    ids = []
    for page in range(1, first.response["pages"] + 1):
        result, _ = call(household(0), name, name="a", page=page)
        ids += [row["person_id"] for row in result.response["results"]]
    assert len(ids) == len(set(ids)) == first.response["total"]


def test_the_content_is_consistent():
    assert {film["director_id"] for film in films().values()} <= people().keys()
    assert {key for film in films().values() for key in film["cast_ids"]} <= people().keys()
    assert {person["birth_city_id"] for person in people().values()} <= cities().keys()
    assert {hotel["city_id"] for hotel in hotels().values()} == cities().keys()
    assert {flight["origin_city_id"] for flight in flights().values()} == cities().keys()
    assert {flight["destination_city_id"] for flight in flights().values()} <= cities().keys()
    assert {friend["city_id"] for number in range(COUNT) for friend in friends(number)} <= cities().keys()


@pytest.mark.parametrize("rows", [people, films, hotels], ids=lambda rows: rows.__name__)
def test_names_are_unique(rows):
    names = [row.get("name") or row["title"] for row in rows().values()]
    assert len(set(names)) == len(names)
    assert len(cities_by_name()) == len(cities())


@pytest.mark.parametrize("earliest", SLOTS)
def test_the_days_with_a_table_are_those_on_which_the_restaurant_lists_one(earliest):
    coming = days(50, 80)
    for key in list(bistros())[:3]:
        listed = [when for when in coming if any(time >= earliest for time in free_tables(key, str(when)))]
        assert days_with_table(key, coming, earliest) == listed


def test_the_days_with_a_room_are_those_on_which_the_hotel_offers_one():
    (city, (hotel, *_)), *_ = hotels_by_city().items()
    key, coming = hotel["hotel_id"], days(110, 140)
    offered = [
        when
        for when in coming
        for offer in room_keeper.find_rooms.run(Tables(), {"city_id": city, "check_in": str(when)})[0][
            "hotels"
        ]
        if offer["hotel_id"] == key and offer["available"]
    ]
    assert room_keeper.days_with_room(key, coming) == offered
    assert 0 < len(offered) < len(coming)


def test_the_backend_answers_without_a_request_and_refuses_raw_text():
    tool = named("list_accounts_for_pocket_bank")
    state = WORLD.start(Task("x", "", ONE_TOOL), seed=3)
    result, _ = drive(WORLD.answer(state, tool, ToolCall(tool.name, {})))
    raw, after = drive(WORLD.answer(state, tool, ToolCall(tool.name, "not json")))
    assert result.source == raw.source == "world"
    assert raw.status is Status.INVALID_ARGUMENTS
    assert after is state
    assert WORLD.recorded(state, tool, ToolCall(tool.name, {})) is None


def test_a_tool_of_another_suite_is_refused():
    with pytest.raises(DataError, match="'ping' is no tool of the sandbox; take tools from its tasks"):
        WORLD.call(household(0), Tool("ping", "", {}, NO_ID), {})


def test_the_fingerprint_is_plain_data():
    assert json.loads(json.dumps(WORLD.fingerprint)) == WORLD.fingerprint


def test_a_tool_is_its_documentation_and_its_code():
    doc = ToolDoc("Testing", "Echo Box", "Says it again.")

    @doc.lookup("Say")
    def say():
        """Say hello."""
        return {"said": "hello"}

    assert doc.apis == [say]
    assert (say.description, say.id.api) == ("Say hello.", "say")
    assert say.run(Tables(), {}) == ({"said": "hello"}, Tables())
