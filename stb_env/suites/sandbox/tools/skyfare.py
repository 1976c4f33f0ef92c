"""SkyFare: flights and fares."""

from __future__ import annotations

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.flights import CABINS, fare, flights, routes
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.conventions import PAGE, found, page_of, parse_day, show_clock
from stb_env.suites.sandbox.params import choice, day, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Travel", "SkyFare", "Scheduled flights and their fares, in aurel (AUR).")


@TOOL.lookup(
    "Search Flights",
    text("origin_city_id", "Id of the city of departure.", "city-001"),
    text("destination_city_id", "Id of the city of arrival.", "city-021"),
    PAGE,
)
def search_flights(origin_city_id: str, destination_city_id: str, page: int) -> Response:
    """List the daily flights from one city to another by time of departure, without fares."""
    found(cities().get(origin_city_id), "city", origin_city_id)
    found(cities().get(destination_city_id), "city", destination_city_id)
    rows = routes().get((origin_city_id, destination_city_id), [])
    return page_of(
        [
            {"flight_id": row["flight_id"], "airline": row["airline"], "departs": show_clock(row["departs"])}
            for row in rows
        ],
        page,
    )


@TOOL.lookup("Flight Details", text("flight_id", "Flight number, for example from Search Flights.", "SJ101"))
def flight_details(flight_id: str) -> Response:
    """Route, local departure time and flying time of one flight."""
    row = found(flights().get(flight_id), "flight", flight_id)
    return {
        "flight_id": flight_id,
        "airline": row["airline"],
        "origin_city_id": row["origin_city_id"],
        "destination_city_id": row["destination_city_id"],
        "departs": show_clock(row["departs"]),
        "duration_minutes": row["minutes"],
    }


@TOOL.lookup(
    "Get Fare",
    text("flight_id", "Flight number.", "SJ101"),
    day("date", "Day of departure.", "2026-04-15"),
    choice("cabin", "Cabin.", CABINS, optional=True),
)
def get_fare(flight_id: str, date: str, cabin: str) -> Response:
    """Price of one seat on a flight on a given day."""
    flight = found(flights().get(flight_id), "flight", flight_id)
    when = parse_day(date)
    if not 2026 <= when.year <= 2027:
        raise ApiError(f"fares are published for 2026 and 2027 only, got {date}")
    return {
        "flight_id": flight_id,
        "date": date,
        "cabin": cabin,
        "fare": fare(flight, when.toordinal(), cabin),
        "currency": "AUR",
    }
