"""One item of bare values: every form of a right value counts, and nothing that makes another of it."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.item import Item

PRICE = facts.number("price", 1250.5, others=[900])
COUNT = facts.number("free", 2)
FAR = facts.number("distance", 5056.5, unit="mi", tolerance=0.6)
AGE = facts.number("age", 21)
OPENS, CLOSES = facts.time("opening", "09:45"), facts.time("closing", "15:30")
DAY = facts.date("day", "2026-07-21")
HOTEL = facts.name("hotel", "White Lantern Hotel", others=["Copper Beacon Hotel", "White Falcon Hotel"])
COACH = facts.name("coach", "Viktor Castellan", others=["Rania Abara"])
PHONE = facts.code("phone", "+44 0643 9290")
OPEN = facts.yes_no("open", True, yes=("open",), no=("closed", "shut"))
QUERY = "Which hotel, at what price for 3 nights, how many places, and when does it open and close? Not 900?"


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (PRICE, "1,250.50 AUR"),
        (PRICE, "AUR 1250.5"),
        (PRICE, "1250.50 aurel"),
        (PRICE, "1250.50 AUR per night"),
        (PRICE, "total price: 1,250.50 AUR"),
        (PRICE, "1250.5 (price)"),
        (PRICE, "**1250.50**"),
        (COUNT, "two"),
        (COUNT, "2 free places"),
        (FAR, "5056.5 miles"),
        (FAR, "8137.6 km"),
        (AGE, "21 years old"),
        (AGE, "minimum age: 21"),
        (OPENS, "9:45 am"),
        (OPENS, "opens at 09:45"),
        (OPENS, "Opening time: 09:45"),
        (OPENS, "09:45 local time"),
        (DAY, "Tuesday, 21 July 2026"),
        (DAY, "July 21, 2026"),
        (DAY, "07/21/2026"),
        (HOTEL, "the White Lantern"),
        (HOTEL, "Hotel: White Lantern Hotel"),
        (HOTEL, "“White Lantern Hotel”"),
        (COACH, "Coach Viktor Castellan"),
        (COACH, "Castellan, Viktor"),
        (PHONE, "+44 (0643) 9290"),
        (PHONE, "0044 0643 9290"),
        (PHONE, "tel: +44-0643-9290"),
        (OPEN, "Yes"),
        (OPEN, "open: true"),
    ],
)
def test_every_common_form_of_a_bare_value_counts(fact, said):
    assert Item.of(said).gives(fact, QUERY, [fact])


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (PRICE, "not 1250.50"),
        (PRICE, "about 1250.50"),
        (PRICE, "at least 1250.50"),
        (PRICE, "after 1250.50"),
        (PRICE, "≈1250.50"),
        (PRICE, ">1250.50"),
        (PRICE, "1250.50+"),
        (PRICE, "1250.50?"),
        (PRICE, "-1250.50"),
        (PRICE, "1250.50 or 900"),
        (PRICE, "900"),
        (PRICE, "previous price: 1250.50"),
        (PRICE, "wrong: 1250.50"),
        (PRICE, "1250.50 (last week)"),
        (PRICE, "It is 1250.50."),
        (FAR, "5056.5 km"),
        (AGE, "under 21"),
        (OPENS, "before 09:45"),
        (OPENS, "9:45 pm"),
        (OPENS, "09:45-15:30"),
        (DAY, "21 July 2025"),
        (HOTEL, "White"),
        (HOTEL, "White Falcon Hotel"),
        (HOTEL, "Copper Beacon: White Lantern Hotel"),
        (HOTEL, "not the White Lantern Hotel"),
        (COACH, "Castellan"),
        (PHONE, "+44 0643 92901"),
        (OPEN, "no"),
        (OPEN, "shut: yes"),
    ],
)
def test_what_makes_another_of_a_value_does_not(fact, said):
    assert not Item.of(said).gives(fact, QUERY, [fact, HOTEL])


@pytest.mark.parametrize("said", ["closes: 09:45", "09:45 (closing)", "closing time 09:45", "until 09:45"])
def test_a_value_that_is_called_another_fact_is_none_of_this(said):
    assert not Item.of(said).gives(OPENS, QUERY, [OPENS, CLOSES])


def test_an_amount_with_its_code_gives_the_currency_as_well():
    code = facts.name("currency", "HLV", others=["AUR", "EST"])
    amount = facts.number("converted", 61777.58)
    given = [
        Item.of(said).gives(code, "What is it worth?", [amount, code]) for said in ("61,777.58 HLV", "5 HLV")
    ]
    assert given == [True, False]


def test_a_currency_that_is_not_asked_for_is_none_of_the_amount():
    said = [Item.of(f"1250.50 {code}").gives(PRICE, "What is it in AUR?", [PRICE]) for code in ("AUR", "EST")]
    local = Item.of("1250.50 AUR").gives(PRICE, "What is it in local money?", [PRICE])
    assert (said, local) == ([True, False], False)


KNOWN = " viktor castellan coach 7 slow yoga rania abara ulm "


@pytest.mark.parametrize("said", ["Viktor Castellan (coach-7)", "Viktor Castellan (Slow Yoga)"])
def test_what_was_returned_of_a_name_may_stand_in_brackets_behind_it(said):
    assert Item.of(said).without_remark(KNOWN, [COACH]).gives(COACH, QUERY, [COACH])


@pytest.mark.parametrize(
    "said",
    [
        "Viktor Castellan (Rania Abara)",
        "Viktor Castellan (guess)",
        "Rania Abara (coach-7)",
        "Viktor Castellan, Ulm",
        "Viktor Castellan, Slow Yoga",
    ],
)
def test_a_rival_in_brackets_or_anything_that_nothing_returned_spoils_a_name(said):
    assert not Item.of(said).without_remark(KNOWN, [COACH]).gives(COACH, QUERY, [COACH])


@pytest.mark.parametrize(
    ("said", "right"), [("1250.50 AUR", True), ("1250.50 cents", False), ("125050 cents", False)]
)
def test_an_amount_is_no_number_of_cents_where_nobody_asked_for_cents(said, right):
    assert Item.of(said).gives(PRICE, "What does it cost?", [PRICE]) is right


@pytest.mark.parametrize(("said", "right"), [("1100", True), ("1100 cents", True), ("1100 AUR", False)])
def test_cents_that_are_asked_for_are_not_aurel(said, right):
    cost = facts.number("cost", 1100)
    assert Item.of(said).gives(cost, "What is it at 20 cents a minute?", [cost]) is right


def test_money_is_no_share():
    assert not Item.of("1250.5 %").gives(PRICE, "What does it cost?", [PRICE])


def test_a_name_that_the_query_has_counts_with_its_noun_and_not_with_the_other_one():
    account = facts.name("account", "current", others=["holiday"])
    query = "Pay from the holiday account if it can, else from the current account. Which was it?"
    told = {said: Item.of(said).gives(account, query, [account]) for said in _ACCOUNTS}
    assert told == _ACCOUNTS


_ACCOUNTS = {
    "current account": True,
    "the current account": True,
    "current": True,
    "holiday account": False,
    "current holiday account": False,
    "not the current account": False,
}
