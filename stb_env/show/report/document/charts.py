"""Charts as SVG: each says in words what it shows, and takes its colours from the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element

from stb_env.core.element import element
from stb_env.show.report.document.spread import ticks
from stb_env.show.report.document.tables import cut

WIDTH = 720
_LABEL, _RIGHT, _ROW = 200, 56, 26
_LETTERS = 28

Point = tuple[float, float]


def svg(title: str, description: str, height: float, children: Iterable[Element | None]) -> Element:
    """Return a picture with a name and a description for those who do not see it."""
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        *children,
        viewBox=f"0 0 {WIDTH} {height:g}",
        role="img",
        class_="chart",
    )


def intervals(
    title: str, rows: Sequence[tuple[str, float, float, float]], low: float, high: float, unit: str = "%"
) -> Element:
    """Return a chart with a dot and its interval a row.

    Args:
        title: What it shows.
        rows: Label, value, and both limits of its interval.
        low: Where the axis begins.
        high: Where it ends.
        unit: What stands behind the numbers.
    """
    height = _ROW * len(rows) + 30
    scale = Scale(low, high, _LABEL, WIDTH - _RIGHT)
    told = "; ".join(f"{row[0]}: {row[1]:.1f}{unit}, {row[2]:.1f} to {row[3]:.1f}" for row in rows)
    marks = _axis(low, high, scale, height - 22, unit)
    if low < 0 < high:
        marks.append(_line(scale(0), 4, scale(0), height - 22, "zero"))
    for place, (label, value, least, most) in enumerate(rows):
        middle = _ROW * place + _ROW / 2 + 2
        marks += [
            _label(label, middle),
            _line(scale(least), middle, scale(most), middle, "whisker"),
            element("circle", cx=scale(value), cy=middle, r=4.5, class_="dot"),
            _text(f"{value:.1f}", WIDTH - _RIGHT + 10, middle, "value"),
        ]
    return svg(title, told, height, marks)


def stacked(title: str, rows: Sequence[tuple[str, Mapping[str, int]]], *, shares: bool) -> Element:
    """Return a chart with a bar a row, made of parts.

    Args:
        title: What it shows.
        rows: Label, and the count of each part by its name, which decides its colour.
        shares: Whether each bar is as long as the others; else all are on one scale.
    """
    height = _ROW * len(rows) + 4
    largest = max((sum(parts.values()) for _, parts in rows), default=0)
    told = "; ".join(
        f"{label}: {', '.join(f'{amount:,} {name}' for name, amount in parts.items())}"
        for label, parts in rows
    )
    marks: list[Element] = []
    for place, (label, parts) in enumerate(rows):
        top, total = _ROW * place + 4, sum(parts.values())
        scale = Scale(0, (total if shares else largest) or 1, _LABEL, WIDTH - _RIGHT)
        marks.append(_label(label, top + 9))
        done = 0
        for name, amount in parts.items():
            if amount:
                marks += _part(name, amount, scale(done), scale(done + amount), top)
                done += amount
        marks.append(_text(f"{total:,}", scale(done) + 8, top + 9, "value"))
    return svg(title, told, height, marks)


def _part(name: str, amount: int, left: float, right: float, top: float) -> list[Element]:
    whole = element("title", f"{name}: {amount:,}")
    bar = element(
        "rect",
        whole,
        x=left,
        y=top,
        width=max(1.0, right - left - 1),
        height=18,
        class_=f"part {part_class(name)}",
    )
    inside = f"{amount:,}"
    if right - left < 9 * len(inside) + 6:
        return [bar]
    return [bar, _text(inside, (left + right) / 2, top + 9, "inside")]


def part_class(name: str) -> str:
    """Return the class that colours a part; an unknown one is grey.

    Examples:
        >>> part_class("cache (simulated)"), part_class("someone")
        ('of-simulated', 'of-other')
    """
    known = {"cache (simulated)": "simulated", "not played": "missing"}
    name = known.get(name, name)
    return f"of-{name}" if name in _PARTS else "of-other"


_OUTCOMES = ("solved", "unsure", "unsolved", "invalid", "missing")
_PARTS = (*_OUTCOMES, "cache", "simulated", "simulator", "real", "world", "env", "fault")


def legend(names: Iterable[str]) -> Element:
    """Return what each colour of a stacked chart means."""
    items = (element("li", element("i", class_=f"swatch {part_class(name)}"), name) for name in names)
    return element("ul", *items, class_="legend", aria_hidden="true")


def histogram(title: str, limits: Sequence[float], amounts: Sequence[int], *, whole: bool) -> Element:
    """Return a chart of how many episodes lie in which range.

    Args:
        title: What it shows.
        limits: Limits of the ranges.
        amounts: Episodes in each.
        whole: Whether whole numbers were counted: where each has a column of its own, it stands under it.
    """
    bottom, left = 84.0, 44
    scale = Scale(limits[0], limits[-1], left, WIDTH - 16)
    most = max(amounts, default=0) or 1
    rise = Scale(0, most, bottom, 8)
    told = "; ".join(
        f"{_range(low, high, whole)}: {amount:,}"
        for low, high, amount in zip(limits, limits[1:], amounts, strict=False)
        if amount
    )
    middle = 0.5 if whole and limits[1] - limits[0] == 1 else 0.0
    marks = _axis(
        limits[0], limits[-1] - middle, lambda value: scale(value + middle), bottom, "", whole=whole
    )
    marks += [_text(f"{most:,}", left - 8, 12, "tick end"), _line(left, bottom, WIDTH - 16, bottom, "axis")]
    for low, high, amount in zip(limits, limits[1:], amounts, strict=False):
        if amount:
            told_here = element("title", f"{_range(low, high, whole)}: {amount:,}")
            width = max(1.0, scale(high) - scale(low) - 1)
            box = {"x": scale(low), "y": rise(amount), "width": width, "height": bottom - rise(amount)}
            marks.append(element("rect", told_here, class_="column", **box))
    return svg(title, told or "nothing", bottom + 24, marks)


def _range(low: float, high: float, whole: bool) -> str:
    if not whole:
        return f"{low:g} to under {high:g}"
    return f"{low:g}" if high - low == 1 else f"{low:g} to {high - 1:g}"


def lines(title: str, series: Mapping[str, Sequence[Point]]) -> Element:
    """Return a chart of curves, each named at its end.

    Args:
        title: What it shows.
        series: Points of each curve, from left to right.
    """
    every = [point for points in series.values() for point in points]
    left, right = min(x for x, _ in every), max(x for x, _ in every)
    low, high = min(0.0, *(y for _, y in every)), max(y for _, y in every)
    low, high = (low, high) if high > low else (low, low + 1)
    bottom = 200.0
    across, rise = Scale(left, max(right, left + 1), 56, WIDTH - 180), Scale(low, high, bottom, 12)
    marks = _axis(left, max(right, left + 1), across, bottom, "")
    for tick in ticks(low, high):
        marks += [
            _line(56, rise(tick), WIDTH - 180, rise(tick), "grid"),
            _text(f"{tick:g}", 48, rise(tick), "tick end"),
        ]
    ends = _apart([rise(points[-1][1]) for points in series.values()], 15)
    for place, ((name, points), end) in enumerate(zip(series.items(), ends, strict=True)):
        path = " ".join(f"{across(x):.1f},{rise(y):.1f}" for x, y in points)
        marks += [
            element("polyline", points=path, class_=f"curve curve-{place % 6}"),
            *(
                element("circle", cx=across(x), cy=rise(y), r=2.5, class_=f"mark curve-{place % 6}")
                for x, y in points
            ),
            _text(cut(name, 24), WIDTH - 170, end, f"name curve-{place % 6}"),
        ]
    told = "; ".join(
        f"{name}: from {points[0][1]:g} at {points[0][0]:g} to {points[-1][1]:g} at {points[-1][0]:g}"
        for name, points in series.items()
    )
    return svg(title, told, bottom + 24, marks)


class Scale:
    """Places numbers on a line of the picture."""

    def __init__(self, low: float, high: float, begin: float, end: float) -> None:
        self._low, self._begin = low, begin
        self._factor = (end - begin) / ((high - low) or 1)

    def __call__(self, value: float) -> float:
        """Return where a number belongs."""
        return self._begin + (value - self._low) * self._factor


def _axis(
    low: float, high: float, scale: Callable[[float], float], bottom: float, unit: str, *, whole: bool = False
) -> list[Element]:
    marks = []
    for tick in ticks(low, high):
        if low - 1e-9 <= tick <= high + 1e-9 and not (whole and tick % 1):
            marks += [
                _line(scale(tick), 4, scale(tick), bottom, "grid"),
                _text(f"{tick:,.10g}{unit}", scale(tick), bottom + 12, "tick"),
            ]
    return marks


def _apart(places: Sequence[float], least: float) -> list[float]:
    """Return places moved so far down that no two are nearer than ``least``, in the same order."""
    moved = list(places)
    last = float("-inf")
    for index in sorted(range(len(places)), key=lambda index: places[index]):
        moved[index] = last = max(places[index], last + least)
    return moved


def _label(text: str, middle: float) -> Element:
    whole = element("title", text)
    return element("text", whole, _tail(text), x=_LABEL - 12, y=middle, class_="label end")


def _tail(text: str) -> str:
    """Return the end of a long name: names of runs differ there."""
    return text if len(text) <= _LETTERS else f"…{text[1 - _LETTERS :]}"


def _text(text: str, x: float, y: float, kind: str) -> Element:
    return element("text", text, x=x, y=y, class_=kind)


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Element:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)
