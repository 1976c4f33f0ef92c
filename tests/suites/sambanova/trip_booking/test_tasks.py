"""Trips come from a seed; the test list never changes unseen and nothing of it is in training."""

from __future__ import annotations

import datetime
from collections import Counter
from string import Formatter
from typing import Any

import pytest

from stb_env.errors import DataError
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.trip_booking.env import API, find
from stb_env.suites.sambanova.trip_booking.functions import CLASSES, day_of
from stb_env.suites.sambanova.trip_booking.hotels import find_rooms, offered, rooms_in
from stb_env.suites.sambanova.trip_booking.places import places
from stb_env.suites.sambanova.trip_booking.tasks import KINDS, TEST_SIZE, demonstrations, tasks_of
from stb_env.suites.sambanova.trip_booking.timetable import departures, find_tickets
from stb_env.suites.sambanova.trip_booking.tools import BY_NAME, FUNCTIONS, documents

TEST = tasks_of("test")
TRAIN = tasks_of("train")
TASKS = [TEST.at(index) for index in range(TEST_SIZE)]
BY = content("trip_booking", "goals")["by"]
METHODS = [name for name in FUNCTIONS if name not in CLASSES]
TRIP = {
    "booking_type": "trip tickets",
    "means_of_transportation": "train",
    "location_from": "Omaha",
    "location_to": "Denver",
    "departure_date": "3-14-2024",
}
STAY = {
    "booking_type": "hotels",
    "location": "Denver",
    "checkin_date": "3-14-2024",
    "checkout_date": "3-16-2024",
}


def functions_of(program: str) -> tuple[str, frozenset[str]]:
    lines = [line for line in program.split("\n") if line.startswith("API.")]
    return lines[0], frozenset(line.split("(")[0] for line in lines)


def test_the_test_split_has_a_hundred_and_twenty_different_goals_of_three_kinds():
    assert TEST.size == len(TASKS) == 120
    assert Counter(task.group for task in TASKS) == dict.fromkeys(KINDS, 40)
    assert len({task.query for task in TASKS}) == 120
    called = [{call.name for call in task.gold} for task in TASKS]
    assert all(sum(name in names for names in called) >= 5 for name in METHODS)


def test_no_set_of_functions_of_the_test_is_in_training_or_in_a_demonstration():
    tested = {functions_of(task.goal["labels"][0]) for task in TASKS}
    trained = {functions_of(TRAIN.at(index).goal["labels"][0]) for index in range(600)}
    assert not tested & (trained | {functions_of(demo.program) for demo in demonstrations()})


def test_there_are_eleven_executable_demonstrations_that_name_places_and_dates_first():
    demos = demonstrations()
    assert [demo.name for demo in demos] == [f"{index}_0" for index in range(11)]
    for demo in demos:
        assert FormWorld(API).run(demo.program) == FormWorld(API, original=True).run(demo.program)
        assert " = Loc(" in demo.program
        assert " = Date(" in demo.program


def test_something_can_be_booked_for_every_goal():
    for task in TASKS:
        criteria = FormWorld(API).run(task.goal["labels"][0]).criteria
        found = find(criteria)
        if "tickets" in found:
            assert found["tickets"]["departures"]
        if "hotels" in found:
            assert found["hotels"]["found"] >= 1


def test_a_goal_names_everything_that_its_program_has():
    for task in TASKS:
        for call in task.gold[1:-1]:
            value: Any = next(iter(call.arguments.values())) if not isinstance(call.arguments, str) else None
            if isinstance(value, dict) and "year" in value:
                day = datetime.date(value["year"], value["month"], value["day"])
                ways = {f"{day:%B} {day.day}, {day.year}", f"{day.day} {day:%B} {day.year}", f"{day}"}
            elif isinstance(value, dict):
                ways = {value["location"]}
            else:
                ways = {str(value), BY.get(value, str(value))}
            assert any(way in task.query for way in ways)


