"""Level 3: places, weather, restaurants, films, flights, hotels, money."""

from __future__ import annotations

import math
from dataclasses import replace

from stb_env.jsontypes import Json, JsonArray, JsonObject
from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.information import calculator
from stb_env.suites.api_bank.apis.level3_content import content, found
from stb_env.suites.api_bank.compare import EXCEPTION, INPUT, NAME, WHOLE, all_of, output_member, same
from stb_env.suites.api_bank.definition import Domain, Parameter, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_date

PLACES = Domain("Information Query and Processing")
MONEY = Domain("Finance Management", [replace(calculator, domain="Finance Management")])
TRAVEL = Domain("Travel")

_NAMED = all_of(NAME, WHOLE)
_LATITUDE = Parameter("latitude", "float", "Latitude of the place.")
_LONGITUDE = Parameter("longitude", "float", "Longitude of the place.")
_DESTINATION = text("destination", "Where to.")
_USER = text("user_name", "Name of the user.")


@PLACES.api(
    "Geocoding",
    text("address", "Name of the place."),
    outputs={"latitude": ("float", "Its latitude."), "longitude": ("float", "Its longitude.")},
    reads="nothing",
    compare=_NAMED,
)
def geocoding(address: str) -> JsonObject:
    """Find the coordinates of a place."""
    latitude, longitude = found(content()["places"], address)["coordinates"]
    return {"latitude": latitude, "longitude": longitude}


@PLACES.api(
    "GetWeatherForCoordinates",
    _LATITUDE,
    _LONGITUDE,
    outputs={
        "temperature": ("float", "Temperature in degrees Celsius."),
        "humidity": ("float", "Humidity, from 0 to 1."),
        "description": ("str", "The weather in a word."),
    },
    reads="nothing",
)
def get_weather_for_coordinates(latitude: float, longitude: float) -> Json:
    """Tell the weather at a pair of coordinates."""
    for place in content()["places"].values():
        if place["coordinates"] == [latitude, longitude]:
            return place["weather"]
    raise ApiError("'NoneType' object is not subscriptable")


@PLACES.api(
    "ClothingRecommendation",
    Parameter("temperature", "float", "Temperature in degrees Celsius."),
    Parameter("humidity", "float", "Humidity in the unit of the weather API."),
    text("weather_conditions", "The weather in a word."),
    outputs={"clothing_options": ("list", "What to put on.")},
    reads="nothing",
    compare=_NAMED,
)
def clothing_recommendation(
    temperature: float, humidity: float, weather_conditions: str
) -> dict[str, JsonArray]:
    """Recommend clothes for the weather."""
    clothes = content()["clothes"]
    by_temperature = clothes["by_temperature"]
    options = next(each["wear"] for each in by_temperature if temperature < each.get("below", math.inf))
    damp = clothes["humid"] if humidity > clothes["humid_above"] else []
    rain = clothes["rain"] if "rain" in weather_conditions.lower() else []
    return {"clothing_options": [*options, *damp, *rain]}


@PLACES.api(
    "NearbyRestaurants",
    _LATITUDE,
    _LONGITUDE,
    Parameter("distance", "int", "How far away at most, in metres."),
    outputs={"restaurants": ("list", "Restaurants with their coordinates.")},
    reads="nothing",
    compare=all_of(NAME, INPUT),
)
def nearby_restaurants(**_where: object) -> JsonObject:
    """List restaurants near a pair of coordinates."""
    # Wherever one is, the original lists them all.
    return {"restaurants": content()["restaurants"]}


@PLACES.api(
    "UserMoviePreferences",
    _USER,
    outputs={"preferences": ("list", "Kinds of films that the user likes.")},
    reads="nothing",
    compare=_NAMED,
)
def user_movie_preferences(user_name: str) -> JsonObject:
    """Tell which kinds of films a user likes."""
    return {"preferences": found(content()["film_preferences"], user_name)}


