"""Moments as the databases write them and as people say them."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.argument_forms import in_full
from stb_env.suites.api_bank.spoken_times import clocks_in
from stb_env.suites.api_bank.times import read_time


def test_a_text_that_is_no_moment_is_refused_in_the_same_words_again():
    for _ in range(2):
        with pytest.raises(ApiError, match=r"^time data 'soon' does not match format '%Y-%m-%d %H:%M:%S'$"):
            read_time("soon")


@pytest.mark.parametrize(
    "text", ["2023-4-3 6:45", "2023-04-31", "on 2023-04-03", "12:30", "2023-4-3 6:45:00 am"]
)
def test_what_is_no_whole_moment_stays_as_it_is(text):
    assert in_full(text) == text


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("ſeven", (7, 0)),
        ("MIDNIGHT — é", (0, 0)),
        ("half past four, naïve", (16, 30)),
        ("at 2pm, ten mınutes before", (13, 50)),
    ],
)
def test_letters_beyond_ascii_hide_no_time_of_day(text, clock):
    assert clock in clocks_in(text)


def test_a_word_inside_of_another_is_no_hour():
    assert clocks_in("someone often listens to the phone on a weekday") == set()
