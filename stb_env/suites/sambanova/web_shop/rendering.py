"""A page of the shop for people: as text on a terminal, and as a picture."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from stb_env.suites.sambanova.common.picture import BLACK, LINE, Color, Picture
from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.pages import Piece, pieces
from stb_env.suites.sambanova.web_shop.product import Product
from stb_env.suites.sambanova.web_shop.reward import Reward
from stb_env.suites.sambanova.web_shop.session import Session

WIDTH = 78
PICTURE_WIDTH, PICTURE_HEIGHT = 640, 720
"""Columns and rows of pixels, whatever the page."""

_BAR: Color = (35, 47, 62)
_LINK: Color = (0, 90, 180)
_CHOSEN: Color = (170, 60, 0)

_HEADS = frozenset({"Instruction:", "Instruction: "})


def render(session: Session, shop: Catalogue, *, endless: bool = True) -> str:
    """Return a page as a framed text: what can be clicked in brackets, what was clicked with a star.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.product import read_product
        >>> shop = Catalogue([read_product({"asin": "B1", "name": "Cup", "pricing": "$5"})])
        >>> print(render(Session({"instruction_text": "a cup"}), shop).replace("═" * 78, "═"))
        ═
         WebShop: search
        ═
         Wanted: a cup
        <BLANKLINE>
         [Search]
        ═
    """
    rule = "═" * WIDTH
    title = f" WebShop: {session.kind}"
    wanted = textwrap.wrap(
        f"Wanted: {session.goal['instruction_text']}", WIDTH - 2, subsequent_indent=" " * 8
    )
    if session.product and session.reward:
        page = list(map(Piece, _receipt(session, session.product, session.reward)))
    else:
        page = pieces(session, shop, endless=endless)
    # The instruction stands at the top already.
    start = next((index + 2 for index, piece in enumerate(page) if piece.text in _HEADS), 0)
    lines = [rule, title, rule, *(f" {line}" for line in wanted), "", *_body(page[start:]), rule]
    return "\n".join(lines)


def _receipt(session: Session, product: Product, reward: Reward) -> Iterator[str]:
    yield f"Bought: {product.title} for {product.price}"
    yield from (f"{name}: {value}" for name, value in session.options.items())
    yield f"Reward: {reward.total:.3f}"


def _body(page: list[Piece]) -> list[str]:
    lines: list[str] = []
    row: list[str] = []
    kind = "text"
    for piece in page:
        if piece.kind != kind or piece.kind in ("text", "link"):
            lines += _flushed(row)
        kind = piece.kind
        mark = f"[{'*' if piece.is_marked else ''}{piece.text}]"
        if piece.kind in ("button", "option"):
            row.append(mark)
        elif piece.kind == "link":
            lines += ["", f" {mark}"]
        else:
            lines += [f"   {line}" for line in textwrap.wrap(piece.text.strip(), WIDTH - 4)]
    return lines + _flushed(row)


def _flushed(row: list[str]) -> list[str]:
    lines = textwrap.wrap("  ".join(mark.replace(" ", "\u00a0") for mark in row), WIDTH - 2)
    row.clear()
    return [f" {line}".replace("\u00a0", " ") for line in lines]


def picture(session: Session, shop: Catalogue, *, endless: bool = True) -> NDArray[np.uint8]:
    """Return a page as it would be read: what can be clicked in blue, what was clicked in red.

    A page that is longer than the picture says how many lines are left out.

    Examples:
        >>> from stb_env.suites.sambanova.web_shop.product import read_product
        >>> shop = Catalogue([read_product({"asin": "B1", "name": "Cup", "pricing": "$5"})])
        >>> picture(Session({"instruction_text": "a cup"}), shop).shape
        (720, 640, 3)
    """
    drawn = Picture(PICTURE_WIDTH, PICTURE_HEIGHT)
    _, title, _, *lines, _ = render(session, shop, endless=endless).splitlines()
    drawn.box(0, 0, PICTURE_WIDTH, LINE + 8, _BAR)
    drawn.text(8, 5, title.strip(), width=PICTURE_WIDTH - 16, color=(255, 255, 255), bold=True)
    room = (PICTURE_HEIGHT - LINE - 16) // LINE
    if len(lines) > room:
        lines = [*lines[: room - 1], f"… {len(lines) - room + 1} more lines"]
    for number, line in enumerate(lines):
        left = 8 * max(1, len(line) - len(line.lstrip()))
        top = LINE + 14 + number * LINE
        drawn.text(left, top, line.strip(), width=PICTURE_WIDTH - left - 8, color=_color(line.strip()))
    return drawn.pixels


def _color(line: str) -> Color:
    if line.startswith("["):
        return _CHOSEN if "[*" in line else _LINK
    return BLACK