@PLACES.api(
    "UserWatchedMovies",
    _USER,
    outputs={"watched_movies": ("list", "Titles of films.")},
    reads="nothing",
    compare=_NAMED,
)
def user_watched_movies(user_name: str) -> Json:
    """List the films that a user has seen."""
    watched = content()["watched_films"].get(user_name)
    if watched is None:
        raise ApiError("User not found.")
    return watched


@PLACES.api(
    "MovieRecommendations",
    Parameter("preferences", "list", "Kinds of films."),
    outputs={"recommended_movies": ("list", "Titles of films.")},
    reads="nothing",
    compare=_NAMED,
)
def movie_recommendations(preferences: list[str]) -> dict[str, JsonArray]:
    """Recommend films of given kinds."""
    films = content()["films"]
    return {"recommended_movies": [title for kind in preferences for title in found(films, kind)]}


@TRAVEL.api(
    "FlightSearch",
    text("source", "Where from."),
    _DESTINATION,
    text("travel_dates", "Day of the flight, as YYYY-MM-DD."),
    outputs={"flights": ("list", "Flights of this day.")},
    compare=_NAMED,
)
def flight_search(
    state: State, source: str, destination: str, travel_dates: str
) -> tuple[dict[str, JsonArray], State]:
    """Find flights on a day."""
    day = f"{read_date(travel_dates):%Y-%m-%d}"
    route = f"{source} - {destination}"
    if route in state.table("FlightSearch"):
        # Finding a flight turns its dates into texts, over which the original's next search trips.
        raise ApiError("'str' object has no attribute 'date'")
    flights = [
        flight
        for flight in content()["flights"]
        if (flight["source"], flight["destination"]) == (source, destination)
        and flight["departure_date"].startswith(day)
    ]
    return {"flights": flights}, state.with_row("FlightSearch", route, True) if flights else state


@TRAVEL.api(
    "HotelAvailability",
    _DESTINATION,
    text("check_in_date", "Day of arrival, as YYYY-MM-DD."),
    text("check_out_date", "Day of departure, as YYYY-MM-DD."),
    outputs={"hotels": ("list", "Hotels that are free.")},
    compare=all_of(NAME, same("destination", "check_in_date", "check_out_date"), output_member("hotels")),
)
def hotel_availability(
    state: State, destination: str, check_in_date: str, check_out_date: str
) -> tuple[dict[str, JsonArray], State]:
    """Find hotels that are free for a stay."""
    arrival, departure = read_date(check_in_date), read_date(check_out_date)
    hotels = [
        hotel
        for hotel in content()["hotels"]
        if hotel["destination"] == destination
        and arrival >= read_date(hotel["check_in_date"])
        and departure <= read_date(hotel["check_out_date"])
    ]
    for hotel in hotels:
        if hotel["check_in_date"] in state.table("HotelAvailability"):
            # As with flights: what was found once cannot be found again.
            raise ApiError("'str' object has no attribute 'strftime'")
        state = state.with_row("HotelAvailability", hotel["check_in_date"], True)
    return {"hotels": hotels}, state


@MONEY.api(
    "GetOccupationSalary",
    text("occupation", "The occupation."),
    outputs={"salary": ("float", "The salary.")},
    reads="nothing",
    compare=_NAMED,
)
def get_occupation_salary(occupation: str) -> JsonObject:
    """Tell what is earned in an occupation."""
    salary = content()["salaries"].get(occupation)
    if salary is None:
        raise ApiError("The occupation is not in the database.")
    return {"salary": salary}


@MONEY.api(
    "TaxCalculator",
    Parameter("salary", "float", "The salary before taxes."),
    outputs={"salary_after_tax": ("float", "What is left of it.")},
    reads="nothing",
    compare=all_of(NAME, same("salary"), output_member("salary_after_tax"), EXCEPTION),
)
def tax_calculator(salary: float) -> JsonObject:
    """Compute what is left of a salary after taxes."""
    if salary < 0:
        # The original's complaint has no text, which could not be told from an answer.
        raise ApiError("The salary cannot be negative.")
    rate = max(bracket["rate"] for bracket in content()["taxes"] if salary >= bracket["from"])
    return {"salary_after_tax": salary - salary * rate}
