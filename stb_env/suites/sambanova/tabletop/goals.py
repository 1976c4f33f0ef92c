"""The 15 types of goal: what each draws, and the moves that reach it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stb_env.suites.sambanova.tabletop.objects import RANKS
from stb_env.suites.sambanova.tabletop.places import CORNERS, MIDDLE, PLACES, SIDES, STEPS, Point
from stb_env.suites.sambanova.tabletop.targets import (
    MAGNITUDES,
    Positions,
    Slots,
    blocks_of,
    bowls_of,
    corner_of,
    offset,
    targets,
)

Move = tuple[str, str | Point]
"""A block, and the object, place or point where it is put down."""

_STEP = 0.12
# Half of what lies between the centres of blocks that stand side by side, a little air between them.
_BESIDE = 0.021


@dataclass(frozen=True, slots=True)
class Goal:
    """One type.

    Attributes:
        blocks: Least and greatest number of blocks.
        bowls: Least and greatest number of bowls.
        slots: What is drawn for it.
        moves: The moves that reach it, from the slots and the positions at the start.
    """

    blocks: tuple[int, int]
    bowls: tuple[int, int]
    slots: tuple[str, ...]
    moves: Callable[[Slots, Positions], list[Move]]


def draw_slots(kind: str, positions: Positions, draw: random.Random) -> dict[str, str]:
    """Draw the slots of a goal.

    Args:
        kind: Its type.
        positions: What is on the table.
        draw: Source of randomness.
    """
    blocks, bowls = list(blocks_of(positions)), list(bowls_of(positions))
    slots: dict[str, str] = {}
    for name in GOALS[kind].slots:
        match name:
            case "block":
                choices = blocks
            case "object1":
                choices = [other for other in (*blocks, *bowls) if other != slots["block"]]
            case "bowl":
                choices = bowls
            case _:
                choices = _CHOICES[name]
        slots[name] = draw.choice(choices)
    return slots


_CHOICES: Mapping[str, list[str]] = {
    "corner_or_side": [*CORNERS, *SIDES],
    "direction": list(STEPS),
    "distance": ["closest", "farthest"],
    "magnitude": list(MAGNITUDES),
    "nth": list(RANKS),
    "line": ["horizontal", "vertical", "diagonal"],
}


def _stack(slots: Slots, start: Positions) -> list[Move]:
    base, *others = blocks_of(start)
    first: list[Move] = [(base, slots["corner_or_side"])] if "corner_or_side" in slots else []
    return [*first, *((name, base) for name in others)]


def _into_bowl(slots: Slots, start: Positions) -> list[Move]:
    return [(name, slots["bowl"]) for name in blocks_of(start)]


def _all_to_place(slots: Slots, start: Positions) -> list[Move]:
    return _gathered(list(blocks_of(start)), slots["corner_or_side"])


def _targets_to_place(kind: str) -> Callable[[Slots, Positions], list[Move]]:
    return lambda slots, start: _gathered(targets(kind, slots, start), slots["corner_or_side"])


def _gathered(names: Sequence[str], place: str) -> list[Move]:
    """Put up to four blocks side by side around a place, so that none stands on another."""
    if len(names) == 1:
        return [(names[0], place)]
    x, y = PLACES[place]
    shifts = [(across * _BESIDE, up * _BESIDE) for up in (1, -1) for across in (-1, 1)]
    return [
        (name, (round(x + across, 6), round(y + up, 6)))
        for name, (across, up) in zip(names, shifts, strict=False)
    ]


def _own_colors(slots: Slots, start: Positions) -> list[Move]:  # noqa: ARG001
    bowls = {name: name.replace("block", "bowl") for name in blocks_of(start)}
    return [(name, bowl) for name, bowl in bowls.items() if bowl in start]


def _other_bowls(slots: Slots, start: Positions) -> list[Move]:  # noqa: ARG001
    blocks, bowls = list(blocks_of(start)), list(bowls_of(start))
    # Some turn of the bowls matches no color: fewer pairs share a color than there are turns.
    for turn in range(len(bowls)):
        pairs = list(zip(blocks, bowls[turn:] + bowls[:turn], strict=False))
        if all(block.split()[0] != bowl.split()[0] for block, bowl in pairs):
            return [(block, bowl) for block, bowl in pairs]
    return []


def _spread(places: tuple[str, ...]) -> Callable[[Slots, Positions], list[Move]]:
    return lambda _slots, start: list(zip(blocks_of(start), places, strict=False))


def _line(slots: Slots, start: Positions) -> list[Move]:
    blocks = list(blocks_of(start))
    across, up = {"horizontal": (1, 0), "vertical": (0, 1), "diagonal": (1, 1)}[slots["line"]]
    x, y = PLACES[MIDDLE]
    shifts = [_STEP * (number - (len(blocks) - 1) / 2) for number in range(len(blocks))]
    return [
        (name, (round(x + shift * across, 6), round(y + shift * up, 6)))
        for name, shift in zip(blocks, shifts, strict=True)
    ]


GOALS: Mapping[str, Goal] = {
    "SI_0": Goal(
        (2, 4), (2, 4), ("block", "object1"), lambda slots, _start: [(slots["block"], slots["object1"])]
    ),
    "SI_1": Goal((2, 4), (1, 4), (), _stack),
    "SI_2": Goal((2, 4), (1, 3), ("corner_or_side",), _all_to_place),
    "SI_3": Goal((2, 4), (1, 4), ("bowl",), _into_bowl),
    "SI_4": Goal((4, 4), (4, 4), (), _own_colors),
    "SI_5": Goal((4, 4), (1, 3), ("direction", "bowl", "corner_or_side"), _targets_to_place("SI_5")),
    "SI_6": Goal((4, 4), (2, 3), ("distance", "bowl", "corner_or_side"), _targets_to_place("SI_6")),
    "SI_7": Goal((4, 4), (1, 3), ("nth", "direction", "corner_or_side"), _targets_to_place("SI_7")),
    "UI_0": Goal((4, 4), (1, 3), (), _spread(CORNERS)),
    "UI_1": Goal((4, 4), (4, 4), (), _other_bowls),
    "UI_2": Goal((2, 4), (1, 3), ("corner_or_side",), _stack),
    "UI_3": Goal(
        (1, 4),
        (1, 4),
        ("block", "magnitude", "direction", "bowl"),
        lambda slots, start: [(slots["block"], offset(slots, start))],
    ),
    "UI_4": Goal(
        (1, 4),
        (1, 3),
        ("block", "distance", "bowl"),
        lambda slots, start: [(slots["block"], corner_of(slots, start))],
    ),
    "UI_5": Goal((3, 4), (0, 0), ("line",), _line),
    "UI_6": Goal((4, 4), (1, 3), (), _spread(SIDES)),
}
"""The types by name, in the order in which they take turns."""
