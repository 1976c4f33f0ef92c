"""The figures of learning curves, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from stb_env.show.report.document.charts import Point
from stb_env.show.report.document.report import Points


def curve_figures(curves: Mapping[str, Points]) -> list[str]:
    """Return what was measured in any of the curves, in the order in which it is met.

    Examples:
        >>> curve_figures({"a": [{"step": 0, "success": 0.5}]})
        ['success']
    """
    names = dict.fromkeys(name for points in curves.values() for point in points for name in point)
    return [name for name in names if name != "step" and any(curve_series(curves, name).values())]


def curve_series(curves: Mapping[str, Points], name: str) -> dict[str, list[Point]]:
    """Return a figure of each curve that has it, by step; what is no number is left out.

    Examples:
        >>> curve_series({"a": [{"step": 0, "success": 0.5}], "b": []}, "success")
        {'a': [(0.0, 0.5)]}
    """
    found = {
        curve: [(float(point["step"]), float(point[name])) for point in points if _is_number(point.get(name))]
        for curve, points in curves.items()
    }
    return {curve: points for curve, points in found.items() if points}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
