"""Level 3: people, places, travel and money. Their content is the same in every episode."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Unpack

from stb_env.suites.api_bank.api_error import ApiError
from stb_env.suites.api_bank.apis.information import calculator
from stb_env.suites.api_bank.apis.level3_content import Row, Weather, content, found
from stb_env.suites.api_bank.apis.schedule import MEETING, MEETING_MATCH, Meeting, check_meeting
from stb_env.suites.api_bank.compare import (
    EXCEPTION,
    INPUT,
    NAME,
    OUTPUT,
    RESULT,
    WHOLE,
    all_but,
    all_of,
    output_member,
    same,
)
from stb_env.suites.api_bank.definition import API, STATUS, Domain, Function, Output, Parameter, text
from stb_env.suites.api_bank.state import State
from stb_env.suites.api_bank.times import read_date, read_time

PEOPLE = Domain("Account Management")
MEETINGS = Domain("Schedule Management")
INFORMATION = Domain("Information Query and Processing")
MONEY = Domain("Finance Management", [replace(calculator, domain="Finance Management")])
TRAVEL = Domain("Travel")
LEVEL_3_DOMAINS = (PEOPLE, MEETINGS, INFORMATION, MONEY, TRAVEL)

_ACCOUNT = (text("username", "Name of the user."), text("password", "Password of the user."))
_USER = text("user_name", "Name of the user.")
_LATITUDE = Parameter("latitude", "float", "Latitude of the place.")
_LONGITUDE = Parameter("longitude", "float", "Longitude of the place.")
_DESTINATION = text("destination", "Where to.")
_NAMED = all_of(NAME, WHOLE)


def _lookup(
    domain: Domain, name: str, *parameters: Parameter, outputs: Mapping[str, Output]
) -> Callable[[Function], API]:
    """Return a decorator that makes a function an API that only looks something up."""
    return domain.api(name, *parameters, outputs=outputs, reads="nothing", compare=_NAMED)


def _account(username: str, password: str) -> Row:
    account = content()["accounts"].get(username)
    if account is None or account["password"] != password:
        raise ApiError("User not found.")
    return account


@_lookup(
    PEOPLE,
    "AccountInfo",
    *_ACCOUNT,
    outputs={**STATUS, "account_info": ("dict", "Mail address and telephone number.")},
)
def account_info(username: str, password: str) -> Row:
    """Look up mail address and telephone number of a user."""
    account = _account(username, password)
    return {"email": account["email"], "phone": account["phone"]}


@PEOPLE.api(
    "PersonalInfoUpdate",
    *_ACCOUNT,
    text("address", "The new address."),
    compare=all_of(NAME, INPUT, OUTPUT),
)
def personal_info_update(
    state: State, username: str, password: str, address: str
) -> tuple[dict[str, str], State]:
    """Change the address of a user."""
    _account(username, password)
    return {"status": "success"}, state.with_row("PersonalInfoUpdate", username, {"address": address})


@MEETINGS.api("AddMeeting", *MEETING, compare=MEETING_MATCH)
def add_meeting(state: State, **meeting: Unpack[Meeting]) -> tuple[str, State]:
    """Book a meeting."""
    check_meeting(meeting)
    topic, start, end = meeting["meeting_topic"], meeting["start_time"], meeting["end_time"]
    ordered = {"meeting_topic": topic, "start_time": start, "end_time": end, **meeting}
    return "success", state.with_row("AddMeeting", str(len(state.table("AddMeeting"))), ordered)


@_lookup(MEETINGS, "QueryMeeting", _USER, outputs={"meetings": ("list", "The user's meetings.")})
def query_meeting(user_name: str) -> dict[str, list[dict[str, Any]]]:
    """Look up the meetings of a user."""
    calendar = found(content()["calendar_of"], user_name)
    return {"meetings": content()["calendars"][calendar]}


@INFORMATION.api(
    "EmailReminder",
    text("content", "What to be reminded of."),
    text("time", "When it takes place, as YYYY-MM-DD hh:mm:ss."),
    text("location", "Where it takes place."),
    text("recipient", "Mail address of who gets it."),
    reads="nothing",
    compare=all_of(NAME, all_but("content"), RESULT),
    acts=True,
)
def email_reminder(content: str, time: str, **_others: object) -> str:
    """Send a reminder by mail."""
    read_time(time)
    if not content.strip():
        raise ApiError("Content should not be empty")
    return "success"


@_lookup(
    INFORMATION,
    "OrganizationMembers",
    text("organization", "Name of the organisation."),
    outputs={"members": ("list", "Names of its members.")},
)
def organization_members(organization: str) -> dict[str, list[str]]:
    """List the members of an organisation."""
    return {"members": found(content()["members"], organization)}


@_lookup(
    INFORMATION,
    "TravelStatus",
    text("member_name", "Name of the member."),
    outputs={"status": ("str", "Whether the member travels, or where they work.")},
)
def travel_status(member_name: str) -> str:
    """Tell whether a member of an organisation is travelling."""
    return found(content()["travel_status"], member_name)


@_lookup(
    INFORMATION,
    "UserPosts",
    Parameter("user_id", "int", "Id of the user."),
    outputs={"post_ids": ("list", "Ids of the posts.")},
)
def user_posts(user_id: int) -> dict[str, list[int]]:
    """List the posts of a user."""
    posts = content()["posts"].get(str(user_id))
    if posts is None:
        raise ApiError(str(user_id))
    return {"post_ids": posts}


@_lookup(
    INFORMATION,
    "LikeCount",
    Parameter("post_id", "int", "Id of the post."),
    outputs={"like_count": ("int", "Number of likes.")},
)
def like_count(post_id: int) -> dict[str, int]:
    """Count the likes of a post."""
    likes = content()["likes"].get(str(post_id))
    if likes is None:
        raise ApiError(f"Post with ID {post_id} does not exist.")
    return {"like_count": likes}


@_lookup(
    INFORMATION,
    "Geocoding",
    text("address", "Name of the place."),
    outputs={"latitude": ("float", "Its latitude."), "longitude": ("float", "Its longitude.")},
)
def geocoding(address: str) -> dict[str, float]:
    """Find the coordinates of a place."""
    latitude, longitude = found(content()["places"], address)["coordinates"]
    return {"latitude": latitude, "longitude": longitude}


@INFORMATION.api(
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
def get_weather_for_coordinates(latitude: float, longitude: float) -> Weather:
    """Tell the weather at a pair of coordinates."""
    for place in content()["places"].values():
        if place["coordinates"] == [latitude, longitude]:
            return place["weather"]
    raise ApiError("'NoneType' object is not subscriptable")


@_lookup(
    INFORMATION,
    "ClothingRecommendation",
    Parameter("temperature", "float", "Temperature in degrees Celsius."),
    Parameter("humidity", "float", "Humidity in the unit of the weather API."),
    text("weather_conditions", "The weather in a word."),
    outputs={"clothing_options": ("list", "What to put on.")},
)
def clothing_recommendation(
    temperature: float, humidity: float, weather_conditions: str
) -> dict[str, list[str]]:
    """Recommend clothes for the weather."""
    clothes = content()["clothes"]
    by_temperature = clothes["by_temperature"]
    options = next(each["wear"] for each in by_temperature if temperature < each.get("below", math.inf))
    damp = clothes["humid"] if humidity > clothes["humid_above"] else []
    rain = clothes["rain"] if "rain" in weather_conditions.lower() else []
    return {"clothing_options": [*options, *damp, *rain]}


@INFORMATION.api(
    "NearbyRestaurants",
    _LATITUDE,
    _LONGITUDE,
    Parameter("distance", "int", "How far away at most, in metres."),
    outputs={"restaurants": ("list", "Restaurants with their coordinates.")},
    reads="nothing",
    compare=all_of(NAME, INPUT),
)
def nearby_restaurants(**_where: object) -> dict[str, list[dict[str, Any]]]:
    """List restaurants near a pair of coordinates."""
    # Wherever one is, the original lists them all.
    return {"restaurants": content()["restaurants"]}


@_lookup(
    INFORMATION,
    "UserMoviePreferences",
    _USER,
    outputs={"preferences": ("list", "Kinds of films that the user likes.")},
)
def user_movie_preferences(user_name: str) -> dict[str, list[str]]:
    """Tell which kinds of films a user likes."""
    return {"preferences": found(content()["film_preferences"], user_name)}


@_lookup(INFORMATION, "UserWatchedMovies", _USER, outputs={"watched_movies": ("list", "Titles of films.")})
def user_watched_movies(user_name: str) -> list[str]:
    """List the films that a user has seen."""
    watched = content()["watched_films"].get(user_name)
    if watched is None:
        raise ApiError("User not found.")
    return watched


@_lookup(
    INFORMATION,
    "MovieRecommendations",
    Parameter("preferences", "list", "Kinds of films."),
    outputs={"recommended_movies": ("list", "Titles of films.")},
)
def movie_recommendations(preferences: list[str]) -> dict[str, list[str]]:
    """Recommend films of given kinds."""
    films = content()["films"]
    return {"recommended_movies": [title for kind in preferences for title in found(films, kind)]}


@_lookup(
    MONEY,
    "GetOccupationSalary",
    text("occupation", "The occupation."),
    outputs={"salary": ("float", "The salary.")},
)
def get_occupation_salary(occupation: str) -> dict[str, float]:
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
def tax_calculator(salary: float) -> dict[str, float]:
    """Compute what is left of a salary after taxes."""
    if salary < 0:
        # The original's complaint has no text, which could not be told from an answer.
        raise ApiError("The salary cannot be negative.")
    rate = max(bracket["rate"] for bracket in content()["taxes"] if salary >= bracket["from"])
    return {"salary_after_tax": salary - salary * rate}


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
) -> tuple[dict[str, list[Row]], State]:
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
) -> tuple[dict[str, list[Row]], State]:
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
