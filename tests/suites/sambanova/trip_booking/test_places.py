"""Places lie where they lie, and where the weather service has them."""

from __future__ import annotations

from itertools import combinations

from stb_env.suites.sambanova.open_weather.places import cities
from stb_env.suites.sambanova.trip_booking.places import kilometres, places


def test_a_place_that_the_weather_service_knows_lies_at_the_same_coordinates():
    shared = [city for city in cities().values() if city.name in places()]
    assert len(shared) > 15
    for city in shared:
        place = places()[city.name]
        assert max(abs(place.lat - city.lat), abs(place.lon - city.lon)) < 0.15, city.name


def test_every_place_lies_in_north_america_west_of_greenwich():
    for place in places().values():
        assert 18 < place.lat < 62
        assert -160 < place.lon < -66


def test_no_two_places_are_one_and_trains_and_roads_stay_on_the_continent():
    for one, other in combinations(places().values(), 2):
        assert kilometres(one, other) > 25, (one.name, other.name)
    for name in ("Honolulu", "Nassau", "Cozumel", "San Juan"):
        assert not places()[name].road
        assert not places()[name].train
