"""References to objects: phrases by name, colour, kind, rank or relation to others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.tabletop.places import COLORS, STEPS, Point, distance
from stb_env.suites.sambanova.tabletop.scene import Scene, object_name

MAX_PHRASE = 300
"""Characters of a phrase that are read."""

RANKS = ("first", "second", "third", "fourth")
_WAYS = {
    "above": "top",
    "up": "top",
    "over": "top",
    "top": "top",
    "below": "bottom",
    "down": "bottom",
    "under": "bottom",
    "bottom": "bottom",
    "left": "left",
    "right": "right",
}
_NEAR = re.compile(r"(.+?) (closest|nearest|farthest|furthest) (?:to|from) (.+)")
_NEAR_FIRST = re.compile(r"(closest|nearest|farthest|furthest) (.+?) (?:to|from) (.+)")
_RANK = re.compile(
    r"(first|second|third|fourth|1st|2nd|3rd|4th) (.+?) from (left|right|top|bottom)(?: side)?"
)
_MOST = re.compile(r"(left|right|top|bottom) ?-?most (.+)")
_SIDE = re.compile(
    r"(.+?) (?:to |on |at )?(left|right|above|below|top|bottom|under|over)(?: side)?(?: of| from)? (.+)"
)
_NEARER = re.compile(r"(.+?) (?:nearer|closer)(?: to)? (left|right|top|bottom)(?: edge| side)? than (.+)")
_BUT = re.compile(r"(.+?) (?:except|but not|other than|apart from|not|besides) (?:for )?(.+)")
_KINDS = {"block": "blocks", "square": "blocks", "cube": "blocks", "bowl": "bowls", "circle": "bowls"}
_PLURAL = re.compile(r"(?:block|square|cube|bowl|circle|object|thing|one)s\b")
_FILL = re.compile(r"\b(?:the|all|every|each|that|which|are|is|of them)\b")


def normal(text: str) -> str:
    """Return a phrase in lower case, without articles and end marks.

    Examples:
        >>> normal("The Red block?"), normal("to the left  of the bowl.")
        ('red block', 'to left of bowl')
    """
    text = text[:MAX_PHRASE].lower().replace("_", " ").strip(" .?!\n\t")
    return " ".join(word for word in text.split() if word not in ("the", "a", "an"))


def direction_of(way: str) -> str:
    """Return the direction that a word means.

    Examples:
        >>> direction_of("above")
        'top'
    """
    return _WAYS[way]


def is_beyond(point: Sequence[float], other: Sequence[float], direction: str) -> bool:
    """Return whether a point lies in a direction from another, however far to the sides.

    Examples:
        >>> is_beyond((0.1, -0.5), (0, -0.4), "right")
        True
    """
    step = STEPS[direction]
    return (point[0] - other[0]) * step[0] + (point[1] - other[1]) * step[1] > 0


def ranked(names: Sequence[str], direction: str, scene: Scene) -> list[str]:
    """Return objects in order, that which lies farthest in a direction first.

    Examples:
        >>> ranked(["a", "b"], "right", Scene({"a": (0, 0, 0), "b": (1, 0, 0)}, {}))
        ['b', 'a']
    """
    step, places = STEPS[direction], scene.positions
    return sorted(names, key=lambda name: -(places[name][0] * step[0] + places[name][1] * step[1]))


def chosen(text: str, scene: Scene, *, none: bool = False) -> list[str]:
    """Return the objects that a phrase means: all of them where it is plural, else the first.

    Args:
        text: The phrase.
        scene: What is on the table.
        none: Whether it may mean no object at all.

    Raises:
        CrashError: It means none, or is none of the phrases that are understood.

    Examples:
        >>> scene = Scene.of({"red block": (0.1, -0.4), "blue block": (-0.1, -0.4)}, {"red bowl": (0, -0.6)})
        >>> chosen("the second block from the right", scene), chosen("all blocks", scene)
        (['blue block'], ['red block', 'blue block'])
        >>> chosen("the block closest to the top left corner", scene)
        ['blue block']
    """
    phrase = " ".join(_FILL.sub(" ", normal(text)).split())
    found = _found(phrase, scene)
    if not found and not none:
        raise CrashError(f"no object on the table is {text[:80]!r}")
    return found if is_plural(phrase) or none else found[:1]


def is_plural(text: str) -> bool:
    """Return whether a phrase asks for a list.

    Examples:
        >>> is_plural("the blocks left of the bowl"), is_plural("the block right of the bowls")
        (True, False)
    """
    head = re.split(r"\b(?:to|of|from|closest|nearest|farthest|furthest|left|right|above|below)\b", text)[0]
    return bool(_PLURAL.search(head)) or " and " in head


def _found(phrase: str, scene: Scene) -> list[str]:
    name = object_name(phrase)
    if name in scene.positions:
        return [name]
    if match := _RANK.fullmatch(phrase):
        rank = RANKS.index(match[1])
        return ranked(_found(match[2], scene), match[3], scene)[rank : rank + 1]
    if match := _MOST.fullmatch(phrase):
        return ranked(_found(match[2], scene), match[1], scene)
    if match := _NEAR_FIRST.fullmatch(phrase):
        return _by_distance(_found(match[2], scene), match[1], _point(match[3], scene), scene)
    if match := _NEAR.fullmatch(phrase):
        return _by_distance(_found(match[1], scene), match[2], _point(match[3], scene), scene)
    if match := _BUT.fullmatch(phrase):
        return _without(_found(match[1], scene), match[2], scene)
    if match := _NEARER.fullmatch(phrase) or _SIDE.fullmatch(phrase):
        point = _point(match[3], scene)
        way = direction_of(match[2])
        return [name for name in _found(match[1], scene) if is_beyond(scene.positions[name], point, way)]
    return _described(phrase, scene)


def _described(phrase: str, scene: Scene) -> list[str]:
    """Return the objects of the kinds and colours in a phrase."""
    kinds = {kind for word, kind in _KINDS.items() if word in phrase}
    if not kinds and not re.search(r"\b(?:objects?|things?|ones?)\b", phrase):
        raise UnsupportedError(f"the phrase {phrase[:80]!r} is none of those that are understood here")
    names = [
        *(scene.blocks if not kinds or "blocks" in kinds else ()),
        *(scene.bowls if not kinds or "bowls" in kinds else ()),
    ]
    colors = [color for color in COLORS if re.search(rf"\b{color}\b", phrase)]
    return [name for name in names if not colors or name.split()[0] in colors]


def _without(names: Sequence[str], excluded: str, scene: Scene) -> list[str]:
    color = next((color for color in COLORS if excluded == color), None)
    if color:
        return [name for name in names if not name.startswith(color)]
    left_out = _found(excluded, scene)
    return [name for name in names if name not in left_out]


def _by_distance(names: Sequence[str], which: str, point: Point, scene: Scene) -> list[str]:
    far = which in ("farthest", "furthest")
    return sorted(names, key=lambda name: distance(scene.positions[name], point), reverse=far)


def _point(phrase: str, scene: Scene) -> Point:
    name = object_name(phrase)
    try:
        at = scene.find(name)
    except CrashError:
        found = _found(phrase, scene)
        if not found:
            raise
        at = scene.positions[found[0]]
    return at[0], at[1]
