"""Pictures of the table: rows of pixels, or of characters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stb_env.suites.sambanova.tabletop.places import BOTTOM, COLORS, LEFT, RIGHT, TOP, Position
from stb_env.suites.sambanova.tabletop.scene import BLOCK, BOWL, Scene

SIZE = 300
"""Rows and columns of a picture; the table is square."""

_TABLE = (236, 232, 224)
_EDGE = (120, 110, 100)
_RIM = 0.012
_OUTLINE = 0.003
# How much farther up a storey is drawn than the one under it, so that each block of a stack shows.
_LIFT = 0.012
_ROWS, _COLUMNS = 13, 31


def picture(scene: Scene) -> NDArray[np.uint8]:
    """Return the table seen from above, rows from the top, red, green and blue.

    What stands higher is drawn later, a little farther up and a little brighter.

    Examples:
        >>> picture(Scene.of({"red block": (0, -0.5)}, {}))[150, 150].tolist()
        [255, 87, 89]
    """
    pixels = np.full((SIZE, SIZE, 3), _TABLE, dtype=np.uint8)
    across = np.linspace(LEFT, RIGHT, SIZE)
    x, y = np.meshgrid(across, np.linspace(TOP, BOTTOM, SIZE))
    for name, at in scene.bowls.items():
        gap = np.hypot(x - at[0], y - at[1])
        color = COLORS[name.split()[0]]
        pixels[gap <= BOWL] = _toward(color, 255, 0.55)
        pixels[(gap <= BOWL) & (gap >= BOWL - _RIM)] = color
    for name, at in sorted(scene.blocks.items(), key=lambda item: item[1][2]):
        storey = scene.storey(name)
        gap = np.maximum(np.abs(x - at[0]), np.abs(y - at[1] - _LIFT * storey))
        pixels[gap <= BLOCK / 2] = _EDGE
        pixels[gap <= BLOCK / 2 - _OUTLINE] = _toward(COLORS[name.split()[0]], 255, 0.12 * storey)
    return pixels


def drawing(scene: Scene) -> str:
    """Return the table seen from above in characters, with what each stands for.

    Blocks are capital letters, bowls small ones; of a stack the uppermost shows, with the number of blocks.

    Examples:
        >>> print(drawing(Scene.of({"red block": (-0.25, -0.25)}, {"blue bowl": (0, -0.5)})).split("+")[-1])
        <BLANKLINE>
        R red block (-0.250, -0.250, 0.020)
        b blue bowl (0.000, -0.500, 0.000)
    """
    rows = [[" "] * _COLUMNS for _ in range(_ROWS)]
    signs = _signs(list(scene.bowls))
    signs |= {name: sign.upper() for name, sign in _signs(list(scene.blocks)).items()}
    for name, at in sorted(scene.positions.items(), key=lambda item: item[1][2]):
        row, column = _cell(at)
        rows[row][column] = signs[name]
        storey = scene.storey(name)
        if storey:
            rows[row][column + 1 if column + 1 < _COLUMNS else column - 1] = str(storey + 1)
    frame = "+" + "-" * _COLUMNS + "+"
    legend = [
        f"{signs[name]} {name} ({at[0]:.3f}, {at[1]:.3f}, {at[2]:.3f}){_place(scene.storey(name))}"
        for name, at in scene.positions.items()
    ]
    return "\n".join([frame, *("|" + "".join(row) + "|" for row in rows), frame, *legend])


def _toward(color: tuple[int, int, int], goal: int, share: float) -> tuple[int, ...]:
    return tuple(round(part + (goal - part) * min(share, 0.8)) for part in color)


def _place(storey: int) -> str:
    return f", number {storey + 1} from below" if storey else ""


def _signs(names: list[str]) -> dict[str, str]:
    """Give each object the first letter of its color that is free, or the next letter of the alphabet."""
    signs: dict[str, str] = {}
    for name in names:
        letters = name.split()[0] + "abcdefghijklmnopqrstuvwxyz"
        signs[name] = next(letter for letter in letters if letter not in signs.values())
    return signs


def _cell(at: Position) -> tuple[int, int]:
    across = (at[0] - LEFT) / (RIGHT - LEFT)
    down = (TOP - at[1]) / (TOP - BOTTOM)
    return min(_ROWS - 1, max(0, int(down * _ROWS))), min(_COLUMNS - 1, max(0, int(across * _COLUMNS)))
