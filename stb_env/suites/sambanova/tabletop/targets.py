"""Targets of a goal, from positions: the blocks that it singles out, the point or corner it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from stb_env.suites.sambanova.tabletop.objects import RANKS, is_beyond, ranked
from stb_env.suites.sambanova.tabletop.places import (
    CORNERS,
    PLACES,
    STEPS,
    Point,
    Position,
    distance,
    on_table,
)
from stb_env.suites.sambanova.tabletop.scene import Scene

Positions = Mapping[str, Position]
Slots = Mapping[str, str]

MAGNITUDES = {"10 cm": 0.1, "0.2 m": 0.2}
"""Distances that goals ask for, in metres."""

MARGIN = 0.03
"""By how much one thing must lie nearer, or farther to a side, than another to be told apart, in metres."""

_FREE = 0.08


def blocks_of(positions: Positions) -> dict[str, Position]:
    """Return the positions of the blocks."""
    return {name: at for name, at in positions.items() if name.endswith("block")}


def bowls_of(positions: Positions) -> dict[str, Position]:
    """Return the positions of the bowls."""
    return {name: at for name, at in positions.items() if name.endswith("bowl")}


class Look(NamedTuple):
    """The table at the start and now.

    Attributes:
        slots: The goal's own words, such as which block.
        start: Positions at the start.
        now: Positions now.
    """

    slots: Slots
    start: Positions
    now: Positions

    def extent(self, axis: int) -> float:
        """Return how far the blocks lie apart along x (0) or y (1), in metres."""
        places = [at[axis] for at in blocks_of(self.now).values()]
        return max(places) - min(places)


def targets(kind: str, slots: Slots, start: Positions) -> list[str]:
    """Return the blocks that a goal singles out by where they stand at the start.

    Args:
        kind: ``SI_5``, ``SI_6`` or ``SI_7``; other types single none out.
        slots: The goal's own words.
        start: Positions at the start.
    """
    blocks = blocks_of(start)
    match kind:
        case "SI_5":
            bowl = start[slots["bowl"]]
            return [name for name, at in blocks.items() if is_beyond(at, bowl, slots["direction"])]
        case "SI_6":
            bowl = start[slots["bowl"]]
            return [_chooser(slots)(blocks, key=lambda name: gap(blocks[name], bowl))]
        case "SI_7":
            order = ranked(list(blocks), slots["direction"], Scene(blocks, {}))
            return [order[RANKS.index(slots["nth"])]]
    return []


def offset(slots: Slots, start: Positions) -> Point:
    """Return the point at a distance and in a direction of a bowl."""
    at, step, far = start[slots["bowl"]], STEPS[slots["direction"]], MAGNITUDES[slots["magnitude"]]
    return round(at[0] + step[0] * far, 6), round(at[1] + step[1] * far, 6)


def corner_of(slots: Slots, start: Positions) -> str:
    """Return the corner that is closest to a bowl, or farthest from it."""
    bowl = start[slots["bowl"]]
    corner: str = _chooser(slots)(CORNERS, key=lambda name: distance(PLACES[name], bowl))
    return corner


def gap(a: Position, b: Position) -> float:
    """Return the distance in space, in metres."""
    return float(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5)


def is_plain(kind: str, slots: Slots, start: Positions) -> bool:
    """Return whether everyone who looks at the table takes a goal to be about the same things.

    What is singled out differs by `MARGIN` from what is not, and where one block is to go there is room.

    Examples:
        >>> start = {"red block": (0.0, -0.5, 0.02), "blue bowl": (0.1, -0.51, 0.0)}
        >>> slots = {"bowl": "blue bowl", "corner_or_side": "top side"}
        >>> [is_plain("SI_5", {**slots, "direction": way}, start) for way in ("left", "top")]
        [True, False]
    """
    blocks = blocks_of(start)
    match kind:
        case "SI_5":
            bowl = start[slots["bowl"]]
            return all(
                abs(_along(at, slots["direction"]) - _along(bowl, slots["direction"])) >= MARGIN
                for at in blocks.values()
            )
        case "SI_6":
            return _spaced(distance(at, start[slots["bowl"]]) for at in blocks.values())
        case "SI_7":
            return _spaced(_along(at, slots["direction"]) for at in blocks.values())
        case "UI_3":
            point = offset(slots, start)
            others = (at for name, at in start.items() if name != slots["block"])
            return on_table(point) and all(distance(at, point) >= _FREE for at in others)
        case "UI_4":
            return _spaced(distance(PLACES[name], start[slots["bowl"]]) for name in CORNERS)
    return True


def _along(at: Sequence[float], direction: str) -> float:
    step = STEPS[direction]
    return at[0] * step[0] + at[1] * step[1]


def _spaced(values: Iterable[float]) -> bool:
    return all(after - before >= MARGIN for before, after in pairwise(sorted(values)))


def _chooser(slots: Slots) -> Callable[..., str]:
    return min if slots["distance"] == "closest" else max
