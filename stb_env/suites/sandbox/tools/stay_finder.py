"""StayFinder: hotels. Takes city names, not ids, and quotes local currency; training never sees it."""

from __future__ import annotations

from stb_env.suites.sandbox.content.hotels import hotels, hotels_by_city
from stb_env.suites.sandbox.conventions import PAGE, city_named, columns, found, page_of
from stb_env.suites.sandbox.params import text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Travel", "StayFinder", "Hotels and their prices in local currency.", held_out="tool")


@TOOL.lookup(
    "Search Hotels",
    text("city_name", "Full name of the city (not an id).", "Marrowgate"),
    whole("min_stars", "Fewest stars.", 1, 1, 5, optional=True),
    PAGE,
)
def search_hotels(city_name: str, min_stars: int, page: int) -> Response:
    """List hotels of a city by name of the hotel, with stars and price a night."""
    city = city_named(city_name)
    rows = [row for row in hotels_by_city()[city["city_id"]] if row["stars"] >= min_stars]
    rows.sort(key=lambda row: str(row["name"]))
    return page_of(columns(rows, "hotel_id", "name", "stars", "nightly_price", "currency"), page)


@TOOL.lookup("Hotel Details", text("hotel_id", "Id from Search Hotels.", "hotel-001"))
def hotel_details(hotel_id: str) -> Response:
    """Everything about one hotel: check-in time, phone, price."""
    return dict(found(hotels().get(hotel_id), "hotel", hotel_id))


@TOOL.lookup(
    "Price Stay",
    text("hotel_id", "Id from Search Hotels.", "hotel-001"),
    whole("nights", "Number of nights.", 2, 1, 60),
)
def price_stay(hotel_id: str, nights: int) -> Response:
    """Total price of a stay of several nights; seven nights or more are 10 % cheaper."""
    hotel = found(hotels().get(hotel_id), "hotel", hotel_id)
    total = round(hotel["nightly_price"] * nights * (0.9 if nights >= 7 else 1), 2)
    return {"hotel_id": hotel_id, "nights": nights, "total": total, "currency": hotel["currency"]}
