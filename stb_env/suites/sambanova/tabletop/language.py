"""Answers language calls by rule: which objects, which position, which answer a phrase means.

The original asks a model at every such call. The rules cover the phrases of the fifteen kinds of task and
their close variants; any other phrase is an error that says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TypeAlias

from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.tabletop.objects import chosen, direction_of, is_beyond, normal
from stb_env.suites.sambanova.tabletop.places import CORNERS, MIDDLE, PLACES, SIDES, STEPS, Point, distance
from stb_env.suites.sambanova.tabletop.scene import Scene, color_of

_UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0}
_NUMBER = r"(-?\d{1,4}(?:\.\d{1,6})?)"
_UNIT = r"(mm|cm|m|millimeters?|centimeters?|meters?)"
_WAY = r"(left|right|above|below|top|bottom|up|down|over|under)"
_OFFSET = re.compile(rf"{_NUMBER} ?{_UNIT}\b (?:to |on |at |in )*{_WAY}(?: side)?(?: of| from| to)? (.+)")
_BY = re.compile(rf"{_WAY}(?: side)?(?: of| from)? (.+?) by {_NUMBER} ?{_UNIT}")
_TOWARD = re.compile(rf"{_NUMBER} ?{_UNIT} from (.+?),? towards? {_WAY}(?: side| edge)?(?: of table)?")
_EXTREME = r"(closest|nearest|farthest|furthest)"
_EDGE = re.compile(rf"(?:{_EXTREME} )?(corner|side) ?{_EXTREME}? ?(?:to|from) (.+)")
_BETWEEN = re.compile(r"(?:halfway|midway|mid ?point|middle|center|point)? ?between (.+?) and (.+)")
_LINE = re.compile(r"(horizontal|vertical|diagonal) line(.*)")
_LONG = re.compile(rf"{_NUMBER} ?{_UNIT}")
_COUNT = re.compile(r"with (\d{1,3}) (?:points|pts|positions)")
_AT = re.compile(r"(?:at|around|in|on) (.+?)(?: with | of length |$)")
_TURN = re.compile(rf"(?:rotate|turn)\D*{_NUMBER} ?(?:degrees|deg)?( clockwise)?")
_SCALE = re.compile(rf"(?:scale|grow|shrink|make)\D*{_NUMBER}")
_MOVE = re.compile(
    rf"(?:move|shift|translate).*?{_NUMBER} ?{_UNIT}\b.*?{_WAY}|.*{_WAY}.*?{_NUMBER} ?{_UNIT}\b"
)
_MOVE_LATER = re.compile(rf"(?:move|shift|translate).*?{_NUMBER} ?{_UNIT}\b.*?{_WAY}")
_MOST_POINTS = 100

Answer: TypeAlias = bool | int | float | str | list[str] | None
"""Of a question: whether, how many, how far, which colour (if any), which object or objects."""


def position(text: str, scene: Scene) -> list[Point]:
    """Return the points that a phrase means; most mean one.

    Raises:
        CrashError: It names nothing on the table, or is none of the phrases that are understood.

    Examples:
        >>> scene = Scene.of({"red block": (0.1, -0.4)}, {"blue bowl": (-0.1, -0.6)})
        >>> position("10 cm left of the red block", scene), position("the corner closest to the bowl", scene)
        ([(0.0, -0.4)], [(-0.25, -0.75)])
    """
    phrase = normal(text).removeprefix("a point ").removeprefix("point ").removeprefix("position ")
    place = phrase.replace("-", " ").replace("center", MIDDLE)
    for name in (place, place.removesuffix(" of table"), f"{place} side", f"{place} corner"):
        if name in PLACES:
            return [PLACES[name]]
    if match := _OFFSET.fullmatch(phrase):
        return _moved(position(match[4], scene), match[3], _metres(match[1], match[2]))
    if match := _TOWARD.fullmatch(phrase):
        return _moved(position(match[3], scene), match[4], _metres(match[1], match[2]))
    if match := _BY.fullmatch(phrase):
        return _moved(position(match[2], scene), match[1], _metres(match[3], match[4]))
    if match := _EDGE.fullmatch(phrase):
        return [_edge(match[2], match[1] or match[3] or "closest", position(match[4], scene)[0])]
    if match := _BETWEEN.fullmatch(phrase):
        (a, *_), (b, *_) = position(match[1], scene), position(match[2], scene)
        return [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)]
    if match := _LINE.search(phrase):
        return _line(match[1], match[2], scene)
    if phrase.endswith(("corners", "sides")):
        return [PLACES[name] for name in (CORNERS if phrase.endswith("corners") else SIDES)]
    return [scene.positions[name][:2] for name in chosen(phrase, scene)]


def question(text: str, scene: Scene) -> Answer:
    """Return the answer to a question about the table.

    Raises:
        CrashError: It names nothing on the table, or is none of those that are understood.

    Examples:
        >>> scene = Scene.of({"red block": (0.1, -0.4)}, {"blue bowl": (-0.1, -0.6)})
        >>> question("is the red block to the right of the blue bowl?", scene)
        True
        >>> question("how many bowls are there?", scene)
        1
    """
    phrase = normal(text)
    if phrase.startswith("how many "):
        what = re.split(r" (?:are|is|do|can)\b", phrase.removeprefix("how many "))
        where = phrase.partition(" are ")[2].removeprefix("there").removeprefix("visible").strip()
        return len(chosen(f"{what[0]} {where}".strip(), scene, none=True))
    if match := re.fullmatch(r"(?:is|are) there (?:an? |any )?(.+)", phrase):
        return bool(chosen(match[1], scene, none=True))
    if match := re.fullmatch(r"(?:is|are) (.+?) (?:visible|on table)", phrase):
        return bool(chosen(match[1], scene, none=True))
    if match := re.fullmatch(rf"is (.+?) (?:to |on |at )?{_WAY}(?: side)?(?: of| from)? (.+)", phrase):
        a, b = position(match[1], scene)[0], position(match[3], scene)[0]
        return is_beyond(a, b, direction_of(match[2]))
    if match := re.fullmatch(r"(?:what is )?(?:how far is )?distance between (.+) and (.+)", phrase):
        return distance(position(match[1], scene)[0], position(match[2], scene)[0])
    if match := re.fullmatch(r"what colou?r is (.+)", phrase):
        return color_of(chosen(match[1], scene)[0])
    if match := re.fullmatch(r"(?:which|what) (?:is )?(.+)", phrase):
        found = chosen(match[1].replace(" is ", " ").replace(" are ", " "), scene)
        return found if len(found) > 1 else found[0]
    raise UnsupportedError(f"the question {text[:80]!r} is none of those that are understood here")


def transformed(text: str, points: Sequence[Sequence[float]]) -> list[Point]:
    """Return points moved, turned or scaled about their middle, as a phrase asks.

    Raises:
        CrashError: It asks for none of these.

    Examples:
        >>> transformed("move it 10 cm to the right", [(0.0, -0.5)])
        [(0.1, -0.5)]
    """
    shape = [(float(x), float(y)) for x, y, *_ in points]
    phrase = normal(text)
    middle = (sum(x for x, _ in shape) / len(shape), sum(y for _, y in shape) / len(shape))
    if match := _TURN.search(phrase):
        turn = math.radians(float(match[1])) * (-1 if match[2] else 1)
        return [_turned(point, middle, turn) for point in shape]
    # The second form begins anywhere: what it does not match from the start, it matches nowhere.
    if match := _MOVE.match(phrase) or _MOVE_LATER.search(phrase):
        number, unit, way = match.group(1, 2, 3) if match[1] else match.group(5, 6, 4)
        return _moved(shape, way, _metres(number, unit))
    if match := _SCALE.search(phrase):
        times = float(match[1])
        return [(middle[0] + (x - middle[0]) * times, middle[1] + (y - middle[1]) * times) for x, y in shape]
    raise UnsupportedError(f"the change {text[:80]!r} is none of those that are understood here")


def _metres(number: str, unit: str) -> float:
    short = {"mil": "mm", "cen": "cm", "met": "m"}.get(unit[:3], unit)
    return float(number) * _UNITS[short]


def _moved(points: Sequence[Point], way: str, metres: float) -> list[Point]:
    step = STEPS[direction_of(way)]
    return [(x + step[0] * metres, y + step[1] * metres) for x, y in points]


def _turned(point: Point, middle: Point, turn: float) -> Point:
    x, y = point[0] - middle[0], point[1] - middle[1]
    return (
        middle[0] + x * math.cos(turn) - y * math.sin(turn),
        middle[1] + x * math.sin(turn) + y * math.cos(turn),
    )


def _edge(kind: str, which: str, point: Point) -> Point:
    names = CORNERS if kind == "corner" else SIDES
    choose = min if which in ("closest", "nearest") else max
    return PLACES[choose(names, key=lambda name: distance(PLACES[name], point))]


def _line(direction: str, rest: str, scene: Scene) -> list[Point]:
    counted, long, at = _COUNT.search(rest), _LONG.search(rest), _AT.search(rest)
    count = int(counted[1]) if counted else max(2, len(scene.blocks))
    length = _metres(long[1], long[2]) if long else 0.4
    middle = position(at[1], scene)[0] if at and not at[1][0].isdigit() else PLACES[MIDDLE]
    if not 2 <= count <= _MOST_POINTS:
        raise CrashError(f"a line has 2 to {_MOST_POINTS} points, got {count}")
    across, up = {"horizontal": (1.0, 0.0), "vertical": (0.0, 1.0), "diagonal": (0.5**0.5, 0.5**0.5)}[
        direction
    ]
    shares = [length * (number / (count - 1) - 0.5) for number in range(count)]
    return [(middle[0] + share * across, middle[1] + share * up) for share in shares]
