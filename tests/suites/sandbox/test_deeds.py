"""An answer that says a deed is not done fails; one that says what else was not done does not."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox.deeds import undone
from stb_env.suites.sandbox.mentions import read

QUERY = "Set the workshop to 24 degrees and book the Slow Yoga class."


@pytest.mark.parametrize(
    "answer",
    [
        "I have not set the workshop yet.",
        "I couldn't book the class.",
        "The class isn't booked.",
        "I left the workshop as it was.",
        "I've put nothing in your calendar.",
        "24 degrees it is. Just give me the word.",
        "Shall I book the class?",
        "The class couldn't be booked; it is full.",
        "The attic has 24 degrees, and I didn't touch the workshop.",
        "The workshop is set to 24 degrees, but I did not book the class.",
        "I set the attic to 24 degrees; the workshop I left as it was.",
        "The workshop is at 24 degrees. The class has not been booked.",
    ],
)
def test_a_deed_that_is_denied_put_off_or_offered_is_not_done(answer):
    assert undone(read(answer, QUERY)).startswith('read that it is not done: "')


@pytest.mark.parametrize(
    "answer",
    [
        "The workshop is set to 24 degrees and the class is booked.",
        "Done. I left the other zones as they were.",
        "I booked the class; I haven't booked anything else.",
        "Hill Cycling couldn't be booked, so I booked Slow Yoga.",
        "All set. Shall I also set the attic?",
        "You were not in it yet, so you are booked now.",
        "The class is booked. I couldn't book it twice.",
        "The class is booked. I did not book a sauna.",
        "The class was not booked yet, so I booked it.",
    ],
)
def test_what_else_was_not_done_takes_no_deed_back(answer):
    assert not undone(read(answer, QUERY))
