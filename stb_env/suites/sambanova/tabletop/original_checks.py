"""The original's tests of the table, what they let slip included [10.4]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stb_env.suites.sambanova.tabletop.places import CORNERS, PLACES, SIDES, THRESHOLD, distance, nearest
from stb_env.suites.sambanova.tabletop.targets import (
    Look,
    blocks_of,
    bowls_of,
    corner_of,
    gap,
    offset,
    targets,
)


def _all_near(look: Look, place: Sequence[float]) -> bool:
    return all(distance(at, place) <= THRESHOLD for at in blocks_of(look.now).values())


def _on_object(look: Look) -> bool:
    block, other = look.now[look.slots["block"]], look.now[look.slots["object1"]]
    return distance(block, other) < THRESHOLD and block[2] > other[2]


def _stacked(look: Look) -> bool:
    # Heights are not looked at: a heap passes.
    return max(look.extent(0), look.extent(1)) < THRESHOLD


def _all_at_place(look: Look) -> bool:
    return _all_near(look, PLACES[look.slots["corner_or_side"]])


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
    # Colours are not looked at.
    bowls, taken = bowls_of(look.now), []
    for at in blocks_of(look.now).values():
        _, bowl = min((gap(place, at), bowl) for bowl, place in bowls.items())
        if distance(bowls[bowl], at) > THRESHOLD:
            return False
        taken.append(bowl)
    return len(set(taken)) == len(taken)


def _at_offset(look: Look) -> bool:
    return distance(look.now[look.slots["block"]], offset(look.slots, look.now)) < THRESHOLD


def _at_corner(look: Look) -> bool:
    corner = PLACES[corner_of(look.slots, look.now)]
    return distance(look.now[look.slots["block"]], corner) < THRESHOLD


def _in_line(look: Look) -> bool:
    blocks = blocks_of(look.now).values()
    if look.slots["line"] == "diagonal":
        # Signed, so that a heap beside a diagonal passes.
        rising, falling = ([x - y - 0.5 for x, y, _ in blocks], [x + y + 0.5 for x, y, _ in blocks])
        return max(rising) < THRESHOLD or max(falling) < THRESHOLD
    return look.extent(0 if look.slots["line"] == "vertical" else 1) < THRESHOLD


ORIGINAL_CHECKS: Mapping[str, Callable[[Look], bool]] = {
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
    "UI_2": _all_at_place,
    "UI_3": _at_offset,
    "UI_4": _at_corner,
    "UI_5": _in_line,
    "UI_6": _spread_over(SIDES),
}
"""The test of each type."""
