"""Typed facts: which answers contain them, and which only seem to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.reading import moments
from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.answers import codes_at
from stb_env.suites.sandbox.facts import holds

PRICE = facts.number("price", 1250.5, others=[900, 12])
DISTANCE = facts.number("distance", 100, unit="km", tolerance=0.6)
HIGH = facts.number("high", 20.0, unit="c", tolerance=0.3)
LENGTH = facts.number("length", 112, unit="min", tolerance=0.5)
MINUS = facts.number("low", -4.2, unit="c", tolerance=0.3)
DAY = facts.date("day", "2026-03-09", others=["2026-03-10"])
TIME = facts.time("start", "14:05", others=["09:30"])
NAME = facts.name("director", "Édda Corvane", others=["Hugo Strand", "Mary Édda Corvane"])
LIST = facts.names("events", ["Dentist", "Team lunch"], others=["Eye test", "Dentist", "Lunch"])
PHONE = facts.code("phone", "+44 0123 4567", others=["+44 0123 9999"])
FLIGHT = facts.code("flight", "NW110", others=["NW111"])
YES, NO = facts.yes_no("free", True), facts.yes_no("free", False)


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        (PRICE, "1250.5"),
        (PRICE, "It costs 1,250.50 AUR."),
        (PRICE, "AUR1250.50, to be exact"),
        (PRICE, "1.250,50 in all"),
        (PRICE, "Price: 1 250.50"),
        (PRICE, '{"price": 1250.5}'),
        (PRICE, "About 1.2505 thousand"),
        (DISTANCE, "They lie 100.4 km apart"),
        (DISTANCE, "62.1 miles"),
        (DISTANCE, "100,000 metres"),
        (HIGH, "68 °F"),
        (HIGH, "twenty? no: 20 degrees Celsius"),
        (MINUS, "-4.2 °C"),
        (MINUS, "minus 4.2 degrees"),
        (MINUS, "−4.2°C"),
        (LENGTH, "1 hour 52 minutes"),
        (LENGTH, "1h 52m"),
        (LENGTH, "112-minute film"),
        (facts.number("count", 2), "There are two of them"),
        (DAY, "2026-03-09"),
        (DAY, "on Monday, 9th of March 2026"),
        (DAY, "March 9, 2026"),
        (DAY, "9 Mar"),
        (DAY, "09/03/2026"),
        (DAY, "at 2026-03-09T14:05:00"),
        (TIME, "14:05"),
        (TIME, "2:05 pm"),
        (TIME, "2.05 p.m."),
        (TIME, "14h05"),
        (TIME, "2026-03-09T14:05:00"),
        (NAME, "It was edda corvane!"),
        (NAME, "Edda-Corvane"),
        (LIST, "First a team lunch, then the dentist."),
        (PHONE, "Call +44 01234567"),
        (PHONE, "+44 (0123) 4567"),
        (FLIGHT, "flight nw 110"),
        (YES, "Yes, you are."),
        (NO, "No."),
        (NO, "You aren't free, yes that is sad."),
    ],
)
def test_every_common_form_of_a_fact_counts(fact, answer):
    assert holds(fact, answer)


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        (PRICE, ""),
        (PRICE, "It costs 1251.5"),
        (PRICE, "Either 900 or 1250.5"),
        (PRICE, "1250.5 kg"[:6] + "9"),
        (PRICE, "id product-1250.5"[:12]),
        (facts.number("year", 2026), "on 2026-03-09"),
        (facts.number("count", 9), "on 9 March"),
        (facts.number("count", 14), "at 14:05"),
        (facts.number("count", 17), "see city-017"),
        (facts.number("count", 110), "take NW110"),
        (DISTANCE, "100 miles"),
        (DISTANCE, "100 kg"),
        (HIGH, "20 °F"),
        (MINUS, "4.2 °C"),
        (DAY, "10 March 2026"),
        (DAY, "9 or 10 March 2026: 2026-03-09, 2026-03-10"),
        (DAY, "9 March 2025"),
        (TIME, "2:05 am"),
        (TIME, "at 09:30 or 14:05"),
        (NAME, "Edda"),
        (NAME, "Hugo Strand or Edda Corvane"),
        (NAME, "Mary Edda Corvane"),
        (LIST, "Only the dentist"),
        (LIST, "Dentist, Team lunch, Eye test"),
        (PHONE, "+44 0123 45678"),
        (PHONE, "+44 0123 4567 or +44 0123 9999"),
        (FLIGHT, "NW1101"),
        (YES, "Perhaps"),
        (YES, "No, yes."),
        (NO, "yesterday"),
    ],
)
def test_what_only_resembles_a_fact_does_not_count(fact, answer):
    assert not holds(fact, answer)


def test_a_competitor_that_the_query_names_may_be_repeated():
    assert holds(PRICE, "Not 900 but 1250.5", query="Is it 900?")
    assert holds(NAME, "Edda Corvane, not Hugo Strand", query="Was it Hugo Strand?")
    assert holds(TIME, "14:05 instead of 09:30", query="I thought 9:30 am")
    assert holds(FLIGHT, "NW110, not NW111", query="Is NW111 the first?")


def test_a_competitor_that_is_another_fact_may_be_named():
    other = facts.number("cheapest", 900)
    assert holds(PRICE, "900 and 1250.5", allowed=[other])
    assert holds(TIME, "09:30 to 14:05", allowed=[facts.time("start", "09:30")])


@pytest.mark.parametrize(
    ("fact", "guesses"),
    [
        (facts.number("year", 1990), " ".join(str(year) for year in range(1965, 2025))),
        (facts.time("sunrise", "06:10"), " ".join(f"{n // 60:02}:{n % 60:02}" for n in range(300, 500))),
        (facts.date("birth", "2001-01-05"), " ".join(f"2001-01-{n:02}" for n in range(1, 32))),
        (facts.name("film", "The Salt River"), "The Salt River " + "and more " * 1000),
    ],
    ids=["number", "time", "date", "length"],
)
def test_an_answer_that_lists_every_guess_contains_nothing(fact, guesses):
    assert not holds(fact, guesses)


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_any_text_can_be_read(text):
    for fact in (PRICE, DAY, TIME, NAME, LIST, PHONE, YES):
        assert holds(fact, text) in (True, False)


@given(st.floats(-1e6, 1e6).map(lambda value: round(value, 2)))
@settings(max_examples=150)
def test_a_number_is_found_however_it_is_grouped(value):
    fact = facts.number("n", value)
    assert holds(fact, f"The result is {value:,.2f} AUR.")
    assert holds(fact, f"The result is {value:.2f} AUR.")


@given(st.dates())
@settings(max_examples=100)
def test_a_date_is_found_however_it_is_written(when):
    year = f"{when.year:04}"
    for text in (when.isoformat(), f"{when.day} {moments.MONTHS[when.month - 1]} {year}"):
        assert when.isoformat() in moments.dates(f"It is on {text}.")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nw110 and nw 1-10", ["nw110", "nw 1-10"]),
        ("call +nw110, not a+nw110", ["+nw110", "nw110"]),
        ("nw1100, xnw110, nw_110x and nw....110", []),
        ("nw1nw110", []),
        ("nw1 nw110", ["nw110"]),
    ],
)
def test_a_code_is_found_however_marks_divide_it_and_never_inside_a_word(text, found):
    assert [text[place.start : place.end] for place in codes_at(text, "NW110")] == found
