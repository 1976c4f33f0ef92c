"""Programs of trip bookings, and verdicts that they have by either judge."""

from __future__ import annotations

from typing import Any

from stb_env.suites.sambanova.trip_booking.env import API
from stb_env.suites.sambanova.trip_booking.functions import ROOM_TYPES, day_of
from stb_env.suites.sambanova.trip_booking.tasks import tasks_of, trip_task
from tests.suites.sambanova.common.form.play import FormCase, ends_with_search

START = 'API.select_booking_type("both")\n'
WAY = (
    'API.select_transportation("train")\norigin = Loc("Omaha")\nAPI.set_origin(origin)\n'
    'API.set_destination(Loc("Denver"))\n'
)
STAY = (
    'API.set_hotel_location(Loc("Denver"))\nAPI.set_checkin_date(Date(5, 10, 2024))\n'
    "API.set_checkout_date(Date(5, 15, 2024))\n"
)
LABEL = START + WAY + STAY + 'API.set_num_adults(2)\nAPI.select_room_type("Double")\nAPI.search()'
TICKETS = START.replace("both", "trip tickets") + WAY
REST = "API.set_num_adults(2)\nAPI.select_room_type('Double')\nAPI.search()"
SPELLED = (
    START + WAY + "place, days = Loc('Denver'), [Date(5, day, 2024) for day in (10, 15)]\n"
    "API.set_hotel_location(place)\nAPI.set_checkin_date(days[0])\nAPI.set_checkout_date(days[1])\n" + REST,
    START + WAY + "API.set_hotel_location(Loc(location='Den' + 'ver'))\n"
    "for call, text in [(API.set_checkin_date, '5/10/2024'), (API.set_checkout_date, '5/15/2024')]:\n"
    "    call(Date(*map(int, text.split('/'))))\n" + REST,
    START + WAY + "def day(number, month=5):\n    return Date(month=month, day=number, year=2024)\n"
    "API.set_hotel_location(Loc(f\"{'denver'.title()}\"))\nAPI.set_checkin_date(day(10))\n"
    "API.set_checkout_date(day(15))\nprint('ready')\n" + REST,
)
CHEATS = (("Denver", "Omaha"), ("10", "11"), ("adults(2)", "adults(3)"), ("Double", "Luxury"))


def expected_by_default(case: dict[str, Any]) -> tuple[bool, bool] | None:
    """What the default says of a plain program; None where its reading of values decides."""
    expected = case["expected"]
    if case["syntax"] != "calls" or case["signature_problems"]:
        return None
    if not expected["executable"]:
        return False, False
    criteria = expected["criteria"]
    days = {key: day_of(value) for key, value in criteria.items() if key.endswith("_date")}
    if not ends_with_search(case["prediction"]) or None in days.values():
        return False, False
    if criteria.get("room_type", ROOM_TYPES[0]) not in ROOM_TYPES or not in_order(days):
        return False, False
    return None if criteria.get("num_children") == 0 else (True, expected["success"])


def in_order(days: dict[str, Any]) -> bool:
    pairs = (("departure_date", "return_date", 0), ("checkin_date", "checkout_date", 1))
    return all(
        (days[last] - days[first]).days >= least for first, last, least in pairs if {first, last} <= set(days)
    )


