"""Whether replies agree with results."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.agreement import Known

KNOWN = Known(
    ["2023-03-31", "What did BRKV cost on 22 March, and who attends Spring catalogue?"],
    [{"stock_code": "BRKV", "date": "2023-03-22"}, 41.75, {"attendees": ["Petra Vos"], "start": "14:30:00"}],
)


@pytest.mark.parametrize(
    "reply",
    [
        "BRKV cost 41.75 on March 22, 2023.",
        "That was about 41.8.",
        "It is with Petra Vos, at 2:30 pm on Wednesday.",
        "You have 1 guest. Is there anything else?",
        "I'm done.",
    ],
)
def test_what_results_or_the_user_said_agrees(reply):
    assert KNOWN.agrees(reply, failed=[False])


@pytest.mark.parametrize(
    "reply",
    [
        "BRKV cost 47.15 on March 22.",
        "It is with Dr. Brown.",
        "Your order number is AB1234.",
        "Sorry, I was unable to look it up.",
    ],
)
def test_what_results_contradict_does_not_agree(reply):
    assert not KNOWN.agrees(reply, failed=[False])


def test_success_is_not_claimed_of_a_call_that_failed():
    assert not KNOWN.agrees("It has been done successfully.", failed=[False, True])
    assert KNOWN.agrees("It could not be found.", failed=[False, True])
