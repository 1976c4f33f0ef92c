"""City Atlas: places and how far apart they are."""

from __future__ import annotations

from stb_env.suites.sandbox.content.places import cities, distance_km
from stb_env.suites.sandbox.conventions import PAGE, found, page_of
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Travel", "City Atlas", "Facts about cities.")
_KM_PER_MILE = 1.609344


@TOOL.lookup(
    "Search Cities",
    text("query", "Part of the city's name, in any case.", "haven"),
    text("country", "Only cities of this country.", "", optional=True),
    PAGE,
)
def search_cities(query: str, country: str, page: int) -> Response:
    """Find cities by part of their name; returns the ids that other tools ask for."""
    needle, land = query.casefold(), country.casefold()
    rows = [
        {"city_id": city["city_id"], "name": city["name"], "country": city["country"]}
        for city in cities().values()
        if needle in city["name"].casefold() and land in ("", city["country"].casefold())
    ]
    return page_of(rows, page)


@TOOL.lookup("City Details", text("city_id", "Id from Search Cities.", "city-001"))
def city_details(city_id: str) -> Response:
    """Population, elevation, position, time zone and currency of one city."""
    return dict(found(cities().get(city_id), "city", city_id))


@TOOL.lookup(
    "Distance Between",
    text("first_city_id", "Id of one city.", "city-001"),
    text("second_city_id", "Id of the other city.", "city-002"),
    choice("unit", "Unit of the distance.", ("km", "mi"), optional=True),
)
def distance_between(first_city_id: str, second_city_id: str, unit: str) -> Response:
    """Great-circle distance of two cities."""
    first = found(cities().get(first_city_id), "city", first_city_id)
    second = found(cities().get(second_city_id), "city", second_city_id)
    distance = distance_km(first, second)
    return {"distance": round(distance if unit == "km" else distance / _KM_PER_MILE, 1), "unit": unit}
