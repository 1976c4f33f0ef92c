"""Numbers, days and times of a reply are borne out by their own kind alone."""

from __future__ import annotations

import pytest

from stb_env.suites.api_bank.figures import Figures

STAY = Figures(
    ["2023-03-31", "Two rooms from 11 to 15 August 2023, my number is 0987654321."],
    [
        {
            "check_in": "2023-08-11",
            "check_out": "2023-08-15",
            "rooms": 2,
            "price": 130000,
            "alarm": "07:10:00",
        },
        "5",
    ],
)


@pytest.mark.parametrize(
    "reply",
    [
        "Order 5, 11/08/2023 to 08/15/2023.",
        "You stay from 11 to 15 August, four nights (4 nights).",
        "August 11-15, 2 rooms at 130k.",
        "In the European form it is 130.000.",
        "Call 098 765 4321 at ten past seven in the morning.",
        "The alarm is at 7:10 or, in other words, at 07:10.",
        "If you meant three rooms, that would be 195,000.",
    ],
)
def test_what_follows_from_what_is_known_holds(reply):
    assert not list(STAY.unsupported(reply))


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("The order number is 11.", "11"),
        ("You arrive on 12 August.", "12 august"),
        ("The alarm is at 7:10 in the evening.", "7:10 in the evening"),
        ("Call 098 765 4312.", "098 765"),
        ("It costs 131,000.", "131,000"),
    ],
)
def test_what_is_known_of_another_kind_does_not_hold(reply, wrong):
    assert next(STAY.unsupported(reply)) == wrong


def test_a_measure_holds_in_another_unit_beside_its_own():
    weather = Figures([], [{"temperature": 5}])
    assert not list(weather.unsupported("It is 5 °C (41 °F)."))
    assert list(weather.unsupported("It is 5 °C (48 °F).")) == ["48 °f"]