CASE = FormCase(
    env_id="stb/TripBooking-v1",
    api=API,
    build=trip_task,
    programs=[tasks_of("train").at(index).goal["labels"][0] for index in range(5)],
    start=START,
    label=LABEL,
    steps=[
        LABEL.replace("API.search()", ""),
        {"name": "set_checkin_date", "arguments": {"value": {"month": 5, "day": 10, "year": 2024}}},
        {"name": "search", "arguments": {}},
    ],
    spelled=SPELLED,
    misspelled=[text.replace(old, new) for text in SPELLED for old, new in CHEATS if old in text],
    wrong="API.search()",
    last="API.set_num_adults(None)",
    stopping=("API.set_adults(2)", "API.set_origin('Omaha')", "API.set_origin(Loc())", "API.search()"),
    first="call select_booking_type first",
    differences=[
        (LABEL.replace("API.search()", ""), (True, False), (False, False)),
        (LABEL + "\nAPI.search()", (True, True), (True, True)),
        (
            LABEL.replace("API.set_num_adults(2)\n", "") + "\nAPI.set_num_adults(2)",
            (True, True),
            (False,) * 2,
        ),
        (LABEL.replace("adults(2)", 'adults("2")'), (True, False), (True, True)),
        (LABEL.replace("adults(2)", "adults(3 - 1)"), (True, True), (True, True)),
        (LABEL.replace("Date(5, 10,", 'Date("5", "10",'), (True, True), (True, True)),
        (LABEL.replace("Date(5, 10,", "Date(5.0, 10,"), (True, False), (True, True)),
        (LABEL.replace("Date(5, 10,", 'Date("05", "10",'), (True, False), (False, False)),
        (LABEL.replace("Date(5, 10,", "Date(2, 30,"), (True, False), (False, False)),
        (LABEL.replace("Date(5, 10,", "Date(5, 15,"), (True, False), (False, False)),
        (LABEL.replace('"Double"', '"double"'), (True, False), (False, False)),
        (LABEL.replace('"Double"', '"Luxury"'), (True, False), (True, False)),
        (LABEL.replace("search()", "set_num_children(0)\nAPI.search()"), (True, False), (True, True)),
        (LABEL.replace("search()", "set_num_children(1)\nAPI.search()"), (True, False), (True, False)),
        (LABEL.replace("search()", "set_num_rooms(1)\nAPI.search()"), (True, True), (True, True)),
        (WAY + LABEL, (False, False), (False, False)),
        (WAY, (True, False), (False, False)),
        (LABEL.replace("API.", ""), (False, False), (True, True)),
        (f"```python\n{LABEL}\n```", (False, False), (True, True)),
        (WAY.replace("API", "# API") + START + "API.clear()\n" + LABEL, (True, True), (True, True)),
        ("", (True, False), (False, False)),
        ("I would book a trip.", (False, False), (False, False)),
    ],
    errors=[
        (["API.set_num_adults(2)"], 1, "call select_booking_type first, and once; clear() starts over"),
        ([START, START], 1, "call select_booking_type first, and once; clear() starts over"),
        (
            ['API.select_booking_type("Hotels")'],
            2,
            '\'booking_type\' must be one of "hotels", "trip tickets", "both"',
        ),
        (["API.search()"], 1, "call select_booking_type first"),
        ([START, "API.search()"], 1, "call select_transportation before a search for both"),
        ([START, WAY, "API.search()"], 1, "call set_hotel_location before a search for both"),
        ([TICKETS, "API.search()"], 1, "call set_departure_date before a search for trip tickets"),
        ([START, "API.set_origin(origin)"], 2, "missing required parameter 'value.location' (string)"),
        ([START, 'API.set_origin("Omaha")'], 2, "'value' must be an object, got the text 'Omaha'"),
        (
            [START, "API.set_origin(Date(1, 2, 2024))"],
            2,
            "missing required parameter 'value.location' (string)",
        ),
        (
            [START, "API.set_return_date(Date(2, 30, 2024))"],
            1,
            "return date 2-30-2024 is no day of the calendar",
        ),
        (
            [START, "API.set_return_date(Date(2024, 3, 14))"],
            2,
            "'value.month' must be at most 12, got the number 2024",
        ),
        (
            [START + WAY + STAY, "API.set_checkout_date(Date(5, 9, 2024))", "API.search()"],
            1,
            "return_date 5-9-2024 comes too early after departure_date 5-10-2024",
        ),
        ([START, 'API.select_room_type("Penthouse")'], 2, '\'value\' must be one of "King Bed", "Queen Bed"'),
        (
            [START, "API.set_num_adult(2)"],
            3,
            "no tool is named 'set_num_adult'. Did you mean 'set_num_adults'?",
        ),
    ],
    expected_by_default=expected_by_default,
)
