"""Whether the table is as a goal asks for: the original's tests, stricter where those let things slip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from stb_env.suites.sambanova.tabletop.objects import RANKS, is_beyond, ranked
from stb_env.suites.sambanova.tabletop.places import (
    CORNERS,
    PLACES,
    SIDES,
    STEPS,
    THRESHOLD,
    Point,
    Position,
    distance,
    nearest,
)
from stb_env.suites.sambanova.tabletop.scene import BLOCK, Scene

Positions = Mapping[str, Position]

MAGNITUDES = {"10 cm": 0.1, "0.2 m": 0.2}
"""Distances that goals ask for, in metres."""

# How much of a block's edge lies between two blocks of a tower, at least.
_STOREY = 0.75 * BLOCK


class Look(NamedTuple):
    """What a test sees.

    Attributes:
        slots: The goal's own words, such as which block.
        start: Positions at the start.
        now: Positions now.
        strict: Whether what the original lets slip counts.
    """

    slots: Mapping[str, str]
    start: Positions
    now: Positions
    strict: bool


def succeeded(kind: str, look: Look) -> bool:
    """Return whether a goal is reached.

    Args:
        kind: One of the 15 types, ``SI_0`` to ``UI_6``.
        look: What the test sees.

    Examples:
        >>> start = {"red block": (0.1, -0.4, 0.02), "blue bowl": (-0.1, -0.6, 0.0)}
        >>> now = start | {"red block": (-0.1, -0.57, 0.025)}
        >>> succeeded("SI_3", Look({"bowl": "blue bowl"}, start, now, strict=True))
        True
    """
    return CHECKS[kind](look)


def blocks_of(positions: Positions) -> dict[str, Position]:
    """Return the positions of the blocks."""
    return {name: at for name, at in positions.items() if name.endswith("block")}


def bowls_of(positions: Positions) -> dict[str, Position]:
    """Return the positions of the bowls."""
    return {name: at for name, at in positions.items() if name.endswith("bowl")}


def targets(kind: str, slots: Mapping[str, str], start: Positions) -> list[str]:
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
            choose = min if slots["distance"] == "closest" else max
            return [choose(blocks, key=lambda name: _gap3(blocks[name], bowl))]
        case "SI_7":
            order = ranked(list(blocks), slots["direction"], Scene(blocks, {}))
            return [order[RANKS.index(slots["nth"])]]
    return []


def offset(slots: Mapping[str, str], start: Positions) -> Point:
    """Return the point at a distance and in a direction of a bowl."""
    at, step, far = start[slots["bowl"]], STEPS[slots["direction"]], MAGNITUDES[slots["magnitude"]]
    return round(at[0] + step[0] * far, 6), round(at[1] + step[1] * far, 6)


def corner_of(slots: Mapping[str, str], start: Positions) -> str:
    """Return the corner that is closest to a bowl, or farthest from it."""
    choose = min if slots["distance"] == "closest" else max
    return choose(CORNERS, key=lambda name: distance(PLACES[name], start[slots["bowl"]]))


def _gap3(a: Position, b: Position) -> float:
    return float(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5)


def _all_near(look: Look, place: Sequence[float]) -> bool:
    return all(distance(at, place) <= THRESHOLD for at in blocks_of(look.now).values())


def _on_object(look: Look) -> bool:
    block, other = look.now[look.slots["block"]], look.now[look.slots["object1"]]
    return distance(block, other) < THRESHOLD and block[2] > other[2]


def _stacked(look: Look) -> bool:
    blocks = list(blocks_of(look.now).values())
    close = max(_extent(blocks, 0), _extent(blocks, 1)) < THRESHOLD
    return close and (not look.strict or _tower(blocks))


def _extent(blocks: Sequence[Position], axis: int) -> float:
    return max(at[axis] for at in blocks) - min(at[axis] for at in blocks)


def _tower(blocks: Sequence[Position]) -> bool:
    heights = sorted(at[2] for at in blocks)
    return all(above - below >= _STOREY for below, above in pairwise(heights))


def _all_at_place(look: Look) -> bool:
    return _all_near(look, PLACES[look.slots["corner_or_side"]])


def _stacked_at_place(look: Look) -> bool:
    tower = not look.strict or _tower(list(blocks_of(look.now).values()))
    return _all_at_place(look) and tower


def _all_in_bowl(look: Look) -> bool:
    return _all_near(look, look.now[look.slots["bowl"]])


def _in_own_color(look: Look) -> bool:
    pairs = [(at, name.replace("block", "bowl")) for name, at in blocks_of(look.now).items()]
    return all(distance(at, look.now[bowl]) <= THRESHOLD for at, bowl in pairs if bowl in look.now)


def _targets_at_place(look: Look) -> bool:
    place = PLACES[look.slots["corner_or_side"]]
    wanted = targets("SI_5", look.slots, look.start)
    return all(
        distance(at, place if name in wanted else look.start[name]) <= THRESHOLD
        for name, at in blocks_of(look.now).items()
    )


def _target_at_place(kind: str) -> Callable[[Look], bool]:
    def check(look: Look) -> bool:
        (target,) = targets(kind, look.slots, look.start)
        return distance(look.now[target], PLACES[look.slots["corner_or_side"]]) < THRESHOLD

    return check


def _spread_over(names: Sequence[str]) -> Callable[[Look], bool]:
    def check(look: Look) -> bool:
        blocks = list(blocks_of(look.now).values())
        found = [nearest(at, names) for at in blocks]
        near = all(distance(at, PLACES[name]) <= THRESHOLD for at, name in zip(blocks, found, strict=True))
        return near and len(set(found)) == len(blocks)

    return check


def _in_other_bowls(look: Look) -> bool:
    bowls, taken = bowls_of(look.now), []
    for name, at in blocks_of(look.now).items():
        _, bowl = min((_gap3(place, at), bowl) for bowl, place in bowls.items())
        if distance(bowls[bowl], at) > THRESHOLD:
            return False
        if look.strict and bowl.split()[0] == name.split()[0]:
            return False
        taken.append(bowl)
    return len(set(taken)) == len(taken)


def _at_offset(look: Look) -> bool:
    return distance(look.now[look.slots["block"]], offset(look.slots, look.now)) < THRESHOLD


def _at_corner(look: Look) -> bool:
    corner = PLACES[corner_of(look.slots, look.now)]
    return distance(look.now[look.slots["block"]], corner) < THRESHOLD


def _in_line(look: Look) -> bool:
    blocks = list(blocks_of(look.now).values())
    if look.strict and any(distance(a, b) < BLOCK - 1e-6 for a, b in combinations(blocks, 2)):
        return False
    if look.slots["line"] == "diagonal":
        # Signed in the original, so that a heap beside a diagonal passes.
        size = abs if look.strict else float
        rising = [size(x - y - 0.5) for x, y, _ in blocks]
        falling = [size(x + y + 0.5) for x, y, _ in blocks]
        return max(rising) < THRESHOLD or max(falling) < THRESHOLD
    return _extent(blocks, 0 if look.slots["line"] == "vertical" else 1) < THRESHOLD


CHECKS: Mapping[str, Callable[[Look], bool]] = {
    "SI_0": _on_object,
    "SI_1": _stacked,
    "SI_2": _all_at_place,
    "SI_3": _all_in_bowl,
    "SI_4": _in_own_color,
    "SI_5": _targets_at_place,
    "SI_6": _target_at_place("SI_6"),
    "SI_7": _target_at_place("SI_7"),
    "UI_0": _spread_over(CORNERS),
    "UI_1": _in_other_bowls,
    "UI_2": _stacked_at_place,
    "UI_3": _at_offset,
    "UI_4": _at_corner,
    "UI_5": _in_line,
    "UI_6": _spread_over(SIDES),
}
"""The test of each type."""
