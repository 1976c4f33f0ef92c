"""Table Guide: restaurants by city name, their hours and their menus in local currency."""

from __future__ import annotations

from stb_env.suites.sandbox.content.restaurants import COURSES, CUISINES, restaurants, restaurants_by_city
from stb_env.suites.sandbox.conventions import PAGE, city_named, columns, found, page_of, show_clock, where
from stb_env.suites.sandbox.params import choice, number, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Food", "Table Guide", "Restaurants; prices in the currency of the city.")
_RESTAURANT = text("restaurant_id", "Id from Search Restaurants.", "restaurant-001")


@TOOL.lookup(
    "Search Restaurants",
    text("city_name", "Full name of the city (not an id).", "Marrowgate"),
    choice("cuisine", "Only this cuisine.", ("any", *CUISINES), optional=True),
    number("min_rating", "Lowest rating, from 0 to 5.", 0, 0, 5, optional=True),
    PAGE,
)
def search_restaurants(city_name: str, cuisine: str, min_rating: float, page: int) -> Response:
    """List the restaurants of a city with cuisine and rating."""
    city = city_named(city_name)
    rows = where(restaurants_by_city()[city["city_id"]], cuisine=cuisine)
    rated = [row for row in rows if row["rating"] >= min_rating]
    return page_of(columns(rated, "restaurant_id", "name", "cuisine", "rating"), page)


@TOOL.lookup("Restaurant Details", _RESTAURANT)
def restaurant_details(restaurant_id: str) -> Response:
    """Opening hours, weekly closing day, seats and phone number of one restaurant."""
    row = found(restaurants().get(restaurant_id), "restaurant", restaurant_id)
    shown = ("restaurant_id", "name", "cuisine", "rating", "closed_on", "seats", "phone")
    return {
        **{key: row[key] for key in shown},
        "opens": show_clock(row["opens"]),
        "closes": show_clock(row["closes"]),
    }


@TOOL.lookup("Menu", _RESTAURANT, choice("course", "Only this course.", ("any", *COURSES), optional=True))
def menu(restaurant_id: str, course: str) -> Response:
    """Dishes of one restaurant with course and price, and whether they are vegetarian."""
    row = found(restaurants().get(restaurant_id), "restaurant", restaurant_id)
    dishes = [dict(dish) for dish in row["menu"] if course in ("any", dish["course"])]
    return {"restaurant_id": restaurant_id, "currency": row["currency"], "dishes": dishes}


@TOOL.lookup(
    "Who Serves",
    text("dish", "Part of the dish's name, in any case.", "risotto"),
    text("city_name", "Full name of the city.", "Marrowgate"),
    PAGE,
)
def who_serves(dish: str, city_name: str, page: int) -> Response:
    """List the restaurants of a city that have a dish on the menu, with its price there."""
    city = city_named(city_name)
    needle = dish.casefold()
    rows = [
        {
            "restaurant_id": row["restaurant_id"],
            "name": row["name"],
            "dish": line["dish"],
            "price": line["price"],
        }
        for row in restaurants_by_city()[city["city_id"]]
        for line in row["menu"]
        if needle in line["dish"].casefold()
    ]
    return page_of(rows, page)
