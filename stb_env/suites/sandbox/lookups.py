"""What many solutions share: the steps from a name in the query to the row behind it, and a field."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import TypeAlias

from stb_env.suites.sandbox import facts
from stb_env.suites.sandbox.content.households import TODAY
from stb_env.suites.sandbox.manners import long_date as long_date
from stb_env.suites.sandbox.template import Steps
from stb_env.suites.sandbox.tools.city_atlas import search_cities
from stb_env.suites.sandbox.tools.contact_book import search_contacts
from stb_env.suites.sandbox.tools.corner_shop import search_products

Lookup: TypeAlias = Steps[str]


def city_id(name: str) -> Lookup:
    """Find the id of a city by its full name."""
    page = yield search_cities(query=name)
    return next(str(row["city_id"]) for row in page["results"] if row["name"] == name)


def contact_id(name: str) -> Lookup:
    """Find the id of a contact by full name; empty where there is none (any more)."""
    page = yield search_contacts(name=name)
    return next((str(row["contact_id"]) for row in page["results"] if row["name"] == name), "")


def product_id(name: str) -> Lookup:
    """Find the id of a product by its full name."""
    page = yield search_products(query=name)
    return next(str(row["product_id"]) for row in page["results"] if row["name"] == name)


DISTANCE_UNITS = (("km", "kilometres"), ("mi", "miles"))
"""Units of distance: as City Atlas takes them, and in words."""


def distance(value: float, word: str) -> facts.Fact:
    """Require a distance between two cities, in a unit of `DISTANCE_UNITS` that the field's name says.

    City Atlas gives tenths of either unit; one that was converted by hand is a little off.
    """
    name = "distance_km" if word == "kilometres" else "distance_miles"
    return facts.number(
        name, value, "as the crow flies, to one decimal; 0.1 more or less counts", tolerance=0.1
    )


def temperature(end: str, value: float, scale: str) -> facts.Fact:
    """Require the high or low of a day in a scale, which the field's name says.

    Args:
        end: ``high`` or ``low``.
        value: The temperature, to one decimal.
        scale: ``Celsius`` or ``Fahrenheit``. The services measure in tenths of a degree Celsius, so a value
            that was converted to Fahrenheit by hand is a little off.
    """
    name = f"{end}_{scale.casefold()}"
    if scale == "Celsius":
        return facts.number(name, value, "to one decimal")
    return facts.number(name, value, "to one decimal; 0.1 more or less counts", tolerance=0.1)


@lru_cache(maxsize=256)
def days(first: int, last: int) -> tuple[date, ...]:
    """Return the days from so many days after the sandbox's present to so many."""
    return tuple(TODAY + timedelta(days=offset) for offset in range(first, last + 1))
