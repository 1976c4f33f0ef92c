"""Level 3: fixed content, and the two searches that work once."""

from __future__ import annotations

import pytest

from tests.suites.api_bank.play import LEVEL_3_WORLD, play, play_on

FLIGHT = ("FlightSearch", {"source": "New York", "destination": "London", "travel_dates": "2022-1-4"})
HOTEL = (
    "HotelAvailability",
    {"destination": "San Francisco", "check_in_date": "2022-01-03", "check_out_date": "2022-01-04"},
)


@pytest.mark.parametrize(
    ("name", "arguments", "output"),
    [
        (
            "AccountInfo",
            {"username": "Tom", "password": "asdfgh"},
            {"email": "tom@example.com", "phone": "4564564567"},
        ),
        (
            "PersonalInfoUpdate",
            {"username": "Tom", "password": "asdfgh", "address": "x"},
            {"status": "success"},
        ),
        (
            "AddMeeting",
            {
                "meeting_topic": "x",
                "start_time": "2023-05-01 08:00:00",
                "end_time": "2023-05-01 09:00:00",
                "location": "",
                "attendees": "['a']",
            },
            "success",
        ),
        (
            "EmailReminder",
            {"content": "x", "time": "2023-05-01 08:00:00", "location": "", "recipient": ""},
            "success",
        ),
        (
            "GetWeatherForCoordinates",
            {"latitude": "51.5074", "longitude": "0.1278"},
            {"temperature": 5, "humidity": 0.9, "description": "Rainy"},
        ),
        ("Geocoding", {"address": "Paris"}, {"latitude": 48.8566, "longitude": 2.3522}),
        ("OrganizationMembers", {"organization": "Baidu"}, {"members": ["Jack", "Rose"]}),
        ("TravelStatus", {"member_name": "Alice"}, "Working from home"),
        ("UserPosts", {"user_id": "3"}, {"post_ids": [7, 8, 9]}),
        ("LikeCount", {"post_id": "15"}, {"like_count": 150}),
        ("Calculator", {"formula": "70+80"}, 150.0),
        ("UserMoviePreferences", {"user_name": "Peter"}, {"preferences": ["Action", "Drama", "Thriller"]}),
        (
            "UserWatchedMovies",
            {"user_name": "Tom"},
            ["The Lord of the Rings", "The Dark Knight", "The Matrix"],
        ),
        (
            "MovieRecommendations",
            {"preferences": ["Romance"]},
            {"recommended_movies": ["Titanic", "La La Land", "The Notebook"]},
        ),
        ("GetOccupationSalary", {"occupation": "Doctor"}, {"salary": 200000}),
        (
            "ClothingRecommendation",
            {"temperature": "9.9", "humidity": "71", "weather_conditions": "Light Rain"},
            {"clothing_options": ["Warm coat", "Hat", "Gloves", "Umbrella", "Waterproof shoes", "Raincoat"]},
        ),
        (
            "ClothingRecommendation",
            {"temperature": 10, "humidity": 70, "weather_conditions": ""},
            {"clothing_options": ["Light jacket", "Long-sleeved shirt"]},
        ),
        (
            "ClothingRecommendation",
            {"temperature": 20, "humidity": 0, "weather_conditions": ""},
            {"clothing_options": ["T-shirt", "Shorts"]},
        ),
        (
            "ClothingRecommendation",
            {"temperature": 30, "humidity": 0, "weather_conditions": ""},
            {"clothing_options": ["Sun hat", "Sunglasses", "Loose-fitting clothes"]},
        ),
    ],
)
def test_an_api_knows(name, arguments, output):
    assert play((name, arguments), world=LEVEL_3_WORLD).response == output


@pytest.mark.parametrize(
    ("salary", "left"),
    [(100000, 70000.0), (5000, 3500.0), (3000, 2400.0), (1000, 900.0), (999.5, 999.5), (0, 0.0)],
)
def test_a_salary_is_taxed_at_one_rate(salary, left):
    assert play(("TaxCalculator", {"salary": salary}), world=LEVEL_3_WORLD).response == {
        "salary_after_tax": left
    }


def test_meetings_and_restaurants_are_the_same_for_all_who_ask():
    john, mary = (
        play(("QueryMeeting", {"user_name": name}), world=LEVEL_3_WORLD).response for name in ("John", "Mary")
    )
    assert john == mary
    assert [each["meeting_id"] for each in john["meetings"]] == [1, 2]
    anywhere = {"latitude": 0, "longitude": 0, "distance": 1}
    assert len(play(("NearbyRestaurants", anywhere), world=LEVEL_3_WORLD).response["restaurants"]) == 4


def test_a_found_flight_cannot_be_found_again():
    found, state = play_on(LEVEL_3_WORLD.fresh(), FLIGHT, world=LEVEL_3_WORLD)
    assert found.response["flights"][0]["arrival_date"] == "2022-01-04 15:00:00"
    again, _ = play_on(state, FLIGHT, world=LEVEL_3_WORLD)
    assert again.error == "'str' object has no attribute 'date'"


def test_a_flight_that_was_not_found_can_be_searched_again():
    nothing = (FLIGHT[0], FLIGHT[1] | {"travel_dates": "2022-01-05"})
    assert play(nothing, nothing, FLIGHT, world=LEVEL_3_WORLD).response["flights"] != []
    assert play(nothing, world=LEVEL_3_WORLD).response == {"flights": []}


def test_a_found_hotel_cannot_be_found_again():
    found, state = play_on(LEVEL_3_WORLD.fresh(), HOTEL, world=LEVEL_3_WORLD)
    assert len(found.response["hotels"]) == 1
    assert play_on(state, HOTEL, world=LEVEL_3_WORLD)[0].error == "'str' object has no attribute 'strftime'"
    other = (HOTEL[0], HOTEL[1] | {"check_in_date": "2022-01-04", "check_out_date": "2022-01-05"})
    assert len(play_on(state, other, world=LEVEL_3_WORLD)[0].response["hotels"]) == 1
