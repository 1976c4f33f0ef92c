"""A page as a person would like to read it on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.pages import Piece, pieces
from stb_env.suites.sambanova.web_shop.product import Product
from stb_env.suites.sambanova.web_shop.reward import Reward
from stb_env.suites.sambanova.web_shop.session import Session

WIDTH = 78

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
