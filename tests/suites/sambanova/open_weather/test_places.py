"""Cities, zip codes, coordinates and countries agree with each other."""

from __future__ import annotations

from math import cos, hypot, radians

import pytest

from stb_env.suites.sambanova.open_weather.places import (
    Place,
    by_coordinates,
    by_name,
    by_zip,
    cities,
    lands,
    namesakes,
    place_key,
)
from stb_env.suites.sambanova.open_weather.zips import areas, spread

CITIES = list(cities().values())
# Codes of countries all of whose cities lie west of Greenwich; GB, FR and ES have it between their cities.
WEST = "AR BO BR CA CL CO CR CU EC GH IE IS JM MA MX PA PE PT SN US UY VE"
BOTH = "DZ ES FR GB"
SOUTH = "AR AU BO BR CL EC FJ ID KE NA NZ PE RW UY ZA ZM ZW"
FAR = 200


def kilometres(one: Place, lat: float, lon: float) -> float:
    return 111 * hypot(one.lat - lat, (one.lon - lon) * cos(radians(lat)))


def test_every_longitude_and_latitude_has_the_sign_of_its_country():
    for city in CITIES:
        if city.country not in BOTH:
            assert (city.lon < 0) == (city.country in WEST), city
        assert (city.lat < 0) == (city.country in SOUTH), city


def test_cities_of_a_country_lie_near_each_other():
    for city in CITIES:
        for other in CITIES:
            if city.country == other.country and city.state not in ("Hawaii", "Alaska"):
                assert other.state in ("Hawaii", "Alaska") or kilometres(city, other.lat, other.lon) < 5_000


def test_local_time_goes_with_the_longitude():
    for city in CITIES:
        assert abs(city.offset / 3_600 - city.lon / 15) <= 2, city


@pytest.mark.parametrize(
    "city", [city for city in CITIES if city.country == "US"], ids=lambda city: city.name
)
def test_the_zip_codes_of_a_city_lie_where_the_city_lies(city: Place):
    for prefix in spread(city.zips):
        area = areas()[prefix]
        assert area.state == city.state
        assert kilometres(city, area.lat, area.lon) < FAR
        assert by_zip(f"{prefix}01") == city == by_coordinates(str(city.lat), str(city.lon))


def test_every_zip_code_lies_in_its_area_and_every_area_in_its_state():
    for prefix, area in areas().items():
        place = by_zip(f"{prefix}07")
        assert place is not None
        assert (place.country, place.state) == ("US", area.state)
        assert kilometres(place, area.lat, area.lon) < FAR
        assert 18 < area.lat < 72
        assert -170 < area.lon < -66


@pytest.mark.parametrize("text", ["00000", "1234", "21300", "94301,fr", "", "９４３０１"])
def test_what_is_no_zip_code_of_the_states_is_nowhere(text: str):
    assert by_zip(text) is None


@pytest.mark.parametrize("name", ["springfield", "oslo", "hilltop", "new york"])
def test_namesakes_lie_in_the_countries_that_they_are_said_to_lie_in(name: str):
    first, *others = namesakes(name, 5)
    assert first == by_name(name)
    for place in others:
        land = lands()[place.country]
        assert abs(place.lat - land.lat) <= land.north + 0.1
        assert abs(place.lon - land.lon) <= land.east + 0.1
        assert by_name(f"{name},{place.country}") == place


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Paris, FR", "paris"),
        ("London,UK", "london"),
        ("Portland, OR, USA", "portland"),
        ("portland,oregon", "portland"),
        ("BOGOTÁ", "bogota"),
        ("Portland,ME,US", "portland,me,us"),
        ("Paris,TX,US", "paris,tx,us"),
        ("Paris,DE", "paris,de"),
    ],
)
def test_a_city_is_the_same_with_its_own_state_and_country_alone(text: str, key: str):
    assert place_key(text) == key


@pytest.mark.parametrize(
    ("text", "country", "near"),
    [("hilltop,ke", "KE", (-1.3, 36.8)), ("portland,me,us", "US", (43.7, -70.4)), ("x,ca", "CA", (52, -106))],
)
def test_a_place_that_is_made_up_lies_where_its_name_says(text: str, country: str, near: tuple[float, float]):
    place = by_name(text)
    assert place is not None
    assert place.country == country
    assert kilometres(place, *near) < 700


def test_a_country_that_is_not_known_has_no_places():
    assert by_name("hilltop,xx") is None
