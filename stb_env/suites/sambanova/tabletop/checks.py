"""Tests of the table by type of goal; the judge's module says how the original's tests differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, pairwise

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
from stb_env.suites.sambanova.tabletop.targets import Look, blocks_of, bowls_of, corner_of, offset, targets

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
    return ORIGINAL_CHECKS[kind](look) if original else all(reached(kind, look).values())


def reached(kind: str, look: Look) -> dict[str, bool]:
    """Return what a goal asks for, and whether it is so.

    What is asked for is a ``state:`` and, where it is so at the start already, or is to stay, a ``kept:``.

    Examples:
        >>> start = {"red block": (0.1, -0.4, 0.02), "pink block": (0, -0.6, 0), "pink bowl": (0, -0.6, 0)}
        >>> reached("SI_3", Look({"bowl": "pink bowl"}, start, start))
        {'state:red block': False, 'kept:pink block': True}
    """
    asked, held = CHECKS[kind](look), CHECKS[kind](look._replace(now=look.start))
    parts = {f"{'kept' if held[what] else 'state'}:{what}": is_so for what, is_so in asked.items()}
    meant = MEANT[kind](look) if kind in MEANT else None
    if meant is not None:
        others = (name for name in blocks_of(look.now) if name not in meant)
        parts["kept:other blocks"] = all(
            distance(look.now[name], look.start[name]) <= THRESHOLD for name in others
        )
    return parts


Found = dict[str, bool]
"""Conditions of a goal, and whether each holds."""


def _is_in(at: Position, bowl: Position) -> bool:
    return distance(at, bowl) <= THRESHOLD


def _on_object(look: Look) -> Found:
    names = look.slots["block"], look.slots["object1"]
    block, other = (look.now[name] for name in names)
    near = _is_in(block, other) if names[1].endswith("bowl") else distance(block, other) < THRESHOLD
    return {names[0]: near and block[2] > other[2]}


def _stacked(look: Look) -> Found:
    heights = sorted(at[2] for at in blocks_of(look.now).values())
    upright = max(look.extent(0), look.extent(1)) < THRESHOLD
    return {"stack": upright and all(above - below >= _STEP for below, above in pairwise(heights))}


def _all_at_place(look: Look) -> Found:
    return {name: is_at(at, look.slots["corner_or_side"]) for name, at in blocks_of(look.now).items()}


def _all_in_bowl(look: Look) -> Found:
    bowl = look.now[look.slots["bowl"]]
    return {name: _is_in(at, bowl) for name, at in blocks_of(look.now).items()}


def _in_own_color(look: Look) -> Found:
    return {name: _is_in(look.now[name], look.now[_own_bowl(name)]) for name in _with_own_bowl(look)}


def _with_own_bowl(look: Look) -> list[str]:
    return [name for name in blocks_of(look.now) if _own_bowl(name) in look.now]


def _own_bowl(block: str) -> str:
    return block.replace("block", "bowl")


def _targets_at_place(kind: str) -> Callable[[Look], Found]:
    def check(look: Look) -> Found:
        wanted = targets(kind, look.slots, look.start)
        return {name: is_at(look.now[name], look.slots["corner_or_side"]) for name in wanted}

    return check


def _in_different_corners(look: Look) -> Found:
    found = [corner for at in blocks_of(look.now).values() for corner in CORNERS if is_at(at, corner)]
    return {"different corners": len(found) == len(set(found)) == len(blocks_of(look.now))}


def _at_different_sides(look: Look) -> Found:
    found = [side_of(at) for at in blocks_of(look.now).values()]
    return {"different sides": None not in found and len(set(found)) == len(found)}


def _are_in_other_bowls(look: Look) -> bool:
    taken = []
    for name, at in blocks_of(look.now).items():
        under = [bowl for bowl, place in bowls_of(look.now).items() if _is_in(at, place)]
        if not under or under[0].split()[0] == name.split()[0]:
            return False
        taken += under
    return len(set(taken)) == len(taken)


def _at_offset(look: Look) -> Found:
    block = look.slots["block"]
    return {block: distance(look.now[block], offset(look.slots, look.now)) < THRESHOLD}


def _at_corner(look: Look) -> Found:
    block = look.slots["block"]
    return {block: is_at(look.now[block], corner_of(look.slots, look.now))}


def _are_in_line(look: Look) -> bool:
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


CHECKS: Mapping[str, Callable[[Look], Found]] = {
    "SI_0": _on_object,
    "SI_1": _stacked,
    "SI_2": _all_at_place,
    "SI_3": _all_in_bowl,
    "SI_4": _in_own_color,
    "SI_5": _targets_at_place("SI_5"),
    "SI_6": _targets_at_place("SI_6"),
    "SI_7": _targets_at_place("SI_7"),
    "UI_0": _in_different_corners,
    "UI_1": lambda look: {"different bowls": _are_in_other_bowls(look)},
    "UI_2": lambda look: {"stack at its place": all((_stacked(look) | _all_at_place(look)).values())},
    "UI_3": _at_offset,
    "UI_4": _at_corner,
    "UI_5": lambda look: {"line": _are_in_line(look)},
    "UI_6": _at_different_sides,
}
"""The test of each type."""


def _block(look: Look) -> list[str]:
    return [look.slots["block"]]


def _targets(kind: str) -> Callable[[Look], list[str]]:
    return lambda look: targets(kind, look.slots, look.start)


MEANT: Mapping[str, Callable[[Look], list[str]]] = {
    "SI_0": _block,
    "SI_4": _with_own_bowl,
    **{kind: _targets(kind) for kind in ("SI_5", "SI_6", "SI_7")},
    "UI_3": _block,
    "UI_4": _block,
}
"""The blocks that the other types are about; all others stay where they were."""
