"""The little of Shapely that programs about lines and polygons use."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS
from stb_env.suites.sambanova.common.interpreter.costs import spent
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Host, Module, Native
from stb_env.suites.sambanova.tabletop import costs
from stb_env.suites.sambanova.tabletop.places import Point


class Shape(Host):
    """A point, a line or a polygon in the plane.

    Args:
        kind: ``Point``, ``LineString``, ``Polygon`` or ``MultiPoint``.
        points: Its corners; a polygon's first is not repeated.

    Raises:
        CrashError: Those are no points.

    Examples:
        >>> line = Shape("LineString", [(0, 0), (3, 4)])
        >>> line.length, line.along(0.5).points
        (5.0, [(1.5, 2.0)])
    """

    def __init__(self, kind: str, points: Sequence[object]) -> None:
        self.kind = kind
        self.points = [_point(point) for point in points]
        if not self.points:
            raise CrashError(f"{kind} needs points")

    @property
    def size(self) -> int:
        """Its weight: the corners, each a few numbers."""
        return 4 * len(self.points)

    @property
    def ring(self) -> list[Point]:
        """The corners; those of a polygon end where they began."""
        return [*self.points, self.points[0]] if self.kind == "Polygon" else self.points

    @property
    def length(self) -> float:
        """Length of the line, or around the polygon."""
        return sum(math.dist(a, b) for a, b in zip(self.ring, self.ring[1:], strict=False))

    @property
    def area(self) -> float:
        """Area of a polygon."""
        pairs = list(zip(self.ring, self.ring[1:], strict=False))
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)) / 2 if self.kind == "Polygon" else 0.0

    @property
    def middle(self) -> Point:
        """Mean of the corners, which is the centre of all shapes that are made here by name."""
        count = len(self.points)
        return sum(x for x, _ in self.points) / count, sum(y for _, y in self.points) / count

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least x and y, greatest x and y."""
        xs, ys = zip(*self.points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def along(self, distance: float, normalized: bool = True) -> Shape:
        """Return the point that lies so far along the line; a share of its length where normalized."""
        left = max(0.0, distance * self.length if normalized else distance)
        for a, b in zip(self.ring, self.ring[1:], strict=False):
            step = math.dist(a, b)
            if step and left <= step:
                part = left / step
                return Shape("Point", [(a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part)])
            left -= step
        return Shape("Point", [self.ring[-1]])

    def mapped(self, move: Callable[[Point], Point]) -> Shape:
        """Return the shape with every corner moved."""
        return Shape(self.kind, [move(point) for point in self.points])

    def attribute(self, name: str) -> object:
        """Return what Shapely calls so.

        Raises:
            CrashError: There is none such here.
        """
        match name:
            case "coords":
                return self.ring
            case "exterior" if self.kind == "Polygon":
                return Shape("LineString", self.ring)
            case "x" | "y" if self.kind == "Point":
                return self.points[0]["xy".index(name)]
            case "xy":
                return tuple(list(axis) for axis in zip(*self.ring, strict=True))
            case "geoms" if self.kind == "MultiPoint":
                return [Shape("Point", [point]) for point in self.points]
            case "centroid":
                return Shape("Point", [self.middle])
            case "length" | "area" | "bounds":
                return getattr(self, name)
            case "interpolate":
                return Native(
                    name,
                    lambda distance, normalized=False: self.along(distance, normalized),
                    spent(costs.SHAPES[name], self.points),
                )
            case "distance" if self.kind == "Point":
                return Native(
                    name,
                    lambda other: math.dist(self.points[0], other.points[0]),
                    costs.SHAPES[name],
                )
        return super().attribute(name)


def _point(value: Any) -> Point:
    if isinstance(value, Shape):
        return value.points[0]
    try:
        x, y = (float(part) for part in list(value)[:2])
    except (TypeError, ValueError) as error:
        raise CrashError(f"{str(value)[:40]} is no point") from error
    return x, y


def _maker(kind: str) -> Native:
    def make(*values: Any) -> Shape:
        whole = len(values) == 1 and not (kind == "Point" and isinstance(values[0], float | int))
        points = values[0] if whole else [values]
        if kind == "Point" and whole:
            points = [points]
        # Shapely's polygons may repeat the first corner.
        made = Shape(kind, list(points)[:MAX_ITEMS])
        if kind == "Polygon" and len(made.points) > 1 and made.points[0] == made.points[-1]:
            made.points.pop()
        return made

    return Native(kind, make, costs.SHAPES[kind])


def _origin(shape: Shape, origin: object) -> Point:
    if origin in ("center", "centroid"):
        left, bottom, right, top = shape.bounds
        return shape.middle if origin == "centroid" else ((left + right) / 2, (bottom + top) / 2)
    return _point(origin)


def translate(shape: Shape, xoff: float = 0.0, yoff: float = 0.0) -> Shape:
    """Return the shape moved.

    Examples:
        >>> translate(Shape("Point", [(0, 0)]), 1, 2).points
        [(1.0, 2.0)]
    """
    return shape.mapped(lambda point: (point[0] + xoff, point[1] + yoff))


def scale(shape: Shape, xfact: float = 1.0, yfact: float = 1.0, origin: object = "center") -> Shape:
    """Return the shape made larger or smaller."""
    x, y = _origin(shape, origin)
    return shape.mapped(lambda point: (x + (point[0] - x) * xfact, y + (point[1] - y) * yfact))


def rotate(shape: Shape, angle: float, origin: object = "center", use_radians: bool = False) -> Shape:
    """Return the shape turned counter-clockwise, by default in degrees."""
    x, y = _origin(shape, origin)
    turn = angle if use_radians else math.radians(angle)
    sin, cos = math.sin(turn), math.cos(turn)
    return shape.mapped(
        lambda point: (
            x + (point[0] - x) * cos - (point[1] - y) * sin,
            y + (point[0] - x) * sin + (point[1] - y) * cos,
        )
    )


def _box(left: float, bottom: float, right: float, top: float) -> Shape:
    return Shape("Polygon", [(right, bottom), (right, top), (left, top), (left, bottom)])


GEOMETRY = {
    **{kind: _maker(kind) for kind in ("Point", "LineString", "Polygon", "MultiPoint")},
    "box": Native("box", _box, costs.SHAPES["box"]),
}
"""Names that make shapes."""

AFFINITY = Module(
    "affinity",
    {
        "translate": Native("translate", translate, costs.SHAPES["translate"]),
        "scale": Native("scale", scale, costs.SHAPES["scale"]),
        "rotate": Native("rotate", rotate, costs.SHAPES["rotate"]),
    },
)
"""The library that moves shapes."""
