"""Origins of the arguments of recorded calls."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.argument_origins import origins
from stb_env.suites.api_bank.formats.dialogues import Dialogue, GoldCall, Utterance


def origin(said, name, value, *earlier):
    call = GoldCall("AnyAPI", {name: value}, {"input": {name: value}, "output": "success", "exception": None})
    return origins(Dialogue("d", 1, (Utterance("User", said), *earlier, call)))[-1]


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("on 5 May at 2 pm", "2023-05-05 14:00:00"),
        ("May 5th, 2023, 14:00", "2023-05-05 14:00:00"),
        ("tomorrow at half past nine", "2023-04-01 09:30:00"),
        ("Today is 2021-10-13. At 8 am tomorrow", "2021-10-14 08:00:00"),
        ("the meeting is at 2pm on 05/05; remind me 10 minutes before", "2023-05-05 13:50:00"),
        ("from 3 to 5 June 2023", "2023-06-03"),
        ("next Tuesday at noon", "2023-04-04 12:00:00"),
        ("Call it Team meeting", "team meeting"),
        ("17 times 23 plus 9", "17*23+9"),
        ("within 1km", 1000),
        ("two adults", 2),
        ("with Ann Lee and Bob", ["Ann Lee", "Bob"]),
        ("pulse of 77", [{"name": "heart_rate", "value": "77"}]),
        ("into French, please", "fr"),
        ("what happened on July 20", "07-20"),
    ],
)
def test_what_the_user_said_in_any_form_is_given(said, value):
    assert origin(said, "x", value).loose == {}


@pytest.mark.parametrize(
    ("said", "value", "part"),
    [
        ("on 5 May", "2023-05-05 14:00:00", "time"),
        ("at 2 pm", "2023-05-05 14:00:00", "date"),
        ("soon", "2023-05-05 14:00:00", "all"),
        ("on 6 May", "2023-05-05", "all"),
        ("somewhere", "Conference Room A", "all"),
        ("17 times 23", "17*24", "all"),
        ("with Ann Lee", ["Ann Lee", "Tom Poe"], "all"),
    ],
)
def test_what_nobody_said_is_not_given(said, value, part):
    assert origin(said, "x", value).loose == {"x": part}


def test_what_a_result_gave_is_given_and_nothing_that_a_user_can_tell():
    earlier = GoldCall("Other", {}, {"input": {}, "output": {"token": "abc123"}, "exception": None})
    found = origin("Hello.", "x", "abc123", earlier)
    assert (found.loose, found.told) == ({}, ())


def test_what_comes_later_gives_nothing():
    call = GoldCall("AnyAPI", {"x": "Attic"}, {"input": {"x": "Attic"}, "output": 1, "exception": None})
    dialogue = Dialogue("d", 1, (Utterance("User", "Hi."), call, Utterance("User", "Attic")))
    assert origins(dialogue)[0].loose == {"x": "all"}
