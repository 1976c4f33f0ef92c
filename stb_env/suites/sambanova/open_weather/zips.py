"""Zip codes of the United States: the area in which each one lies, by its first three digits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from stb_env.suites.sambanova.common.content import content

_ZIP = re.compile(r"(\d{5})(?:\s*,\s*usa?)?")


class Area(NamedTuple):
    """The area of the zip codes with some prefixes.

    Attributes:
        state: Name of the state.
        code: Its two letters.
        prefixes: First three digits, as ranges.
        lat: Degrees north of the middle.
        lon: Degrees east of the middle.
    """

    state: str
    code: str
    prefixes: str
    lat: float
    lon: float


@cache
def areas() -> Mapping[str, Area]:
    """Return the areas by the first three digits of their codes."""
    rows = [Area(**row) for row in content("open_weather", "zips")]
    return {prefix: area for area in rows for prefix in spread(area.prefixes)}


@cache
def state_codes() -> Mapping[str, str]:
    """Return the two letters of each state by its name in lower case."""
    return {area.state.lower(): area.code.lower() for area in areas().values()}


def area_of_state(text: str) -> Area | None:
    """Return an area of a state, given by its name or its two letters.

    Examples:
        >>> area_of_state("me").state, area_of_state("maine").code, area_of_state("fr") is None
        ('Maine', 'ME', True)
    """
    code = state_codes().get(text, text).upper()
    return next((area for area in areas().values() if area.code == code), None)


def zip_of(text: str) -> str | None:
    """Return the five digits of a code; None where it is none of the United States.

    Examples:
        >>> zip_of(" 94301, US"), zip_of("943"), zip_of("00000")
        ('94301', None, None)
    """
    match = _ZIP.fullmatch(text.strip().lower())
    return match[1] if match and match[1][:3] in areas() else None


def spread(ranges: str) -> Iterator[str]:
    """Yield the prefixes of ranges.

    Examples:
        >>> list(spread("099-101,104"))
        ['099', '100', '101', '104']
    """
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        yield from (f"{number:03}" for number in range(int(first), int(last or first) + 1))
