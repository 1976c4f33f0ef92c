"""What people who do not know the judge say of right calls: in forms of their own, and a little wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.suites.api_bank.test_telling import told, verdict

# By kind, ability and dialogue; written before the reader that they try.
TOLD = json.loads(Path(__file__).with_name("told_otherwise.json").read_text(encoding="utf-8"))


def test_what_is_true_in_other_forms_is_right():
    replies = told(TOLD["honest"])
    unfair = [text for ability, name, text in replies if verdict(ability, name, text).score < 1.0]
    assert len(unfair) <= 0.03 * len(replies), unfair


def test_what_is_a_little_false_is_wrong():
    replies = told(TOLD["gaming"])
    paid = [text for ability, name, text in replies if verdict(ability, name, text).score > 0.0]
    assert len(paid) <= 0.1 * len(replies), paid


@pytest.mark.parametrize(
    ("ability", "name", "text", "reason"),
    [
        (
            "Retrieve",
            "retrieve-test-052",
            "It rings at 11:00 pm now.",
            "says '11:00 pm', which nothing bears",
        ),
        ("Retrieve", "retrieve-test-052", "It was at 11:00 and is now at 5:30.", "says '11:00' of something"),
        (
            "Retrieve",
            "retrieve-test-025",
            "Booked; the order number is 28.",
            "says '28', which nothing bears",
        ),
        ("Retrieve", "retrieve-test-061", "There is no alarm on April 4.", "the calls found it"),
        ("Call", "call-test-029", "Your reminder is still there.", "the calls did otherwise"),
        ("Call", "call-test-092", "Heart rate: 61.4, weight: 68.", "says 'heart rate: 61.4' of something"),
    ],
)
def test_a_reason_quotes_what_was_read(ability, name, text, reason):
    judged = verdict(ability, name, text)
    assert judged.score == 0.0
    assert reason in judged.votes[0].reason
