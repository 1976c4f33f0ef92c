"""A value that is said of something else than was asked for does not count; without such words it does."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.disclaimers import disclaims
from stb_env.suites.sandbox.mentions import read
from stb_env.suites.sandbox.tasks import SandboxTasks
from tests.suites.sandbox.wordings import judge, played

RAIN = facts.number("rain", 28.5, unit="mm")
HOURS = (facts.time("opening", "09:15"), facts.time("closing", "21:45"))
SIZES = (facts.number("size", 6847), facts.number("free", 987))
CHEAPER = facts.name("company", "Swiftline", others=["Iron Road"])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("The highest is 28.5 mm.", "The lowest is 28.5 mm."),
        ("Most rain, 28.5 mm, falls on the 3rd.", "28.5 mm is the sum over the whole week."),
        ("| Highest | 28.5 mm |", "| Lowest | 28.5 mm |"),
        ("It is 28.5 mm.", "It was 28.5 mm last year."),
    ],
)
def test_a_contrary_of_what_was_asked_for_fails(right, wrong):
    query = "What is the highest rainfall of that week?"
    assert facts.holds(RAIN, right, query)
    assert not facts.holds(RAIN, wrong, query)


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("It opens at 9:15 and closes at 21:45.", True),
        ("Opening hours: 09:15 to 21:45.", True),
        ("It opens at 21:45 and closes at 9:15.", False),
        ("09:15 is when they close, 21:45 when they open: closes 09:15, opens 21:45.", False),
    ],
)
def test_swapped_roles_fail(answer, given):
    opening, closing = HOURS
    query = "When does it open, and when does it close?"
    held = facts.holds(opening, answer, query, [closing]) and facts.holds(closing, answer, query, [opening])
    assert held is given


def test_the_label_of_another_fact_is_another_sense():
    size, free = SIZES
    query = "How large is the file, and how much space is left?"
    assert facts.holds(size, "The file has 6847 kB; 987 kB are free.", query, [free])
    assert not facts.holds(size, "6847 kB are free, and the file has 987 kB.", query, [free])


def test_the_reason_says_as_what_a_value_was_read():
    query = "Which company is cheaper?"
    assert facts.failure(CHEAPER, "Swiftline is the dearer company.", query) == (
        'wanted Swiftline, read it as dearer: "swiftline is the dearer company"'
    )


@pytest.mark.parametrize(
    "answer",
    ["Each ticket costs 134.83 AUR.", "It is 134.83 AUR per person.", "The unit price is 134.83 AUR."],
)
def test_the_price_of_one_is_not_that_of_several(answer):
    price = facts.number("fare", 134.83)
    assert not facts.holds(price, answer, "What do 11 tickets cost?")
    assert facts.holds(price, answer, "What does a ticket cost?")


def test_an_amount_counts_in_the_currency_that_was_asked_for_only():
    price = facts.number("difference", 449.29)
    query = "What is the difference in EST?"
    assert facts.holds(price, "It is 449.29 EST.", query)
    assert facts.holds(price, "It is 449.29.", query)
    assert not facts.holds(price, "It is 449.29 HLV.", query)


def test_the_same_digits_in_another_order_are_no_rounding():
    cost = facts.number("cost", 12202729660.80, tolerance=24_405_459.32)
    assert facts.holds(cost, "About 12.2 billion: 12,202,729,660.80.")
    assert facts.holds(cost, "12,202,729,700")
    assert not facts.holds(cost, "12,202,792,660.80")


@pytest.mark.parametrize(
    ("answer", "given"),
    [
        ("Nobody under 21 may drive.", True),
        ("Drivers must be at least 21.", True),
        ("Drivers must be under 21.", False),
        ("Drivers must be at most 21.", False),
    ],
)
def test_a_limit_is_given_from_its_own_side(answer, given):
    query = "What is the least age of the driver?"
    assert facts.holds(facts.number("age", 21), answer, query) is given


@pytest.mark.parametrize(
    "answer",
    [
        "Ann says 12. The mail of Bob gives no price.",
        "It is 12; the price of Bob isn't known.",
        "It is 12. I didn't look it up.",
    ],
)
def test_who_says_that_he_does_not_know_gives_nothing(answer):
    price = [facts.number("price", 12)]
    query = "What is the price in the mail of Bob?"
    assert disclaims(read(answer, query), query, price)
    assert not disclaims(read("It is 12; no fee applies. I found no other mail.", query), query, price)


@pytest.mark.parametrize(
    ("answer", "solved"),
    [
        ("In Pellbury it is {}.", True),
        ("In Thornhaven it is {}.", False),
        ("It is {}, colder than Thornhaven.", True),
    ],
)
def test_a_value_of_another_city_is_not_that_of_the_one_asked_for(answer, solved):
    game = played(SandboxTasks().get("test-city_high-0"))
    high, condition = game.task.goal["facts"]
    shown = f"{high['value']} degrees Celsius with {condition['value'][0]}"
    assert judge("city", game, answer.format(shown)).solved is solved
