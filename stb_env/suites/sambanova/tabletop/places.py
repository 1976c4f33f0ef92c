"""The table: its bounds, its named places, its colours, and which place is nearest to a point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Point = tuple[float, float]
"""x and y in metres; x grows to the right, y to the top."""

Position = tuple[float, float, float]
"""x, y and z in metres."""

LEFT, RIGHT, BOTTOM, TOP = -0.3, 0.3, -0.8, -0.2
"""Edges of the table, in metres."""

THRESHOLD = 0.05
"""Distance at which a block still counts as being at a place, in metres."""

OUTER = 0.15
"""Depth of a side of the table from its edge, in metres: a quarter of the width."""

MIDDLE = "middle"
_PLACES: dict[str, Point] = {
    "top left corner": (-0.25, -0.25),
    "top side": (0.0, -0.25),
    "top right corner": (0.25, -0.25),
    "left side": (-0.25, -0.5),
    MIDDLE: (0.0, -0.5),
    "right side": (0.25, -0.5),
    "bottom left corner": (-0.25, -0.75),
    "bottom side": (0.0, -0.75),
    "bottom right corner": (0.25, -0.75),
}
PLACES: Mapping[str, Point] = _PLACES
"""Named places, 5 cm inside the edges."""

# The order decides ties.
CORNERS = ("top left corner", "top right corner", "bottom left corner", "bottom right corner")
SIDES = ("top side", "right side", "bottom side", "left side")

COLORS: Mapping[str, tuple[int, int, int]] = {
    "blue": (78, 121, 167),
    "red": (255, 87, 89),
    "green": (89, 169, 79),
    "orange": (242, 142, 43),
    "yellow": (237, 201, 72),
    "purple": (176, 122, 161),
    "pink": (255, 157, 167),
    "cyan": (118, 183, 178),
    "brown": (156, 117, 95),
    "gray": (186, 176, 172),
}
"""Red, green and blue of 255."""

STEPS: Mapping[str, Point] = {"top": (0, 1), "bottom": (0, -1), "left": (-1, 0), "right": (1, 0)}
"""Unit steps in each direction."""

_ROUNDING = 1e-6

# The original misspells the name of one corner where it is asked for the nearest.
_MISSPELT = {"bottom right corner": "botom right corner"}


def distance(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the distance in the plane, in metres.

    Examples:
        >>> distance((0, 0, 9), (3, 4))
        5.0
    """
    return math.hypot(a[0] - b[0], a[1] - b[1])


def nearest(point: Sequence[float], names: Sequence[str]) -> str:
    """Return the named place that is nearest to a point, the first of equals.

    Examples:
        >>> nearest((0.2, -0.3), SIDES)
        'top side'
    """
    return min(names, key=lambda name: distance(point, PLACES[name]))


def is_at(point: Sequence[float], place: str) -> bool:
    """Return whether a point lies in the part of the table that a corner or side is.

    A side is the strip along its edge, corners included; a corner is where two sides meet.

    Examples:
        >>> [is_at((-0.2, -0.7), place) for place in ("left side", "bottom left corner", "right side")]
        [True, True, False]
    """
    edges = {word: edge_gap(point, word) for word in place.split() if word in STEPS}
    return all(gap <= OUTER + _ROUNDING for gap in edges.values())


def edge_gap(point: Sequence[float], direction: str) -> float:
    """Return how far a point lies from the edge in a direction, in metres.

    Examples:
        >>> round(edge_gap((0.1, -0.5), "right"), 6)
        0.2
    """
    x, y = point[:2]
    return {"left": x - LEFT, "right": RIGHT - x, "bottom": y - BOTTOM, "top": TOP - y}[direction]


def side_of(point: Sequence[float]) -> str | None:
    """Return the one side that a point lies at; None for a corner, where two are, and for the middle.

    Examples:
        >>> side_of((-0.25, -0.4)), side_of((-0.25, -0.25)), side_of((0, -0.5))
        ('left side', None, None)
    """
    (near, way), (second, _) = sorted((edge_gap(point, way), way) for way in STEPS)[:2]
    return f"{way} side" if near <= OUTER + _ROUNDING and second - near > _ROUNDING else None


def corner_name(point: Sequence[float], *, original: bool = False) -> str:
    """Return the name of the nearest corner.

    Args:
        point: x and y.
        original: Whether one of the names is misspelt as in the original.

    Examples:
        >>> corner_name((0.2, -0.7)), corner_name((0.2, -0.7), original=True)
        ('bottom right corner', 'botom right corner')
    """
    name = nearest(point, CORNERS)
    return _MISSPELT.get(name, name) if original else name


def denormalized(point: Sequence[float]) -> Point:
    """Return the point of the table for coordinates from 0 to 1, (0, 0) at the bottom left.

    Examples:
        >>> denormalized((0, 1))
        (-0.25, -0.25)
    """
    return point[0] * 0.5 - 0.25, point[1] * 0.5 - 0.75


def on_table(point: Sequence[float]) -> bool:
    """Return whether the arm reaches a point.

    Examples:
        >>> on_table((0.3, -0.5)), on_table((0.4, -0.5))
        (True, False)
    """
    slack = 0.005
    across = LEFT - slack <= point[0] <= RIGHT + slack
    return across and BOTTOM - slack <= point[1] <= TOP + slack
