"""Pictures of states with a shape of their own: a table with blocks, a spreadsheet."""

from __future__ import annotations

from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.google_sheets.session import Session, Tab
from stb_env.suites.sambanova.google_sheets.sheet import Book, Sheet
from stb_env.suites.sambanova.google_sheets.values import Formula
from stb_env.suites.sambanova.tabletop.places import BOTTOM, COLORS, LEFT, RIGHT, TOP
from stb_env.suites.sambanova.tabletop.scene import BLOCK, BOWL, Scene

_MOST_ROWS, _MOST_COLUMNS = 60, 26


def picture_of(state: object) -> dict[str, object] | None:
    """Return what is to be drawn of a state, as plain data with a ``kind``; None where there is no picture.

    Examples:
        >>> (block,) = picture_of(Scene.of({"red block": (0.1, -0.4)}, {}))["objects"]
        >>> block["name"], block["shape"], block["color"], block["at"]
        ('red block', 'block', [255, 87, 89], [0.1, -0.4, 0.02])
        >>> picture_of({}) is None
        True
    """
    if isinstance(state, Scene):
        return _scene(state)
    if isinstance(state, Book):
        return {"kind": "sheets", "sheets": [_sheet(state, sheet) for sheet in state.sheets if sheet.cells]}
    return None


def _scene(scene: Scene) -> dict[str, object]:
    objects = [
        {
            "name": name,
            "shape": "block" if name in scene.blocks else "bowl",
            "color": list(COLORS.get(name.split()[0], (128, 128, 128))),
            "at": list(at),
            "storey": scene.storey(name),
        }
        for name, at in scene.positions.items()
    ]
    return {
        "kind": "scene",
        "bounds": [LEFT, RIGHT, BOTTOM, TOP],
        "block": BLOCK,
        "bowl": BOWL,
        "objects": objects,
        "said": list(scene.said),
    }


def _sheet(book: Book, sheet: Sheet) -> dict[str, object]:
    tab = Tab(Session(book), sheet.id)
    bottom, right = sheet.extent
    rows, columns = min(bottom, _MOST_ROWS), min(right, _MOST_COLUMNS)
    return {
        "title": sheet.title,
        "cells": [
            [_shown(tab, (row, column)) for column in range(1, columns + 1)] for row in range(1, rows + 1)
        ],
        "formulas": {
            f"{row},{column}": content.text
            for (row, column), content in sheet.cells.items()
            if isinstance(content, Formula)
        },
        "left_out": {"rows": bottom - rows, "columns": right - columns},
    }


def _shown(tab: Tab, place: tuple[int, int]) -> str:
    try:
        return tab.text(place)
    except CrashError as error:
        # A formula that costs more than a spreadsheet may.
        return f"#{error}"
