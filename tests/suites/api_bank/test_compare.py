"""The paper's comparison of each API: what counts, and what does not."""

from __future__ import annotations

import pytest

from tests.suites.api_bank.errors import item, meeting, reminder
from tests.suites.api_bank.play import LEVEL_3_WORLD, ORIGINAL, WORLD


def done(name, inputs, output="success", exception=None):
    return {"api_name": name, "input": inputs, "output": output, "exception": exception}


def verdict(name, ours, theirs, world=WORLD):
    return world.matches(world.tools[name], done(name, *ours), done(name, *theirs))


SCENE = {"name": "wake up"}
APPOINTMENT = {"patient_name": "Ann", "date": "2023-4-1", "doctor_name": "Dr. X"}
DEVICES = [{"name": "b", "description": "x"}, {"name": "A ", "description": "y"}]


@pytest.mark.parametrize(
    ("name", "ours", "theirs", "right"),
    [
        ("AddAlarm", [{"token": "a", "time": "x"}], [{"token": "a", "time": "x"}], True),
        ("AddAlarm", [{"token": "b", "time": "x"}], [{"token": "a", "time": "x"}], False),
        (
            "AddAgenda",
            [item(token="a", content="see Ann at noon")],
            [item(content="see Ann at twelve")],
            True,
        ),
        ("AddAgenda", [item(content="see Ann")], [item(content="see Bob")], False),
        ("AddAgenda", [item(content="See Ann")], [item(content="see ann")], True),
        ("AddReminder", [reminder(content="See Ann")], [reminder(content="see ann")], True),
        ("AddReminder", [reminder(time="y")], [reminder(time="x")], False),
        ("DeleteReminder", [reminder(content="a")], [reminder(content="b")], True),
        ("DeleteReminder", [reminder(content="a"), None, "no"], [reminder(content="a")], False),
        ("DeleteAgenda", [item(time="y")], [item(time="x")], False),
        ("AddMeeting", [meeting(meeting_topic="the big sale")], [meeting(meeting_topic="big sale")], True),
        ("AddMeeting", [meeting(attendees=["a", "b"])], [meeting(attendees=["B", "a"])], True),
        ("AddMeeting", [meeting(attendees=["a", "c"])], [meeting(attendees=["b", "a"])], False),
        ("DeleteMeeting", [meeting(location="x")], [meeting(location="y")], True),
        ("DeleteMeeting", [meeting(start_time="x")], [meeting(start_time="y")], False),
        ("RegisterUser", [{"username": "a"}, {"token": "1"}], [{"username": "a"}, {"token": "2"}], True),
        ("RegisterUser", [{"username": "a"}, {"token": "1"}], [{"username": "a"}, None], False),
        ("GetToday", [None, "2023-03-31"], [{}, "another"], True),
        ("GetToday", [{}, "2023-03-31"], [None, "2023-03-31"], False),
        ("QueryBalance", [{"token": " a"}, 5.0], [{"token": "a"}, 5], True),
        (
            "QueryStock",
            [{"stock_code": "x ", "date": "2022-1-1"}, 5],
            [{"stock_code": "X", "date": "2022-01-01"}, 5],
            True,
        ),
        (
            "QueryStock",
            [{"stock_code": "x", "date": "soon"}, 5],
            [{"stock_code": "x", "date": "soon"}, 5],
            False,
        ),
        ("Calculator", [{"formula": "1 + 2"}, 3.0], [{"formula": "1+2"}, 3.0], True),
        ("Calculator", [{"formula": "2+1"}, 3.0], [{"formula": "1+2"}, 3.0], True),
        ("Calculator", [{"formula": "3"}, 3.0], [{"formula": "1+2"}, 3.0], False),
        ("Dictionary", [{"keyword": "a"}, []], [{"keyword": "b"}, []], True),
        (
            "SendEmail",
            [{"receiver": "A@b.co ", "subject": "s", "content": "c"}],
            [{"receiver": "a@b.co", "subject": "s ", "content": "c"}],
            True,
        ),
        (
            "SearchEngine",
            [{}, [{"title": "a", "abstract": ""}, {"title": "b", "abstract": ""}]],
            [{}, [{"title": "b", "abstract": ""}, {"title": "a", "abstract": ""}]],
            True,
        ),
        ("SearchEngine", [{}, None, "x"], [{}, None, "x"], False),
        ("AppointmentRegistration", [APPOINTMENT, "1"], [APPOINTMENT | {"date": "2023-04-01"}, "2"], True),
        ("AppointmentRegistration", [APPOINTMENT, "1"], [APPOINTMENT | {"doctor_name": "Y"}, "1"], False),
        (
            "ModifyRegistration",
            [{"appointment_id": 7, "new_appointment_date": None, "new_appointment_doctor": "X "}],
            [{"appointment_id": "7", "new_appointment_date": None, "new_appointment_doctor": "X"}],
            True,
        ),
        (
            "QueryHealthData",
            [{"user_id": "a", "start_time": "2023-1-1 0:0:0", "end_time": "2023-01-02 00:00:00"}, []],
            [{"user_id": "A", "start_time": "2023-01-01 00:00:00", "end_time": "2023-01-02 00:00:00"}, []],
            True,
        ),
        (
            "RecordHealthData",
            [{"user_id": "a", "time": "2023-1-1 0:0:0", "health_data": [{"name": "pulse", "value": 60}]}],
            [{"user_id": "A", "time": "2023-01-01 00:00:00", "health_data": [{"name": "b", "value": "60"}]}],
            True,
        ),
        (
            "RecordHealthData",
            [{"user_id": "a", "time": "2023-01-01 00:00:00", "health_data": [{"name": "b", "value": "61"}]}],
            [{"user_id": "a", "time": "2023-01-01 00:00:00", "health_data": [{"name": "b", "value": "60"}]}],
            False,
        ),
        ("SymptomSearch", [{"symptom": " "}, None, "x"], [{"symptom": " "}, None, "x"], False),
        ("AddScene", [SCENE | {"devices": DEVICES}], [SCENE | {"devices": DEVICES[::-1]}], True),
        ("AddScene", [SCENE | {"devices": DEVICES}], [SCENE | {"devices": DEVICES[:1]}], False),
        (
            "QueryScene",
            [SCENE, [{"name": "lamp", "description": "x"}]],
            [SCENE, [{"name": "Lamp", "description": "x"}]],
            True,
        ),
        (
            "QueryScene",
            [SCENE, [{"name": "lamp", "description": "x"}]],
            [SCENE, [{"name": "lamp", "description": "X"}]],
            False,
        ),
        ("QueryScene", [SCENE, None, "Scene not found."], [SCENE, None, "Scene not found."], True),
        (
            "TimedSwitch",
            [{"name": "A", "time": "2023-1-1 0:0:0", "on": True}],
            [{"device_id": "a", "time": "2023-01-01 00:00:00", "on": True}],
            True,
        ),
        (
            "TimedSwitch",
            [{"name": "A", "time": "2023-1-1 0:0:0", "on": False}],
            [{"name": "a", "time": "2023-01-01 00:00:00", "on": True}],
            False,
        ),
        ("PlayMusic", [{"music_name": "A"}, "music://a"], [{"music_name": "a"}, "music://a"], True),
        (
            "ToolSearcher",
            [{}, {"name": "A", "description": "ours", "input_parameters": {"x": {"type": "str"}}}],
            [{}, {"name": "A", "description": "theirs", "input_parameters": {"x": {"type": "str"}}}],
            True,
        ),
        (
            "ToolSearcher",
            [{}, {"name": "A", "input_parameters": {}}],
            [{}, [{"name": "A", "input_parameters": {}}] * 2],
            False,
        ),
        ("Translate", [{"src": "a", "tgt_lang": "fr"}, "b"], [{"src": "a", "tgt_lang": "French"}, "b"], True),
    ],
)
def test_a_prediction_is_compared_as_in_the_paper(name, ours, theirs, right):
    assert verdict(name, ours, theirs) is right


