"""The homes on offer in each city, made from a seed, and the search over them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from operator import attrgetter
from typing import NamedTuple

from stb_env.seeding import rng
from stb_env.suites.sambanova.common.content import content
from stb_env.suites.sambanova.common.form.api import Criteria
from stb_env.suites.sambanova.home_search.functions import HOME_TYPES, MODES

VERSION = 2
"""Raised where the same search finds other homes, or the same index is another task."""

HOMES_PER_CITY = 80
LISTED = 5
"""Homes that a search lists; it counts all."""

_DOLLARS_PER_FOOT = {"buy": 210.0, "rent": 1.45}
_STEPS = {"buy": 1_000, "rent": 10}


class Home(NamedTuple):
    """A home on offer; fields after ``mode`` are what criteria ask for."""

    id: str
    address: str
    mode: str
    type: str
    price: int
    square_feet: int
    beds: int
    baths: float
    garages: int
    swimming_pools: int
    balconies: int
    floor: int
    commute_minutes: int


_AT_LEAST = {
    "min_price": "price",
    "min_square_feet": "square_feet",
    "num_beds": "beds",
    "num_baths": "baths",
    "num_garages": "garages",
    "num_swimming_pools": "swimming_pools",
    "num_balconies": "balconies",
}
_AT_MOST = {
    "max_price": "price",
    "max_square_feet": "square_feet",
    "max_commute_time": "commute_minutes",
}
FIELDS: Mapping[str, str] = {**_AT_LEAST, **_AT_MOST, "floor_number": "floor"}
"""The field of a home that each criterion is about."""


@cache
def cities() -> Mapping[str, float]:
    """Return the level of prices in each city, 1 being the usual one."""
    return {city["name"]: city["price_level"] for city in content("home_search", "cities")}


@lru_cache(maxsize=128)
def homes_in(city: str) -> tuple[Home, ...]:
    """Return the homes on offer in a city, cheapest first; none where the city is unknown.

    Examples:
        >>> len(homes_in("Fargo")), homes_in("Atlantis")
        (80, ())
    """
    level = cities().get(city)
    if level is None:
        return ()
    draw = rng("home_search", VERSION, "homes", city)
    made = [_home(f"{city[:3].upper()}-{number:03}", level, draw) for number in range(HOMES_PER_CITY)]
    return tuple(sorted(made, key=lambda home: (home.price, home.id)))


def find(criteria: Criteria) -> dict[str, object]:
    """Return how many homes meet the criteria, and the first few of them.

    A criterion whose value is of no use, which only the original's own way lets in, is met by no home.

    Examples:
        >>> found = find({"location": "Fargo", "buy_or_rent": "rent", "num_beds": 2, "max_price": 1100})
        >>> found["found"], found["homes"][0]["beds"] >= 2
        (12, True)
    """
    homes = matching(criteria)
    return {"found": len(homes), "homes": [home._asdict() for home in homes[:LISTED]]}


def matching(criteria: Criteria) -> list[Home]:
    """Return the homes that meet the criteria, cheapest first."""
    city, mode = criteria.get("location"), criteria.get("buy_or_rent")
    if not isinstance(city, str):
        return []
    conditions = _conditions(criteria)
    return [home for home in homes_in(city) if home.mode == mode and all(met(home) for met in conditions)]


def _conditions(criteria: Criteria) -> list[Callable[[Home], bool]]:
    made: list[Callable[[Home], bool]] = []
    if criteria.get("home_type"):
        kinds = set(str(criteria["home_type"]).split(","))
        made.append(lambda home: home.type.lower() in kinds)
    made += [_condition(key, criteria[key]) for key in FIELDS if key in criteria]
    return made


def _condition(key: str, value: object) -> Callable[[Home], bool]:
    if not isinstance(value, int | float):
        return lambda _: False
    field: Callable[[Home], float] = attrgetter(FIELDS[key])
    if key in _AT_LEAST:
        return lambda home: field(home) >= value
    if key in _AT_MOST:
        return lambda home: field(home) <= value
    return lambda home: field(home) == value


def _home(home_id: str, level: float, draw: random.Random) -> Home:
    mode = draw.choice(MODES)
    kind = draw.choice(HOME_TYPES[mode])
    streets = content("home_search", "streets")
    address = f"{draw.randint(1, 1_999)} {draw.choice(streets['names'])} {draw.choice(streets['kinds'])}"
    commute = draw.randrange(5, 75, 5)
    if kind == "Land":
        feet = draw.randrange(4_000, 60_000, 500)
        price = _rounded(feet * 6 * level * draw.uniform(0.7, 1.4), mode)
        return Home(home_id, address, mode, kind, price, feet, 0, 0.0, 0, 0, 0, 0, commute)
    beds = draw.randint(1, 5)
    feet = 250 + 10 * round(draw.uniform(25, 55) * beds)
    flat = kind in ("Condo", "Apartment", "Co-op")
    return Home(
        id=home_id,
        address=address,
        mode=mode,
        type=kind,
        price=_rounded(feet * _DOLLARS_PER_FOOT[mode] * level * draw.uniform(0.7, 1.4), mode),
        square_feet=feet,
        beds=beds,
        baths=max(1.0, beds / 2 + draw.choice((-0.5, 0.0, 0.5))),
        garages=draw.choice((0, 1, 1, 2, 3)),
        swimming_pools=draw.choice((0, 0, 1, 2)),
        balconies=draw.choice((0, 1, 2, 3)),
        floor=draw.randint(1, 20) if flat else draw.randint(1, 3),
        commute_minutes=commute,
    )


def _rounded(price: float, mode: str) -> int:
    step = _STEPS[mode]
    return max(step, round(price / step) * step)
