"""Answers and changes of calls, on the embedded databases."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.api_bank.databases import TABLES, embedded
from stb_env.suites.api_bank.state import State
from stb_env.tasks import Task
from tests.fakes.tools import ONE_TOOL
from tests.suites.api_bank.errors import (
    FIRST,
    SECOND,
    alarm,
    booking,
    item,
    measured,
    meeting,
    reminder,
    scene,
)
from tests.suites.api_bank.play import MIRA, OSKAR, WORLD, play, play_on

TIME = "2023-06-01 09:00:00"
LAMP = {"name": " Desk Lamp", "description": "in the study "}


def answer(*calls):
    result = play(*calls)
    assert not result.error, result.error
    return result.response


@pytest.mark.parametrize(
    ("calls", "output"),
    [
        ([("GetUserToken", {"username": "mira", "password": "mira-pass1"})], {"token": MIRA}),
        ([("CheckToken", {"token": MIRA})], {"username": "mira"}),
        ([("DeleteAccount", {"token": MIRA})], {"status": "success"}),
        ([FIRST], 970420),
        ([FIRST, ("ForgotPassword", SECOND), ("ForgotPassword", SECOND)], "success"),
        ([("GetToday", {})], "2023-03-31"),
        (
            [("QueryAgenda", item(content="Return library books", time=""))],
            {
                "content": "Return library books",
                "time": "2023-04-03",
                "location": "Harbour Library",
                "username": "mira",
            },
        ),
        ([("DeleteAgenda", item(content="", time=""))], "success"),
        ([("ModifyAgenda", item(content="", time=""))], "Error"),
        (
            [("AddAgenda", item(content="a", time=TIME)), ("QueryAgenda", item(content="b", time=TIME))],
            {"content": "a", "time": TIME, "location": "home", "username": "mira"},
        ),
        (
            [("AddAlarm", alarm(time=TIME)), ("QueryAlarm", alarm(time=TIME))],
            {"username": "mira", "time": TIME},
        ),
        (
            [
                ("ModifyAlarm", {"token": MIRA, "from_time": "2023-04-03 06:45:00", "to_time": TIME}),
                ("QueryAlarm", alarm(time=TIME)),
            ],
            {"username": "mira", "time": TIME},
        ),
        (
            [
                ("AddReminder", reminder(content="a")),
                ("ModifyReminder", reminder(content="a", time=TIME)),
                ("QueryReminder", reminder(content="zzz", time=TIME)),
            ],
            {"content": "a", "time": TIME, "username": "mira"},
        ),
        ([("OpenBankAccount", {"account": "test", "password": "x", "name": "x"})], "failed"),
        ([("OpenBankAccount", {"account": "a", "password": "x", "name": "x"})], "success"),
        ([("OpenBankAccount", {"account": "a", "password": "x", "name": "x"})] * 2, "failed"),
        ([("QueryBalance", {"token": MIRA})], 1840.55),
        ([("QueryStock", {"stock_code": " brkv", "date": " 2023-3-20 "})], 41.2),
        ([("Calculator", {"formula": "(1+2) * 3"})], 9.0),
        (
            [
                (
                    "DocumentQA",
                    {"url": " https://docs.example.org/club-rules.txt", "question": "Who may vote?"},
                )
            ],
            "The question is too difficult to answer.",
        ),
        (
            [("ImageCaption", {"url": "https://pictures.example.org/kitchen.png "})],
            "a loaf of bread cooling on a kitchen table",
        ),
        (
            [("QueryHistoryToday", {"date": "1999-4-12"})],
            [
                "Title: First human in space, Date: 1961-04-12, Description: Yuri Gagarin circles the Earth "
                "once in Vostok 1 and lands after 108 minutes."
            ],
        ),
        ([("SendEmail", {"receiver": "john_doe@example.com", "subject": "s", "content": "c"})], "success"),
        ([("Translate", {"src": "Good morning", "src_lang": "en", "tgt_lang": "Spanish"})], "Buenos días"),
        ([("Translate", {"src": "Danke"})], "Thanks"),
        (
            [("QueryRegistration", {"patient_name": "Mira Sol ", "date": "2023-4-12"})],
            {"20417735": {"patient_name": "Mira Sol", "date": "2023-04-12", "doctor_name": "Dr. Okafor"}},
        ),
        (
            [
                (
                    "QueryHealthData",
                    {
                        "user_id": " m1001",
                        "start_time": "2023-3-27 8:05:00",
                        "end_time": "2023-03-28 00:00:00",
                    },
                )
            ],
            [{"time": "2023-03-27 08:05:00", "heart_rate": 71, "weight": 61.1}],
        ),
        (
            [("EmergencyKnowledge", {"symptom": "Nosebleed "})],
            [
                {
                    "name": "Dry nasal lining",
                    "aid": "Lean forward, pinch the soft part of the nose for ten minutes, and breathe "
                    "through the mouth.",
                }
            ],
        ),
        (
            [
                ("AddScene", scene(LAMP, {"name": "Amp", "description": "x"}, name=" New ")),
                ("QueryScene", {"name": "NEW"}),
            ],
            [{"name": "amp", "description": "x"}, {"name": "desk lamp", "description": "in the study"}],
        ),
        (
            [("ModifyScene", scene(LAMP)), ("QueryScene", {"name": "wake up"})],
            [{"name": "desk lamp", "description": "in the study"}],
        ),
        ([("PlayMusic", {"music_name": " Blue Danube"})], "music://blue danube"),
        ([("BookHotel", booking(hotel_name="Nowhere"))], "5"),
        ([("BookHotel", booking(check_in_time="2023-04-09", check_out_time="2023-04-15"))], "5"),
        ([("BookHotel", booking(check_in_time="2023-04-14", check_out_time="2023-04-16"))], "5"),
    ],
)
def test_a_call_answers(calls, output):
    assert answer(*calls) == output


def test_a_search_returns_the_two_best_documents():
    titles = [
        found["title"] for found in answer(("SearchEngine", {"keyword": "tides, moon and lighthouses"}))
    ]
    assert titles == ["How tides are predicted", "A short history of lighthouses"]
    assert len(answer(("SearchEngine", {"keyword": "zzzz"}))) == 2


def test_an_article_comes_without_its_content():
    assert list(answer(("Wiki", {"keyword": "Solar_Eclipse"}))) == ["url", "summary"]


def test_a_changed_password_counts_at_once():
    state = WORLD.fresh()
    _, state = play_on(
        state, ("ModifyPassword", {"token": MIRA, "old_password": "mira-pass1", "new_password": "n"})
    )
    login = {"username": "mira", "password": "n"}
    assert play_on(state, ("GetUserToken", login))[0].response == {"token": MIRA}


def test_a_token_lives_and_dies_with_its_account():
    new = {"username": "zoe", "password": "p", "email": "zoe@example.org"}
    result, state = play_on(WORLD.fresh(), ("RegisterUser", new))
    token = result.response["token"]
    assert re.fullmatch("[a-z0-9]{18}", token)
    assert play_on(state, ("CheckToken", {"token": token}))[0].response == {"username": "zoe"}
    _, state = play_on(state, ("DeleteAccount", {"token": token}))
    assert play_on(state, ("CheckToken", {"token": token}))[0].error == "The token is invalid."


def test_nobody_reaches_what_belongs_to_another_user():
    for name, arguments in [
        ("QueryAgenda", item(token=OSKAR, content="Return library books", time="")),
        ("DeleteAlarm", alarm(token=OSKAR, time="2023-04-03 06:45:00")),
        ("QueryMeeting", meeting(token=OSKAR, meeting_topic="Spring catalogue")),
        ("DeleteReminder", reminder(token=OSKAR, content="Water the ferns")),
    ]:
        assert play((name, arguments)).error.startswith("You have no")


def test_a_meeting_keeps_room_and_attendees_when_it_is_changed():
    changed = meeting(
        meeting_topic="Spring catalogue", start_time=TIME, end_time=TIME, location="x", attendees=[]
    )
    assert answer(("ModifyMeeting", changed), ("QueryMeeting", changed)) == {
        "meeting_topic": "Spring catalogue",
        "start_time": TIME,
        "end_time": TIME,
        "location": "Attic Room",
        "attendees": ["Petra Vos", "Amir Haddad"],
        "username": "mira",
    }


def test_a_meeting_found_by_its_start_keeps_its_times_when_only_the_topic_is_given():
    renamed = meeting(meeting_topic="Spring catalogue", start_time="", end_time=TIME)
    assert answer(("ModifyMeeting", renamed), ("QueryMeeting", renamed))["end_time"] == "2023-04-03 11:00:00"


def test_a_new_agenda_item_can_overwrite_an_earlier_new_one_but_never_a_loaded_one():
    state = WORLD.fresh()
    for content in ("first", "second"):
        _, state = play_on(state, ("AddAgenda", item(content=content, time=TIME)))
    _, state = play_on(state, ("DeleteAgenda", item(content="first", time="")))
    _, state = play_on(state, ("AddAgenda", item(content="third", time=TIME)))
    contents = [row["content"] for row in state.table("Agenda").values()]
    assert contents == [row["content"] for row in embedded().tables["Agenda"].values()] + ["third"]


def test_a_new_reminder_gets_the_key_after_the_largest():
    _, state = play_on(WORLD.fresh(), ("DeleteReminder", reminder(content="Water the ferns")))
    _, state = play_on(state, ("AddReminder", reminder(content="new")))
    assert list(state.table("Reminder")) == ["2", "3", "4", "5", "6", "7"]


def test_health_data_of_the_same_time_is_merged():
    pulse, weight = {"name": "pulse", "value": 60}, {"name": "weight", "value": 70}
    _, state = play_on(WORLD.fresh(), ("RecordHealthData", measured(pulse, user_id=" new")))
    _, state = play_on(state, ("RecordHealthData", measured(weight, user_id="NEW", time="2023-5-1 8:00:00")))
    assert state.row("HealthData", "NEW") == [{"time": "2023-05-01 08:00:00", "pulse": 60, "weight": 70}]


def test_a_switch_is_set_once_for_a_time_and_its_device_stays_when_it_is_cancelled():
    switch = {"name": " New Lamp", "time": "2023-5-1 8:00:00"}
    _, state = play_on(WORLD.fresh(), ("TimedSwitch", switch | {"on": True}))
    _, state = play_on(state, ("TimedSwitch", switch | {"on": False}))
    assert state.row("TimeSwitch", "new lamp") == [{"time": "2023-05-01 08:00:00", "on": False}]
    _, state = play_on(state, ("CancelTimedSwitch", switch))
    assert state.row("TimeSwitch", "new lamp") == []


def test_an_appointment_gets_a_free_id_of_eight_digits_that_the_seed_decides():
    visit = {"patient_name": "Ann", "date": "2023-07-01", "doctor_name": "Dr. X"}
    ids = [play(("AppointmentRegistration", visit), seed=seed).response for seed in (1, 1, 2)]
    assert ids[0] == ids[1] != ids[2]
    assert all(re.fullmatch("[1-9][0-9]{7}", each) for each in ids)
    later = answer(
        ("AppointmentRegistration", visit), ("AppointmentRegistration", visit | {"date": "2023-07-02"})
    )
    assert later != play(("AppointmentRegistration", visit)).response


def test_a_taken_id_is_not_handed_out_again():
    made, _ = State().new_id("x", lambda number: str(number % 2), {})
    other, state = State().new_id("x", lambda number: str(number % 2), {made: {}})
    assert {made, other} == {"0", "1"}
    assert state.draws > 1


def test_ids_that_a_dialogue_recorded_come_before_random_ones():
    task = Task("t", "", ONE_TOOL, record={"recorded_ids": {"AppointmentRegistration": ("43744231",)}})
    state = WORLD.start(task, 0)
    visit = {"patient_name": "Ann", "date": "2023-07-01", "doctor_name": "Dr. X"}
    first, state = play_on(state, ("AppointmentRegistration", visit))
    second, state = play_on(state, ("AppointmentRegistration", visit | {"date": "2023-07-02"}))
    assert first.response == "43744231" != second.response
    found, _ = play_on(state, ("QueryRegistration", {"patient_name": "Ann", "date": "2023-07-01"}))
    assert list(found.response) == ["43744231"]


CHANGES = [
    ("DeleteAccount", {"token": OSKAR}),
    FIRST,
    ("ForgotPassword", SECOND),
    ("AddAgenda", item(content="new")),
    ("DeleteAgenda", item(content="Return library books")),
    ("AddAlarm", alarm()),
    ("AddMeeting", meeting()),
    ("AddReminder", reminder()),
    ("CancelRegistration", {"appointment_id": "20417735"}),
    ("RecordHealthData", measured({"name": "pulse", "value": 60})),
    ("AddScene", scene(LAMP, name="new")),
    ("TimedSwitch", {"name": "kettle", "time": TIME, "on": True}),
    ("OpenBankAccount", {"account": "a", "password": "x", "name": "x"}),
    ("BookHotel", booking(hotel_name="Nowhere")),
    ("RegisterUser", {"username": "zoe", "password": "p", "email": "e"}),
]


def _image(state):
    return json.dumps([state.tables, state.draws], sort_keys=True)


@given(st.lists(st.sampled_from(CHANGES), max_size=6), st.lists(st.sampled_from(CHANGES), max_size=6))
def test_what_one_fork_does_no_other_sees(before, after):
    state = WORLD.fresh(3)
    for name, arguments in before:
        state = WORLD.call(state, WORLD.tools[name], arguments)[1]
    fork, image = state, _image(state)
    for name, arguments in after:
        fork = WORLD.call(fork, WORLD.tools[name], arguments)[1]
    assert _image(state) == image
    replayed = state
    for name, arguments in after:
        replayed = WORLD.call(replayed, WORLD.tools[name], arguments)[1]
    assert _image(replayed) == _image(fork)


def test_a_fresh_state_copies_no_table():
    first, second = WORLD.fresh(), WORLD.fresh(1)
    assert all(first.table(name) is second.table(name) for name in TABLES)
