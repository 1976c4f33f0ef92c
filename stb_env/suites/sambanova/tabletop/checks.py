"""Whether the table is as a goal asks for; the judge's module says how the original's tests differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import combinations, pairwise

from stb_env.suites.sambanova.tabletop.aims import blocks_of, bowls_of, corner_of, offset, targets
from stb_env.suites.sambanova.tabletop.look import Look
from stb_env.suites.sambanova.tabletop.original_checks import ORIGINAL_CHECKS
from stb_env.suites.sambanova.tabletop.places import (
    CORNERS,
    THRESHOLD,
    Position,
    distance,
    is_at,
    side_of,
)
from stb_env.suites.sambanova.tabletop.scene import BLOCK

# How much of a block's edge lies between two blocks of a tower or a line, at least.
_STEP = 0.75 * BLOCK
# A diagonal rises or falls between half as steeply and twice as steeply as the table's own.
_STEEPEST = 2.0


def succeeded(kind: str, look: Look, *, original: bool = False) -> bool:
    """Return whether a goal is reached.

    Args:
        kind: One of the 15 types, ``SI_0`` to ``UI_6``.
        look: What the test sees.
        original: Whether the original's test decides.

    Examples:
        >>> start = {"red block": (0.1, -0.4, 0.02), "blue bowl": (-0.1, -0.6, 0.0)}
        >>> now = start | {"red block": (-0.1, -0.57, 0.025)}
        >>> succeeded("SI_3", Look({"bowl": "blue bowl"}, start, now))
        True
    """
    return (ORIGINAL_CHECKS if original else CHECKS)[kind](look)


def _others_stay(look: Look, meant: Collection[str]) -> bool:
    """Return whether the blocks that a goal is not about are where they were."""
    return all(
        name in meant or distance(at, look.start[name]) <= THRESHOLD
        for name, at in blocks_of(look.now).items()
    )


def _is_in(at: Position, bowl: Position) -> bool:
    return distance(at, bowl) <= THRESHOLD


def _on_object(look: Look) -> bool:
    names = look.slots["block"], look.slots["object1"]
    block, other = (look.now[name] for name in names)
    near = _is_in(block, other) if names[1].endswith("bowl") else distance(block, other) < THRESHOLD
    return near and block[2] > other[2] and _others_stay(look, names[:1])


def _stacked(look: Look) -> bool:
    heights = sorted(at[2] for at in blocks_of(look.now).values())
    upright = max(look.extent(0), look.extent(1)) < THRESHOLD
    return upright and all(above - below >= _STEP for below, above in pairwise(heights))


def _all_at_place(look: Look) -> bool:
    return all(is_at(at, look.slots["corner_or_side"]) for at in blocks_of(look.now).values())


def _stacked_at_place(look: Look) -> bool:
    return _stacked(look) and _all_at_place(look)


def _all_in_bowl(look: Look) -> bool:
    return all(_is_in(at, look.now[look.slots["bowl"]]) for at in blocks_of(look.now).values())


def _in_own_color(look: Look) -> bool:
    pairs = [(at, name.replace("block", "bowl")) for name, at in blocks_of(look.now).items()]
    return all(_is_in(at, look.now[bowl]) for at, bowl in pairs if bowl in look.now)


def _targets_at_place(kind: str) -> Callable[[Look], bool]:
    def check(look: Look) -> bool:
        wanted = targets(kind, look.slots, look.start)
        there = all(is_at(look.now[name], look.slots["corner_or_side"]) for name in wanted)
        return there and _others_stay(look, wanted)

    return check


def _in_different_corners(look: Look) -> bool:
    found = [corner for at in blocks_of(look.now).values() for corner in CORNERS if is_at(at, corner)]
    return len(found) == len(set(found)) == len(blocks_of(look.now))


def _at_different_sides(look: Look) -> bool:
    found = [side_of(at) for at in blocks_of(look.now).values()]
    return None not in found and len(set(found)) == len(found)


def _in_other_bowls(look: Look) -> bool:
    taken = []
    for name, at in blocks_of(look.now).items():
        under = [bowl for bowl, place in bowls_of(look.now).items() if _is_in(at, place)]
        if not under or under[0].split()[0] == name.split()[0]:
            return False
        taken += under
    return len(set(taken)) == len(taken)


def _at_offset(look: Look) -> bool:
    block = look.slots["block"]
    near = distance(look.now[block], offset(look.slots, look.now)) < THRESHOLD
    return near and _others_stay(look, [block])


def _at_corner(look: Look) -> bool:
    block = look.slots["block"]
    return is_at(look.now[block], corner_of(look.slots, look.now)) and _others_stay(look, [block])


def _in_line(look: Look) -> bool:
    points = list(blocks_of(look.now).values())
    a, b = max(combinations(points, 2), key=lambda pair: distance(*pair))
    across, up = {"horizontal": (1.0, 0.0), "vertical": (0.0, 1.0)}.get(
        look.slots["line"], (b[0] - a[0], b[1] - a[1])
    )
    length = (across**2 + up**2) ** 0.5
    if look.slots["line"] == "diagonal" and max(abs(across), abs(up)) > _STEEPEST * min(abs(across), abs(up)):
        return False
    if length == 0:
        return False
    along = sorted((x * across + y * up) / length for x, y, _ in points)
    beside = [(y * across - x * up) / length for x, y, _ in points]
    apart = all(after - before >= _STEP for before, after in pairwise(along))
    return apart and max(beside) - min(beside) < THRESHOLD


CHECKS: Mapping[str, Callable[[Look], bool]] = {
    "SI_0": _on_object,
    "SI_1": _stacked,
    "SI_2": _all_at_place,
    "SI_3": _all_in_bowl,
    "SI_4": _in_own_color,
    "SI_5": _targets_at_place("SI_5"),
    "SI_6": _targets_at_place("SI_6"),
    "SI_7": _targets_at_place("SI_7"),
    "UI_0": _in_different_corners,
    "UI_1": _in_other_bowls,
    "UI_2": _stacked_at_place,
    "UI_3": _at_offset,
    "UI_4": _at_corner,
    "UI_5": _in_line,
    "UI_6": _at_different_sides,
}
"""The test of each type."""
