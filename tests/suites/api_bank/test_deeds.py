"""Deeds that a reply disowns, gives to another or does not find; values in the place of others."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.deeds import deeds_of, disowned, missed
from stb_env.suites.api_bank.owners import misplaced
from stb_env.suites.api_bank.roles import Roles
from stb_env.tools import ToolResult
from stb_env.trajectory import CallRecord


def call(name, taken, returned="success"):
    return CallRecord("1", name, taken, ToolResult.of(returned, source="world"))


DELETED = [
    call("AddReminder", {"content": "Back up the laptop"}),
    call("DeleteAgenda", {"content": "Choir evening", "location": "Town hall"}),
]
ROUTE = [
    call(
        "FlightSearch",
        {"source": "Oslo", "destination": "Rome"},
        {"flights": [{"departure_date": "2022-01-01 12:00:00", "arrival_date": "2022-01-01 15:00:00"}]},
    ),
]
VISIT = [call("AppointmentRegistration", {"patient_name": "Ann Lee", "doctor_name": "Dr. Ray"}, "20417")]
TODAY = [call("GetToday", {}, "2023-03-31")]
SENT = [call("SendEmail", {"receiver": "ann@example.org"})]
PAGES = [
    call(
        "SearchEngine",
        {"keyword": "notes"},
        [
            {"title": "Reading music", "url": "https://a.example.org/notes"},
            {"title": "Old lighthouses", "url": "https://b.example.org/towers"},
        ],
    )
]
BOOKED = [call("BookHotel", {"room_count": 2, "adult_count": 3}, "5")]
POSTS = [
    call("LikeCount", {"post_id": 4}, {"like_count": 40}),
    call("UserPosts", {"user_id": 9}, {"post_ids": [4]}),
]
PAY = [
    call("GetPay", {"job": "Doctor"}, {"salary": 200}),
    call("GetTax", {"salary": 200}, {"after": 140}),
    call("GetPay", {"job": "Baker"}, {"salary": 90}),
    call("GetTax", {"salary": 90}, {"after": 63}),
]  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        "The choir evening remains on your agenda.",
        "I found the choir evening, but left it in place.",
        '"Back up the laptop" has been deleted.',
        "I wanted to delete it; no, actually, I did not.",
        "No agenda was deleted.",
        "I haven't removed the choir evening.",
        "Your choir evening was rejected.",
    ],
)
def test_a_reply_may_not_disown_what_was_deleted(reply):
    assert list(disowned(reply, deeds_of(DELETED)))


@pytest.mark.parametrize(
    "reply",
    [
        "The choir evening is gone. Your reminder to back up the laptop is unchanged.",
        "I have deleted the choir evening; everything else is still there.",
        "Shall I leave the reminder in place?",
        "I haven't sent any notice to the town hall.",
        "I have not removed anything else, and no other agenda was deleted.",
    ],
)
def test_a_reply_may_say_what_was_left_alone(reply):
    assert not list(disowned(reply, deeds_of(DELETED)))


def test_what_was_found_is_not_missing_but_what_was_not_asked_may_be():
    found = deeds_of(ROUTE)
    assert list(missed("There is no flight from Oslo to Rome.", found, "Any flight to Rome?"))
    assert list(missed("The search for a flight to Rome turned up nothing.", found, "Any flight to Rome?"))
    assert not list(missed("There is no other flight, and no price is given.", found, "Any flight to Rome?"))


@pytest.mark.parametrize(
    ("calls", "right", "wrong"),
    [
        (ROUTE, "It flies from Oslo to Rome.", "It flies from Rome to Oslo."),
        (ROUTE, "It leaves at noon and lands at 3 pm.", "It leaves at 3 pm and lands at noon."),
        (VISIT, "Ann Lee sees Dr. Ray.", "Dr. Lee sees Ann Ray."),
        (VISIT, "The appointment ID is 20417.", "The appointment ID is 20471."),
        (BOOKED, "2 rooms for 3 adults", "3 rooms for 2 adults"),
        (TODAY, "Today is 31 March 2023; you go on 16 May.", "Today is in fact 16 May 2023."),
        (SENT, "I sent it to ann@example.org.", "I sent it to bob@example.org."),
        (POSTS, "User 9 got 40 likes for post 4.", "User 4 got 40 likes."),
    ],
)
def test_a_value_stands_for_what_the_calls_have_it_for(calls, right, wrong):
    roles = Roles(calls)
    assert not list(roles.confused(right))
    assert list(roles.confused(wrong))


def test_a_value_belongs_to_the_thing_that_it_was_found_for():
    assert not list(misplaced("A doctor keeps 140 of 200, a baker 63 of 90.", PAY))
    assert list(misplaced("A doctor keeps 63 of 90, a baker 140 of 200.", PAY)) == ["63", "90", "140", "200"]
    assert not list(misplaced("Doctor and baker keep 140 and 63.", PAY))


def test_an_address_belongs_to_the_page_that_it_was_found_for():
    right = "Reading music: https://a.example.org/notes\nOld lighthouses: https://b.example.org/towers"
    assert not list(misplaced(right, PAGES))
    wrong = "Reading music is at https://b.example.org/towers."
    assert list(misplaced(wrong, PAGES)) == ["https://b.example.org/towers"]
