"""A picture of a page of the shop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stb_env.suites.sambanova.common.picture import BLACK, LINE, Color, Picture
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.rendering import render
from stb_env.suites.sambanova.web_shop.session import Session

WIDTH, HEIGHT = 640, 720
"""Columns and rows of pixels, whatever the page."""

_BAR: Color = (35, 47, 62)
_LINK: Color = (0, 90, 180)
_CHOSEN: Color = (170, 60, 0)


def picture(session: Session, shop: Catalogue, *, endless: bool = True) -> NDArray[np.uint8]:
    """Return a page as it would be read: what can be clicked in blue, what was clicked in red.

    A page that is longer than the picture says how many lines are left out.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.product import read_product
        >>> shop = Catalogue([read_product({"asin": "B1", "name": "Cup", "pricing": "$5"})])
        >>> picture(Session({"instruction_text": "a cup"}), shop).shape
        (720, 640, 3)
    """
    drawn = Picture(WIDTH, HEIGHT)
    _, title, _, *lines, _ = render(session, shop, endless=endless).splitlines()
    drawn.box(0, 0, WIDTH, LINE + 8, _BAR)
    drawn.text(8, 5, title.strip(), width=WIDTH - 16, color=(255, 255, 255), bold=True)
    room = (HEIGHT - LINE - 16) // LINE
    if len(lines) > room:
        lines = [*lines[: room - 1], f"… {len(lines) - room + 1} more lines"]
    for number, line in enumerate(lines):
        left = 8 * max(1, len(line) - len(line.lstrip()))
        top = LINE + 14 + number * LINE
        drawn.text(left, top, line.strip(), width=WIDTH - left - 8, color=_color(line.strip()))
    return drawn.pixels


def _color(line: str) -> Color:
    if line.startswith("["):
        return _CHOSEN if "[*" in line else _LINK
    return BLACK
