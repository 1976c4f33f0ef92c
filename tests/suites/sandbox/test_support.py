"""Support: what an episode must have seen before its right answer counts."""

from __future__ import annotations

import pytest

import stb_env
from stb_env.core.jsontypes import Json

Call = tuple[str, dict[str, Json]]
Calls = list[Call]

SHIPS: Calls = [
    ("routes_from_for_harbour_ferries", {"port_city_id": "city-025"}),
    ("routes_from_for_harbour_ferries", {"port_city_id": "city-001"}),
]
LENGTHS: Calls = [
    ("vessel_facts_for_harbour_ferries", {"vessel": "Kittiwake"}),
    ("vessel_facts_for_harbour_ferries", {"vessel": "Cormorant"}),
]
DIFFERENCE: Calls = [
    ("convert_length_for_unit_smith", {"value": 326, "source_unit": "ft", "target_unit": "m"}),
]
CURRENCY: Calls = [("city_details_for_city_atlas", {"city_id": "city-016"})]
CARS: Calls = [
    ("search_cities_for_city_atlas", {"query": "Yenikoy"}),
    ("search_cars_for_wheel_hire", {"city_id": "city-026"}),
]
HOTELS: Call = ("search_hotels_for_stayfinder", {"city_name": "Saint-Aubel"})
RATE: Calls = [("get_rate_for_rate_board", {"base_code": "AUR", "quote_code": "FAR"})]


def converted(amount: float, source: str = "AUR", target: str = "FAR") -> Calls:
    arguments: dict[str, Json] = {"amount": amount, "source_code": source, "target_code": target}
    return [("convert_amount_for_rate_board", arguments)]


def rented(car_id: str, start_date: str, days: int, driver_age: int) -> Calls:
    arguments: dict[str, Json] = {"start_date": start_date, "days": days, "driver_age": driver_age}
    return [("rent_car_for_wheel_hire", {"car_id": car_id, **arguments})]


YOUNG: tuple[str, int, int] = ("2026-07-10", 4, 20)
"""Start, days and age of a driver who may rent car-106, and is too young for car-104."""


def solves(task_id: str, calls: Calls, refused: int = 0) -> bool:
    """Make calls, some of which are refused, give the right answer, and return whether that solves it."""
    env = stb_env.make("stb/Sandbox-v1", split=task_id.split("-")[0])
    env.reset(seed=0, options={"task_id": task_id})
    answers = [env.step({"name": name, "arguments": arguments})[0]["status"] for name, arguments in calls]
    assert sum(status != 0 for status in answers) == refused
    answer = env.tasks.get(task_id).goal["answer"]
    *_, info = env.step({"name": "Finish", "arguments": {"answer": answer}})
    return info["verdict"]["status"] == "solved"


HONEST: dict[str, tuple[str, Calls]] = {
    "units converted without a tool": ("test-longer_ship-1", [*SHIPS, *LENGTHS]),
    "the difference converted": ("test-longer_ship-1", [*SHIPS, *LENGTHS, *DIFFERENCE]),
    "an amount multiplied by the rate": ("train-pocket_money-671", [*CURRENCY, *RATE]),
    "one unit converted, and multiplied": ("train-pocket_money-671", [*CURRENCY, *converted(1)]),
    "a discount that the description tells, computed": ("test-hotel_stay-1", [HOTELS]),
    "the other direction asked for": ("train-pocket_money-671", [*CURRENCY, *converted(1, "FAR", "AUR")]),
}


@pytest.mark.parametrize("name", HONEST)
def test_arithmetic_needs_no_tool(name):
    assert solves(*HONEST[name])


def test_a_refusal_shows_that_the_driver_is_too_young():
    calls = [*CARS, *rented("car-104", *YOUNG), *rented("car-106", *YOUNG)]
    assert solves("test-car_for_young_driver-0", calls, refused=1)


def test_a_rental_shows_that_the_driver_is_old_enough():
    city, cars = ("search_cities_for_city_atlas", {"query": "Oskby"}), {"city_id": "city-011"}
    calls = [city, ("search_cars_for_wheel_hire", cars), *rented("car-043", "2026-07-19", 5, 24)]
    assert solves("test-car_for_young_driver-3", calls)


CHEATS: dict[str, tuple[str, Calls]] = {
    "the lengths were never seen": ("test-longer_ship-1", [*SHIPS, *DIFFERENCE]),
    "one length was never seen": ("test-longer_ship-1", [*SHIPS, LENGTHS[0], *DIFFERENCE]),
    "the rate was never seen": ("train-pocket_money-671", CURRENCY),
    "another rate was seen": ("train-pocket_money-671", [*CURRENCY, *converted(1197.82, "FAR", "GYO")]),
    "a converter repeats the amount": (
        "train-pocket_money-671",
        [*CURRENCY, *converted(1197.82, "FAR", "FAR")],
    ),
    "the first car was never asked about": (
        "test-car_for_young_driver-0",
        [*CARS, *rented("car-106", *YOUNG)],
    ),
    "no car was ever looked at": ("test-car_for_young_driver-0", rented("car-106", *YOUNG)),
    "no hotel was ever looked at": ("test-hotel_stay-1", []),
    "hotels of another city were seen": (
        "test-hotel_stay-1",
        [("search_hotels_for_stayfinder", {"city_name": "Cawdle"})],
    ),
    "a search repeats the page": (
        "test-film_facts-2",
        [("search_films_for_reel_index", {"title": "The Frozen Witness", "page": page}) for page in (1, 168)],
    ),
}


@pytest.mark.parametrize("name", CHEATS)
def test_an_answer_known_by_heart_is_not_supported_by_calls_that_repeat_it(name):
    assert not solves(*CHEATS[name])


def test_a_query_for_a_calculation_alone_needs_the_calculator():
    env = stb_env.make("stb/Sandbox-v1", template="convert_measure")
    task = env.tasks.get(env.reset(seed=0)[1]["task_id"])
    assert not solves(task.id, [])
    assert solves(task.id, [(call.name, dict(call.arguments)) for call in task.gold])
