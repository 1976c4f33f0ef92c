"""Word material for plausible values: lists of our own, so that no other package decides an answer."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources


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
        first_names: First names from all over the world.
        surnames: Last names.
        places: Towns of the world, no two of one name.
        company_names: What the name of a company begins with.
        company_trades: What it ends with.
        jobs: Occupations.
        streets: Names of streets.
        states: States of the USA.
        colors: Names of colours.
        adjectives: Adjectives that go with any noun and follow "a".
        nouns: Nouns that follow "a" and take an "s" in the plural.
        sentences: Sentences about ``{topic}`` with room for other words.
        currencies: Codes and names of currencies.
    """

    first_names: tuple[str, ...]
    surnames: tuple[str, ...]
    places: tuple[Place, ...]
    company_names: tuple[str, ...]
    company_trades: tuple[str, ...]
    jobs: tuple[str, ...]
    streets: tuple[str, ...]
    states: tuple[str, ...]
    colors: tuple[str, ...]
    adjectives: tuple[str, ...]
    nouns: tuple[str, ...]
    sentences: tuple[str, ...]
    currencies: tuple[tuple[str, str], ...]


@cache
def words() -> Words:
    """Return the pools, read at the first call.

    Examples:
        >>> words() is words(), words().colors[:3]
        (True, ('amber', 'beige', 'black'))
    """
    data = json.loads(_text())
    countries = data.pop("countries")
    places = (Place(city, countries[code], code, *rest) for city, code, *rest in data.pop("places"))
    currencies = ((code, name) for code, name in data.pop("currencies"))
    pools = {name: tuple(pool) for name, pool in data.items()}
    return Words(places=tuple(places), currencies=tuple(currencies), **pools)


@cache
def digest() -> str:
    """Return the SHA-256 of the words as hex digits; another list means other answers."""
    return hashlib.sha256(_text().encode()).hexdigest()


def _text() -> str:
    # Read as text, so that a checkout with other line ends has the same digest.
    folder = resources.files("stb_env") / "backend" / "simulator" / "template"
    return (folder / "words.json").read_text(encoding="utf-8")


@cache
def _towns() -> dict[str, Place]:
    return {place.city.casefold(): place for place in words().places}


def town(name: str) -> Place | None:
    """Return the town of this name, whatever its case, or None.

    Examples:
        >>> town(" oslo ").country, town("Atlantis") is None
        ('Norway', True)
    """
    return _towns().get(name.strip().casefold())
