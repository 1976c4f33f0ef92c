"""Sentences in which a value belongs to what stands beside it, and those that only seem to give it."""

from __future__ import annotations

import pytest

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.facts import failure, holds

RAIN = facts.number("rain", 33.3, unit="mm", others=[25.7, 12.5])
DAY = facts.date("day", "2026-06-05", others=["2026-06-14", "2026-06-09"])
CITY = facts.name("city", "Chantrieu", others=["Derbanat", "Montvire"])
FOG = facts.name("condition", "fog", others=["sunny", "drizzle", "rain"])
DRIZZLE = facts.name("condition", "drizzle", others=["fog"])
PRICE = facts.number("price", 1250, others=[900])
HIGH = facts.number("high", 64.3, unit="f", tolerance=0.15)
ENERGY = facts.number("energy", 63558, unit="kj", tolerance=0.5)
ABOVE = facts.yes_no("above", True, yes=("above", "ahead of"), no=("below",), subject="Minamori Harriers")
GUESTS = facts.number("guests", 3848)
LOW = facts.number("close", 11.99, others=[12.34, 12.17])
AGE = facts.number("age", 139)
CLOSING = facts.time("closing time", "21:00")
START = facts.time("first start", "10:45")
BIRTH = facts.date("birth", "1960-01-23")
SHELF = facts.yes_no("on the shelf", False)
NAMED = facts.name("scorer", "Viktor Castellan")
OUT = facts.yes_no("cancelled", False, yes=("cancelled",), no=("too late",))


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        (RAIN, "The wettest day is 5 June with 33.3 mm; next comes the 14th with 25.7 mm."),
        (DAY, "The wettest day is 5 June with 33.3 mm; next comes the 14th with 25.7 mm."),
        (RAIN, "33.3 mm of rain, followed by 25.7 mm on 14 June"),
        (RAIN, "3.33 cm"),
        (CITY, "You fly from Derbanat to Chantrieu."),
        (FOG, "It will be foggy."),
        (DRIZZLE, "Expect drizzly weather."),
        (PRICE, "The price was 900 originally; now it is 1250."),
        (PRICE, "1250 AUR (900 + 350 = 1250)"),
        (PRICE, "It costs 1250, not 900."),
        (PRICE, "I first read 900. Correction: it's 1250."),
        (PRICE, "One thousand? No: 1250"),
        (HIGH, "About 64 °F."),
        (HIGH, "17.9 °C"),
        (ENERGY, "63.558 MJ"),
        (ENERGY, "17.655 kWh"),
        (facts.number("count", 23), "There are twenty-three of them."),
        (facts.number("count", 120), "a hundred and twenty"),
        (facts.time("start", "12:00"), "at noon"),
        (facts.time("start", "21:30"), "at half past nine in the evening"),
        (facts.date("day", "2026-03-09"), "on the 9th"),
        (facts.code("phone", "+44 0123 4567"), "0044 0123 4567"),
        (ABOVE, "Minamori Harriers stood above Cawdle City."),
        (ABOVE, "They did, by 14 points."),
        (OUT, "The gym refused."),
        (OUT, "The gym refused to cancel it."),
        (OUT, "They didn't let me."),
        (OUT, "I tried to cancel it, but unfortunately no: the time for that has passed."),
        (SHELF, "| Branch | Copies |\n|---|---|\n| Lockyard | none |"),
        (ABOVE, "It does look better than the others."),
        (GUESTS, "54 % of 7125 is 3847.5, so about 3848 people."),
        (GUESTS, "- Attendance: 7,125\n- 54 % of it: 3,848 (3,847.5 before rounding)"),
        (GUESTS, "1200, 1300 and 1348 add up to 3848."),
        (PRICE, "125000 cents, or 1250 AUR"),
        (PRICE, "The price went from 900 to 1250."),
        (LOW, "It closed at 12.34, 12.17 and 11.99. So the low point is 11.99."),
        (LOW, "| 12.34 |\n| **11.99** |\n| 12.17 |"),
        (AGE, "The paper turns 139 in the year 2027 (it's 138 in 2026)."),
        (CLOSING, "It opens at 14:15, and it closes at 21:00."),
        (START, "1. Choir, 10:45-11:45\n\nFirst start: 10:45"),
        (BIRTH, "The birthday is the 23rd of January, and the year is 1960."),
        (NAMED, "Only one of them has 19 goals: Viktor Castellan."),
    ],
)
def test_a_value_belongs_to_what_stands_beside_it(fact, answer):
    assert not failure(fact, answer)


@pytest.mark.parametrize(
    ("fact", "answer"),
    [
        (CITY, "You fly from Chantrieu to Derbanat."),
        (CITY, "Chantrieu and Derbanat"),
        (PRICE, "The price is 1250. The price is 1251."),
        (PRICE, "1250. Sorry, 1251."),
        (PRICE, "1250? I doubt it."),
        (PRICE, "People say it is 1250."),
        (PRICE, "The answer is anything except 1250."),
        (PRICE, "between 1250 and 1300"),
        (PRICE, "1250/1300"),
        (PRICE, "Don't believe this: 1250"),
        (PRICE, "1250 (fictional)"),
        (PRICE, "I have no idea, 1250"),
        (PRICE, "Yes. No. It is 1250."),
        (HIGH, "65 °F"),
        (facts.time("start", "09:30"), "half past nine in the evening"),
        (facts.code("phone", "+44 0123 4567"), "+44 0123 4567 or +45 0124 4568"),
        (ABOVE, "Cawdle City stood above Minamori Harriers."),
        (OUT, "It was cancelled."),
        (OUT, "No. Yes, it was."),
        (ABOVE, "It does not look so."),
        (GUESTS, "3848 or 3848.4"),
        (GUESTS, "1200, 1300, 1349, 3848"),
        (PRICE, "125000 cents, or 1300 AUR"),
        (PRICE, "It costs from 900 to 1250."),
        (PRICE, "The price went from 1250 to 900."),
        (LOW, "12.34, 12.17 and 11.99."),
        (LOW, "12.34, 12.17, 11.99. It is 11.99."),
        (LOW, "| 12.34 |\n| 11.99 |\n| 12.17 |"),
        (AGE, "It is 138 and 139 in 2026."),
        (CLOSING, "It closes at 14:15, and it closes at 21:00."),
        (START, "10:45, 11:45"),
        (BIRTH, "The birthday is the 23rd of January, and the year is 1961."),
        (NAMED, "One of them has 19 goals: Viktor Castellan."),
    ],
)
def test_what_only_seems_to_give_a_value_fails(fact, answer):
    assert failure(fact, answer)


def test_a_measure_may_not_be_rounded_where_the_query_asks_for_decimals():
    assert holds(HIGH, "64 °F", "How warm is it?")
    assert not holds(HIGH, "64 °F", "How warm is it, to one decimal?")


@pytest.mark.parametrize(
    ("fact", "answer", "reason"),
    [
        (PRICE, "It costs 900.", "wanted 1250, read 900"),
        (PRICE, "The room is 1250. The room is 1251.", 'wanted 1250, read as well 1251: "the room is 1251"'),
        (CITY, "Maybe Chantrieu", 'wanted Chantrieu, read it hedged: "maybe chantrieu"'),
        (ABOVE, "No.", "wanted yes, read no"),
    ],
)
def test_a_failure_says_what_was_wanted_and_what_was_read(fact, answer, reason):
    assert failure(fact, answer) == reason