@pytest.mark.parametrize(
    ("name", "ours", "theirs", "right"),
    [
        ("EmailReminder", [{"content": "a", "time": "t"}], [{"content": "b", "time": "t"}], True),
        ("EmailReminder", [{"content": "a", "time": "t"}], [{"content": "a", "time": "u"}], False),
        ("NearbyRestaurants", [{"distance": 1}, []], [{"distance": 1}, None], True),
        ("PersonalInfoUpdate", [{"address": "x"}, {}, "a"], [{"address": "x"}, {}, None], True),
        (
            "TaxCalculator",
            [{"salary": 1.0}, {"salary_after_tax": 1.0}],
            [{"salary": 1}, {"salary_after_tax": 1}],
            True,
        ),
        ("TaxCalculator", [{"salary": 1.0}, None], [{"salary": 1.0}, None], False),
        (
            "HotelAvailability",
            [{"destination": "a", "check_in_date": "b", "check_out_date": "c"}, {"hotels": []}, "x"],
            [{"destination": "a", "check_in_date": "b", "check_out_date": "c"}, {"hotels": []}],
            True,
        ),
    ],
)
def test_a_level_3_prediction_is_compared_as_in_the_paper(name, ours, theirs, right):
    assert verdict(name, ours, theirs, LEVEL_3_WORLD) is right


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("DeleteMeeting", [meeting()], [meeting()]),
        ("AddAgenda", [item(content="See Ann")], [item(content="see ann")]),
        ("AddMeeting", [meeting(attendees=["a", "b"])], [meeting(attendees=["b", "a"])]),
        ("Calculator", [{"formula": "2+1"}, 3.0], [{"formula": "1+2"}, 3.0]),
        ("QueryScene", [SCENE, [{"name": "lamp"}]], [SCENE, [{"name": "Lamp"}]]),
        (
            "ToolSearcher",
            [{}, {"name": "A", "description": "ours"}],
            [{}, {"name": "A", "description": "theirs"}],
        ),
    ],
)
def test_the_released_comparison_rejects_what_is_right(name, ours, theirs):
    assert verdict(name, ours, theirs, ORIGINAL) is False


def test_a_result_of_another_api_is_wrong_where_the_name_counts():
    other = done("QueryReminder", reminder())
    assert not WORLD.matches(WORLD.tools["AddReminder"], other, done("AddReminder", reminder()))
    assert not WORLD.matches(WORLD.tools["AddReminder"], None, done("AddReminder", reminder()))
