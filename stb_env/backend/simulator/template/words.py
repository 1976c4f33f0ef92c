"""Word material for plausible values, drawn once per process from a seeded Faker.

Faker serves as a dictionary only: pools of fixed size are drawn through its public interface, and every
later choice from them is ours. Another release of Faker may draw other words, so the pools are hashed
and the hash is part of the simulator's version.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING

from stb_env import jsontext

if TYPE_CHECKING:
    from faker import Faker

_POOL = 128
_PLACES = 512


@dataclass(frozen=True, slots=True)
class Place:
    """A real town with everything that goes with it."""

    city: str
    country: str
    code: str
    timezone: str
    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class Words:
    """Pools of words, each in a fixed order.

    Attributes:
        people: First and last names.
        places: Towns of the world.
        companies: Names of companies.
        jobs: Occupations.
        streets: House numbers with streets.
        states: States of the USA.
        colors: Names of colours.
        phrases: Short headings of two or three words.
        nouns: Plain lower-case nouns.
        currencies: Codes and names of currencies.
    """

    people: tuple[tuple[str, str], ...]
    places: tuple[Place, ...]
    companies: tuple[str, ...]
    jobs: tuple[str, ...]
    streets: tuple[str, ...]
    states: tuple[str, ...]
    colors: tuple[str, ...]
    phrases: tuple[str, ...]
    nouns: tuple[str, ...]
    currencies: tuple[tuple[str, str], ...]


@cache
def words() -> Words:
    """Return the pools, drawn at the first call.

    Examples:
        >>> words() is words(), len(words().phrases)
        (True, 128)
    """
    # Importing Faker takes a tenth of a second, and most runs never simulate.
    from faker import Faker

    fake = Faker("en_US")
    fake.seed_instance(0)
    draws = range(_POOL)
    return Words(
        people=tuple((fake.first_name(), fake.last_name()) for _ in draws),
        places=_places(fake),
        companies=tuple(fake.company() for _ in draws),
        jobs=tuple(fake.job() for _ in draws),
        streets=tuple(fake.street_address() for _ in draws),
        states=tuple(fake.state() for _ in draws),
        colors=tuple(fake.safe_color_name() for _ in draws),
        phrases=tuple(fake.catch_phrase() for _ in draws),
        nouns=tuple(fake.word(part_of_speech="noun") for _ in draws),
        currencies=tuple(fake.currency() for _ in draws),
    )


def _places(fake: Faker) -> tuple[Place, ...]:
    from faker.providers.date_time import Provider

    countries = {country.alpha_2_code: country.name for country in Provider.countries}
    found = (fake.location_on_land() for _ in range(_PLACES))
    return tuple(
        Place(city, countries.get(code, code), code, zone, float(latitude), float(longitude))
        for latitude, longitude, city, code, zone in found
    )


@cache
def digest() -> str:
    """Return eight hex digits that identify the pools."""
    text = jsontext.dumps(asdict(words()))
    return hashlib.sha256(text.encode()).hexdigest()[:8]


@cache
def _towns() -> dict[str, Place]:
    return {place.city.casefold(): place for place in words().places}


def town(name: str) -> Place | None:
    """Return the town of this name, whatever its case, or None.

    Examples:
        >>> town(words().places[0].city.upper()) is not None, town("Atlantis") is None
        (True, True)
    """
    return _towns().get(name.strip().casefold())
