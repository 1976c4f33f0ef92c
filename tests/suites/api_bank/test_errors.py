"""Exception texts, checked in the order in which the APIs check."""

from __future__ import annotations

import json
import re

import pytest

from stb_env.tools import Status
from tests.suites.api_bank.errors import FIRST, LEVEL_3_REFUSALS, REFUSALS, REFUSED_SECOND_CALLS
from tests.suites.api_bank.play import LEVEL_3_WORLD, WORLD, play

# exceptions.json was written for an older build: names and texts that the code has differently.
OLD_NAMES = {"GetMeeting": "QueryMeeting", "GetAlarm": "QueryAlarm", "GetAgenda": "QueryAgenda"} | {
    "GetReminder": "QueryReminder",
    "OrderHotel": "BookHotel",
}
OLD_TEXTS = {
    "device_id cannot be empty.",
    "device_id does not exist.",
    "Device ID cannot be duplicated.",
    "You need to call the API with status \\Forgot Password\\ at first.",
    "The status is only \\Forgot Password\\ or \\Verification Code\\.",
    "str(start_time) + ;  + str(end_time)",
}
# Texts that no call can bring about, and the one that the code words otherwise.
UNREACHABLE = {
    ("DeleteAccount", "Lack of token checker."),
    ("DeleteAccount", "No such user."),
    ("QueryMeeting", "Error"),
    ("ModifyAgenda", "Error"),
    ("EmergencyKnowledge", "The symptom cannot be empty."),
}


@pytest.mark.parametrize(("name", "arguments", "text"), REFUSALS)
def test_an_api_refuses_in_the_words_of_the_original(name, arguments, text):
    result = play((name, arguments))
    assert (result.error, result.status, result.response) == (text, Status.TOOL_ERROR, "")


@pytest.mark.parametrize(("name", "arguments", "text"), LEVEL_3_REFUSALS)
def test_a_level_3_api_refuses_in_the_words_of_the_original(name, arguments, text):
    assert play((name, arguments), world=LEVEL_3_WORLD).error == text


@pytest.mark.parametrize(("arguments", "text"), REFUSED_SECOND_CALLS)
def test_the_second_call_for_a_forgotten_password_is_checked(arguments, text):
    assert play(FIRST, ("ForgotPassword", arguments)).error == text


@pytest.mark.parametrize(("name", "arguments", "text"), REFUSALS)
def test_a_refused_call_changes_nothing(name, arguments, text):
    state = WORLD.fresh()
    assert WORLD.call(state, WORLD.tools[name], arguments)[1] is state


def test_golden_every_published_exception_text_is_produced(shared_data):
    file = shared_data / "api_bank" / "exceptions.json"
    if not file.is_file():
        pytest.skip(f"no {file}")
    produced = {(name, text) for name, _, text in REFUSALS}
    produced |= {("ForgotPassword", text) for _, text in REFUSED_SECOND_CALLS}
    for old, texts in json.loads(file.read_text(encoding="utf-8")).items():
        name = OLD_NAMES.get(old, old)
        for text in set(texts) - OLD_TEXTS:
            pattern = re.sub(r"\\\{\w+\\\}", ".+", re.escape(text))
            known = any(api == name and re.fullmatch(pattern, ours) for api, ours in produced)
            assert known or (name, text) in UNREACHABLE, (name, text)