def test_no_program_of_the_test_is_in_a_demonstration():
    shown = {demo.program for demo in demonstrations()}
    assert not shown & {label for task in TASKS for label in task.goal["labels"]}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_opens_in_twelve_ways_and_says_from_where_to_where(kind: str):
    openings = content("trip_booking", "goals")["openings"][kind]
    assert len({text.lower() for text in openings}) >= 12
    places_named = {"trip tickets": {"origin", "destination"}, "hotels": {"location"}}
    wanted = places_named.get(kind) or {"origin", "destination", "location"}
    for text in openings:
        named = {field for _, field, _, _ in Formatter().parse(text) if field}
        assert named - {"means", "by"} == wanted
        assert kind == "hotels" or named & {"means", "by"}


def test_every_goal_says_how_many_travel():
    assert all(any(call.name == "set_num_adults" for call in task.gold) for task in TASKS)


def test_leaving_out_a_day_that_differs_from_its_default_is_noticed():
    both = [FormWorld(API).run(task.goal["labels"][0]).criteria for task in TASKS if task.group == "both"]
    days = [(day_of(trip["departure_date"]), day_of(trip["checkin_date"])) for trip in both]
    backs = [(day_of(trip["return_date"]), day_of(trip["checkout_date"])) for trip in both]
    assert any(leave != checkin for leave, checkin in days)
    assert any(back != checkout for back, checkout in backs)


def test_tickets_are_within_the_prices_and_count_children_half():
    tickets = find_tickets({**TRIP, "num_adults": 2, "num_children": 1, "return_date": "3-20-2024"})
    every = departures("train", "Omaha", "Denver", datetime.date(2024, 3, 14))
    assert [ticket["price"] for ticket in tickets["departures"]] == [departure.price for departure in every]
    assert all(ticket["total"] == 2.5 * ticket["price"] for ticket in tickets["departures"])
    assert tickets["returns"][0]["date"] == "3-20-2024"
    cheapest = every[0].price
    assert find_tickets({**TRIP, "max_price_ticket": cheapest - 1})["departures"] == []
    assert find_tickets({**TRIP, "min_price_ticket": every[-1].price + 1})["departures"] == []


@pytest.mark.parametrize(
    ("means", "start", "end"),
    [
        ("cruise", "Omaha", "Denver"),
        ("train", "Honolulu", "Denver"),
        ("bus", "Honolulu", "Denver"),
        ("bus", "Boston", "Seattle"),
        ("flight", "Omaha", "Omaha"),
        ("flight", "Omaha", "Atlantis"),
        ("ferry", "Boston", "Miami"),
    ],
)
def test_some_ways_do_not_exist(means: str, start: str, end: str):
    assert departures(means, start, end, datetime.date(2024, 3, 14)) == ()


def test_rooms_are_of_the_type_within_the_prices_and_free():
    every = offered(STAY)
    assert every
    doubles = offered({**STAY, "room_type": "Double", "max_price_room": 200})
    assert doubles == [room for room in every if room.room_type == "Double" and room.price <= 200]
    assert len(offered({**STAY, "num_rooms": 6})) < len(every)
    assert find_rooms({**STAY, "num_rooms": 2})["offers"][0]["total"] % 4 == 0
    assert all(rooms_in(place) for place in places())


@pytest.mark.parametrize("value", [None, "2", [2], {"a": 1}, float("nan"), float("inf"), 10**400, -1])
def test_a_search_survives_any_value(value: object):
    for key in (*TRIP, "num_adults", "max_price_ticket"):
        if key != "booking_type":
            find({**TRIP, key: value})
    for key in (*STAY, "num_rooms", "room_type", "min_price_room"):
        if key != "booking_type":
            find({**STAY, key: value})


@pytest.mark.parametrize("task_id", ["test-120", "test-00", "val-1", "test-9999999999999999999"])
def test_other_ids_are_errors(task_id: str):
    with pytest.raises(DataError, match=f"no TripBooking task '{task_id}'"):
        TEST.get(task_id)


def test_the_twenty_functions_have_documents():
    made = documents()
    assert [document.name for document in made] == list(FUNCTIONS)
    assert len(made) == 20
    for name, text in made:
        comment, signature = text.split("\n")
        assert comment.startswith("# ")
        assert signature.startswith(f"{'' if name in CLASSES else 'API.'}{name}(")
        if name in BY_NAME:
            assert all(parameter in signature for parameter in BY_NAME[name].parameters["properties"])
    assert made[3].text.split("\n")[0].endswith("Values: flight, train, bus, cruise.")
