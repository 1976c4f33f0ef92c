"""The robot of one program or call: it sees the table, understands phrases and moves blocks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.tabletop import language
from stb_env.suites.sambanova.tabletop.costs import MAX_PHRASE
from stb_env.suites.sambanova.tabletop.layouts import Points
from stb_env.suites.sambanova.tabletop.objects import chosen, is_plural, normal
from stb_env.suites.sambanova.tabletop.places import (
    COLORS,
    SIDES,
    Point,
    corner_name,
    denormalized,
    distance,
    nearest,
    on_table,
)
from stb_env.suites.sambanova.tabletop.scene import BLOCK, BOWL, Scene, color_of, object_name
from stb_env.suites.sambanova.tabletop.shapes import Shape

_MOST = 1_000


class Robot:
    """Acts on a table; the table itself is a value that each act replaces.

    Args:
        scene: The table.
        original: Whether what the original refuses or misspells is so here too.

    Examples:
        >>> robot = Robot(Scene.of({"red block": (0.1, -0.4)}, {}))
        >>> robot.put("red block", "top side")
        >>> robot.scene.blocks
        {'red block': (0.0, -0.25, 0.02)}
    """

    def __init__(self, scene: Scene, *, original: bool = False) -> None:
        self.scene = scene
        self.original = original

    def names(self) -> list[str]:
        """Return the names of all objects."""
        return list(self.scene.names)

    def xy(self, where: Any) -> Point:
        """Return the point of an object, a place, a shape or numbers.

        Raises:
            CrashError: It is none of these.
        """
        if isinstance(where, str):
            return self.scene.find(where)[:2]
        if isinstance(where, Shape):
            return where.middle
        try:
            x, y = (float(part) for part in list(where)[:2])
        except (TypeError, ValueError) as error:
            raise CrashError(f"{str(where)[:60]} is neither a name nor a point") from error
        if not math.isfinite(x + y):
            raise CrashError(f"{str(where)[:60]} is no point")
        return x, y

    def array(self, values: object) -> Points:
        """Return numbers as an array.

        Raises:
            CrashError: They are none.
        """
        try:
            return np.array(values, dtype=float)
        except (TypeError, ValueError) as error:
            raise CrashError("points are pairs of numbers") from error

    def array_of(self, obj_name: str) -> Points:
        """Return the point of an object or a place as an array."""
        return self.array(self.xy(_text(obj_name)))

    def gaps(self, points: Iterable[object], point: object) -> list[float]:
        """Return how far points are from one.

        Raises:
            CrashError: There are none.
        """
        gaps = [distance(self.xy(each), self.xy(point)) for each in list(points)[:_MOST]]
        if not gaps:
            raise CrashError("there are no points")
        return gaps

    def put(self, first: object, second: object) -> None:
        """Pick up and put down.

        Raises:
            CrashError: A name is unknown or a point out of reach.
        """
        for where in (first, second):
            if self.original and isinstance(where, list | tuple):
                raise CrashError(f"{type(where).__name__} has no shape; give a name or an array")
        self.scene = self.scene.put(
            first if isinstance(first, str) else self.xy(first),
            second if isinstance(second, str) else self.xy(second),
        )

    def say(self, text: object) -> None:
        """Say something."""
        self.scene = self.scene.say(str(text)[:_MOST])

    def is_visible(self, obj_name: str) -> bool:
        """Return whether an object is there."""
        return object_name(_text(obj_name)) in self.scene.positions

    def box(self, obj_name: str) -> tuple[Points, Points]:
        """Return the lowest and the highest corner of an object."""
        name = object_name(_text(obj_name))
        if name not in self.scene.positions:
            self.scene.find(name)
            raise CrashError(f"{obj_name!r} is a place and has no box")
        x, y, z = self.scene.positions[name]
        half, low, high = (BLOCK / 2,) * 3 if name in self.scene.blocks else (BOWL, 0.0, BLOCK)
        return self.array((x - half, y - half, z - low)), self.array((x + half, y + half, z + high))

    def color(self, obj_name: str) -> tuple[float, ...] | None:
        """Return the colour in a name."""
        color = color_of(_text(obj_name))
        return None if color is None else (*(part / 255 for part in COLORS[color]), 1.0)

    def denormalize(self, pos_normalized: object) -> Points:
        """Return the point of coordinates from 0 to 1."""
        return self.array(denormalized(self.xy(pos_normalized)))

    def corner(self, pos: object) -> str:
        """Return the name of the nearest corner."""
        return corner_name(self.xy(pos), original=self.original)

    def side(self, pos: object) -> str:
        """Return the name of the nearest side."""
        return nearest(self.xy(pos), SIDES)

    def point_to(self, pos: object) -> None:
        """Move the gripper.

        Raises:
            CrashError: The point is out of reach.
        """
        if not on_table(self.xy(pos)):
            raise CrashError("the arm does not reach off the table")

    def parse_name(self, description: str, context: object = None) -> str | list[str]:  # noqa: ARG002
        """Return the object, or the objects, that a phrase means."""
        found = chosen(_text(description), self.scene)
        return found if is_plural(normal(description)) else found[0]

    def parse_position(self, description: str) -> Points:
        """Return the point, or the points, that a phrase means."""
        found = language.position(_text(description), self.scene)
        return self.array(found if len(found) > 1 else found[0])

    def parse_question(self, question: str, context: object = None) -> language.Answer:  # noqa: ARG002
        """Return the answer to a question."""
        return language.question(_text(question), self.scene)

    def transform(self, description: str, shape_pts: Shape | Iterable[object]) -> Points:
        """Return points changed as a phrase asks."""
        points = [self.xy(point) for point in self._points(shape_pts)]
        return self.array(language.transformed(_text(description), points))

    def line(self, start: object, end: object) -> Shape:
        """Return the line between two points."""
        return Shape("LineString", [self.xy(start), self.xy(end)])

    def points_on(self, line: Shape | Iterable[object], n: int) -> Points:
        """Return points at equal distances on a line.

        Raises:
            CrashError: It is no line, or their number is out of bounds.
        """
        shape = line if isinstance(line, Shape) else Shape("LineString", list(line))
        if not isinstance(n, int) or not 1 <= n <= _MOST:
            raise CrashError(f"1 to {_MOST} points fit on a line")
        shares = [number / (n - 1) if n > 1 else 0.0 for number in range(n)]
        return self.array([shape.along(share).points[0] for share in shares])

    def triangle(self, size: float, center: object) -> Shape:
        """Return an equilateral triangle that points to the top."""
        x, y = self.xy(center)
        height = float(size) * math.sqrt(3) / 2
        return Shape(
            "Polygon",
            [(x - size / 2, y - height / 3), (x + size / 2, y - height / 3), (x, y + 2 * height / 3)],
        )

    def corners(self, polygon: Shape | Iterable[object]) -> Points:
        """Return the corners of a polygon."""
        return self.array(self._points(polygon))

    def _points(self, shape: Shape | Iterable[object]) -> Sequence[object]:
        return shape.points if isinstance(shape, Shape) else list(shape)[:_MOST]


def _text(value: object) -> str:
    if isinstance(value, str):
        if len(value) > MAX_PHRASE:
            raise CrashError(
                f"a phrase has at most {MAX_PHRASE} characters, got {len(value)}; say it shorter"
            )
        return value
    raise CrashError(f"a text is wanted, got {type(value).__name__}")
