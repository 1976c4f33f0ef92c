"""The places between which one can travel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from stb_env.suites.sambanova.common.content import content

VERSION = 2
"""Raised where the same search finds something else, or the same index is another task."""

_EARTH = 6_371.0


class Place(NamedTuple):
    """A place: degrees north and east, and what leads there."""

    name: str
    lat: float
    lon: float
    train: bool
    port: bool
    road: bool


@cache
def places() -> Mapping[str, Place]:
    """Return the places by their names."""
    return {row["name"]: Place(**row) for row in content("trip_booking", "places")}


def kilometres(start: Place, end: Place) -> float:
    """Return the length of the shortest way over the globe.

    Examples:
        >>> round(kilometres(places()["Boston"], places()["New York"]), -1)
        310.0
    """
    north, south = math.radians(start.lat), math.radians(end.lat)
    turn = math.radians(end.lon - start.lon)
    cosine = math.sin(north) * math.sin(south) + math.cos(north) * math.cos(south) * math.cos(turn)
    return _EARTH * math.acos(max(-1.0, min(1.0, cosine)))
