"""Layouts: start positions, drawn so that nothing touches and a block fits between any two objects."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from stb_env.suites.sambanova.tabletop.places import BOTTOM, LEFT, RIGHT, TOP, Point

Points = NDArray[np.float64]

APART = 0.15
"""Least distance between two objects, in metres."""

BORDER = 0.1
"""Least distance to the edges, in metres."""

MOST_CLEAR_OF_EDGES = 7
"""Up to so many objects also keep clear of corners and middles of the edges."""

# The points lie on the table, objects a little above it, so the distance in the plane may be less.
_EDGE_APART = 0.147
_BATCH = 200
_STRIDE = 8
_DIGITS = 4

_MIDDLE_X, _MIDDLE_Y = (LEFT + RIGHT) / 2, (BOTTOM + TOP) / 2
EDGE_POINTS: tuple[Point, ...] = tuple(
    (x, y)
    for x in (LEFT, _MIDDLE_X, RIGHT)
    for y in (BOTTOM, _MIDDLE_Y, TOP)
    if (x, y) != (_MIDDLE_X, _MIDDLE_Y)
)
_EDGES = np.array(EDGE_POINTS)
_LOW, _HIGH = np.array((LEFT, BOTTOM)) + BORDER, np.array((RIGHT, TOP)) - BORDER


def layout(count: int, draw: random.Random) -> list[Point]:
    """Draw points for objects.

    Args:
        count: How many; up to 8.
        draw: Source of randomness.

    Examples:
        >>> from stb_env.suites.sambanova.tabletop.places import distance
        >>> points = layout(8, random.Random(0))
        >>> min(distance(a, b) for a in points for b in points if a is not b) > APART
        True
    """
    while True:
        # Filtering a batch is ten times as fast as drawing one point after the other.
        free = _clear_of_edges(_batch(draw), count)
        for start in range(0, len(free), _STRIDE):
            points = _apart(np.concatenate((free[start:], free[:start])), count)
            if len(points) == count:
                return points


def _apart(free: Points, count: int) -> list[Point]:
    """Take points in order as long as there is room, up to so many."""
    points: list[Point] = []
    while len(points) < count and len(free):
        point = free[0]
        points.append((float(point[0]), float(point[1])))
        free = free[_gaps(free, point) > APART]
    return points


def _batch(draw: random.Random) -> Points:
    """Draw points within the border."""
    parts = np.array([draw.random() for _ in range(2 * _BATCH)]).reshape(_BATCH, 2)
    return np.round(_LOW + parts * (_HIGH - _LOW), _DIGITS)


def _clear_of_edges(points: Points, count: int) -> Points:
    if count > MOST_CLEAR_OF_EDGES:
        return points
    gaps = np.hypot(points[:, :1] - _EDGES[:, 0], points[:, 1:] - _EDGES[:, 1])
    clear: Points = points[(gaps > _EDGE_APART).all(axis=1)]
    return clear


def _gaps(points: Points, point: Points) -> Points:
    """Return the distance of each point to one."""
    gaps: Points = np.hypot(points[:, 0] - point[0], points[:, 1] - point[1])
    return gaps
