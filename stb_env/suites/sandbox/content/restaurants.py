"""Restaurants of the sandbox, four a city, with menus in the city's own currency."""

from __future__ import annotations

import random
from collections.abc import Mapping

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.currencies import convert
from stb_env.suites.sandbox.content.edition import grouped, per_edition
from stb_env.suites.sandbox.content.places import cities
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS

PER_CITY = 4
CUISINES = ("Aldorian", "Brevonian", "Gyoren", "Halvean", "seafood", "grill")
COURSES: Mapping[str, int] = {"starter": 3, "main": 4, "dessert": 3}
_FIRST = (
    "Copper", "Velvet", "Wandering", "Salted", "Crooked", "Laughing", "Ninth", "Painted", "Gilded", "Humble",
    "Thirsty", "Lucky",
)  # fmt: skip
_SECOND = (
    "Ladle", "Fig", "Oyster", "Kettle", "Goose", "Table", "Pepper", "Barrel", "Lemon Tree", "Skillet",
    "Crane", "Samovar", "Magpie",
)  # fmt: skip
# Dish and whether it is vegetarian.
_DISHES: Mapping[str, tuple[tuple[str, bool], ...]] = {
    "starter": (
        ("Beetroot Carpaccio", True), ("Pickled Herring", False), ("Leek Tart", True), ("Duck Pate", False),
        ("Onion Broth", True), ("Prawn Toast", False), ("Stuffed Peppers", True), ("Ham Croquettes", False),
    ),
    "main": (
        ("Lamb Shank", False), ("Mushroom Risotto", True), ("Grilled Trout", False),
        ("Pumpkin Gnocchi", True), ("Chicken Tagine", False), ("Lentil Moussaka", True),
        ("Mackerel Curry", False), ("Chickpea Stew", True), ("Beef Dumplings", False),
        ("Spinach Lasagne", True),
    ),
    "dessert": (
        ("Plum Crumble", True), ("Almond Cake", True), ("Honey Parfait", True), ("Cherry Jelly", False),
        ("Lemon Posset", True), ("Marrow Pudding", False), ("Walnut Baklava", True),
    ),
}  # fmt: skip


@per_edition()
def restaurants() -> Mapping[str, JsonObject]:
    """Return every restaurant by id; names are unique, and so are the ratings within a city."""
    rng = edition.rng("restaurants")
    names = [f"The {first} {second}" for first in _FIRST for second in _SECOND]
    rng.shuffle(names)
    rows: dict[str, JsonObject] = {}
    for city in cities().values():
        for rating in rng.sample(range(22, 50), PER_CITY):
            key = f"restaurant-{len(rows) + 1:03}"
            opens = rng.randrange(10 * 4, 18 * 4) * 15
            rows[key] = {
                "restaurant_id": key,
                "name": names[len(rows)],
                "city_id": city["city_id"],
                "cuisine": rng.choice(CUISINES),
                "rating": rating / 10,
                "opens": opens,
                "closes": min(opens + rng.randrange(4 * 4, 9 * 4) * 15, 23 * 60 + 45),
                "closed_on": rng.choice(WEEKDAYS),
                "seats": rng.randrange(18, 140),
                "phone": f"+{rng.randrange(30, 99)} {rng.randrange(200, 999)} {rng.randrange(10**4, 10**5)}",
                "currency": city["currency"],
                "menu": _menu(rng, city["currency"]),
            }
    return rows


def _menu(rng: random.Random, currency: str) -> tuple[dict[str, object], ...]:
    return tuple(
        {
            "dish": dish,
            "course": course,
            "vegetarian": vegetarian,
            "price": convert(rng.uniform(3, 9) * (2.4 if course == "main" else 1), "AUR", currency),
        }
        for course, count in COURSES.items()
        for dish, vegetarian in rng.sample(_DISHES[course], count)
    )


@per_edition()
def restaurants_by_city() -> Mapping[str, list[JsonObject]]:
    """Return the restaurants of every city, by city id."""
    return grouped(restaurants().values(), "city_id")
