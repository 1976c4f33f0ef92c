"""Argument values: texts and typed values, taken leniently or as the released code takes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.api_bank.api_error import ArgumentsError
from stb_env.suites.api_bank.api_set import LEVEL_3, LEVEL_12
from stb_env.suites.api_bank.casting import CASTS, ORIGINAL_CASTS
from stb_env.suites.api_bank.world import ApiBankWorld
from stb_env.tools import Status
from tests.suites.api_bank.errors import alarm, booking, measured
from tests.suites.api_bank.play import LEVEL_3_WORLD, MIRA, ORIGINAL, WORLD, play

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=4,
)
WORLDS = [WORLD, ORIGINAL, LEVEL_3_WORLD, ApiBankWorld(LEVEL_3, compat="original")]


@pytest.mark.parametrize(
    ("kind", "value", "lenient", "original"),
    [
        ("str", "2", "2", "2"),
        ("str", 2, "2", 2),
        ("int", "2", 2, 2),
        ("int", 2, 2, 2),
        ("int", 2.0, 2, 2),
        ("float", "1.5", 1.5, 1.5),
        ("float", "3", 3.0, 3.0),
        ("float", 3, 3.0, 3.0),
        ("bool", "True", True, True),
        ("bool", "False", False, False),
        ("bool", True, True, False),
        ("bool", "true", True, False),
        ("list(str)", ["a"], ["a"], ["a"]),
        ("list(str)", "['a', 'b']", ["a", "b"], "['a', 'b']"),
        ("list(str)", '["it\'s"]', ["it's"], '["it\'s"]'),
        (
            "list",
            "[{'name': \"o'clock\", 'value': 1}]",
            [{"name": "o'clock", "value": 1}],
            "[{'name': \"o'clock\", 'value': 1}]",
        ),
    ],
)
def test_a_value_is_cast_to_its_declared_type(kind, value, lenient, original):
    assert CASTS[kind](value) == lenient
    assert ORIGINAL_CASTS[kind](value) == original


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("str", ["a"], r"invalid parameter type\. parameter: \['a'\]"),
        ("int", "-2", r"invalid parameter type\. parameter: -2"),
        ("int", "2.0", r"invalid parameter type\. parameter: 2\.0"),
        ("int", " 2", r"invalid parameter type\. parameter:  2"),
        ("int", True, r"invalid parameter type\. parameter: True"),
        ("int", "9" * 5000, r"invalid parameter type\. parameter: 9+"),
        ("float", "warm", r"invalid parameter type\. parameter: warm"),
        ("float", "nan", r"invalid parameter type\. parameter: nan"),
        ("bool", "maybe", r"invalid parameter type\. parameter: maybe"),
        ("list", "Ann, Bob", r"invalid parameter type\. parameter: Ann, Bob"),
        ("list", {"a": 1}, r"invalid parameter type\. parameter: \{'a': 1\}"),
    ],
)
def test_a_value_of_another_type_is_refused(kind, value, text):
    with pytest.raises(ArgumentsError, match=f"^{text}$"):
        CASTS[kind](value)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int", "-2", r"invalid parameter type\. parameter: -2"),
        ("int", "2.5", r"invalid parameter type\. parameter: 2\.5"),
        ("int", "", r"invalid parameter type\. parameter: "),
        ("float", "-74.006", r"invalid parameter type\."),
        ("float", "1.2.3", r"invalid parameter type\."),
        ("float", [], r"float\(\) argument must be a string or a real number, not 'list'"),
    ],
)
def test_the_released_code_refuses_a_value(kind, value, text):
    with pytest.raises(ArgumentsError, match=f"^{text}$"):
        ORIGINAL_CASTS[kind](value)


@pytest.mark.parametrize("world", [WORLD, ORIGINAL], ids=["cured", "original"])
@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("AddAlarm", alarm(snooze="5"), "invalid parameter name. parameter: snooze"),
        ("GetToday", {"zone": "UTC"}, "invalid parameter name. parameter: zone"),
        ("BookHotel", booking(room_count="two"), "invalid parameter type. parameter: two"),
        ("BookHotel", {"room_count": "x", "nope": "y"}, "invalid parameter type. parameter: x"),
        ("BookHotel", {"nope": "y", "room_count": "x"}, "invalid parameter name. parameter: nope"),
        ("AddAlarm", {"token": MIRA}, "AddAlarm missing 1 required positional argument: 'time'"),
        ("AddAlarm", {}, "AddAlarm missing 2 required positional arguments: 'token' and 'time'"),
        (
            "AddReminder",
            {},
            "AddReminder missing 3 required positional arguments: 'token', 'content', and 'time'",
        ),
    ],
)
def test_a_call_that_does_not_fit_never_reaches_the_api(world, name, arguments, text):
    result = play((name, arguments), world=world)
    assert (result.error, result.status) == (text, Status.INVALID_ARGUMENTS)
    assert world.envelope(world.tools[name], arguments, result) is None


def test_an_older_parameter_name_is_taken_unless_the_released_code_is_asked_for():
    switch = {"device_id": "77", "time": "2023-05-01 08:00:00", "on": "True"}
    result = play(("TimedSwitch", switch))
    envelope = WORLD.envelope(WORLD.tools["TimedSwitch"], switch, result)
    assert envelope["input"] == {"device_id": "77", "time": "2023-05-01 08:00:00", "on": True}
    refused = play(("TimedSwitch", switch), world=ORIGINAL)
    assert refused.error == "invalid parameter name. parameter: device_id"


def test_a_list_that_stays_text_is_no_health_data_to_the_released_code():
    text = measured() | {"health_data": "[{'name': 'pulse', 'value': '60'}]"}
    assert play(("RecordHealthData", text)).response == "success"
    assert play(("RecordHealthData", text), world=ORIGINAL).error == "The health data has invalid format."


def test_a_python_error_over_a_value_of_a_wrong_type_is_the_released_answer():
    assert (
        play(("PlayMusic", {"music_name": 5}), world=ORIGINAL).error
        == "'int' object has no attribute 'lower'"
    )
    assert play(("PlayMusic", {"music_name": 5})).response == "music://5"


@pytest.mark.parametrize(
    ("name", "arguments", "inputs"),
    [
        ("GetToday", {}, None),
        (
            "ForgotPassword",
            {"status": "x", "verification_code": "7"},
            {"status": "x", "verification_code": 7},
        ),
        ("Translate", {"src": "Danke"}, {"src": "Danke"}),
        (
            "ModifyRegistration",
            {"appointment_id": "1"},
            {"appointment_id": "1", "new_appointment_date": None, "new_appointment_doctor": None},
        ),
        ("BookHotel", booking(room_count="2"), booking(room_count=2)),
    ],
)
def test_the_envelope_shows_what_reached_the_api(name, arguments, inputs):
    assert WORLD.envelope(WORLD.tools[name], arguments, play((name, arguments)))["input"] == inputs


@pytest.mark.parametrize("name", ["CheckToken", "DeleteAccount"])
def test_an_envelope_has_the_members_of_the_recorded_one(name):
    result = play((name, {"token": "no"}))
    assert WORLD.envelope(WORLD.tools[name], {"token": "no"}, result) == {
        "input": {"token": "no"},
        "output": None,
        "exception": "The token is invalid.",
    }
    named = play(("QueryBalance", {"token": MIRA}))
    assert WORLD.envelope(WORLD.tools["QueryBalance"], {"token": MIRA}, named) == {
        "api_name": "QueryBalance",
        "input": {"token": MIRA},
        "output": 1840.55,
        "exception": None,
    }


@given(st.data())
def test_any_json_values_get_an_answer_or_a_complaint(data):
    world = data.draw(st.sampled_from(WORLDS))
    apis = LEVEL_3.apis if world.apis is LEVEL_3 else LEVEL_12.apis
    api = data.draw(st.sampled_from([api for name, api in apis.items() if name != "ToolSearcher"]))
    arguments = {each.name: data.draw(JSON | st.just(MIRA)) for each in api.parameters}
    result, state = world.call(world.fresh(), world.tools[api.name], arguments)
    assert result.error or world.envelope(world.tools[api.name], arguments, result)["exception"] is None
    assert state.table("Bank") is world.fresh().table("Bank") or not world.apis.uses_databases
