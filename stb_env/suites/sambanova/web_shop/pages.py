"""The pages of the shop as lists of pieces, and as text.

Labels, separators and marks are those of the original shop, character for character, because models were
trained on its pages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal, NamedTuple

from stb_env.suites.sambanova.web_shop.catalogue import Catalogue
from stb_env.suites.sambanova.web_shop.session import BACK, BUY, NEXT, PREVIOUS, SUB_PAGES, Session

PageText = Literal["text", "text_rich"]

PieceKind = Literal["text", "button", "link", "option"]


_LEADS: dict[PieceKind, str] = {"button": "", "link": "\n", "option": "  "}


class Piece(NamedTuple):
    """One line of a page.

    Attributes:
        text: What it says.
        kind: What it is.
        is_marked: Whether it was clicked: a visited product or a chosen option.
    """

    text: str
    kind: PieceKind = "text"
    is_marked: bool = False


def pieces(session: Session, shop: Catalogue, *, endless: bool = True) -> list[Piece]:
    """Return a page from top to bottom.

    Args:
        session: Where the shopper is.
        shop: The products.
        endless: Whether there is always a next page of results, as in the original.
    """
    return list(_pieces(session, shop, endless))


def as_text(page: list[Piece]) -> str:
    """Return a page in the original's plain mode: everything in one line, marks left out."""
    return " [SEP] ".join(filter(None, (piece.text.strip() for piece in page)))


def as_rich_text(page: list[Piece]) -> str:
    """Return a page in the original's rich mode: a line for each piece, what can be clicked marked."""
    lines: list[str] = []
    for text, kind, is_marked in page:
        if kind == "text":
            # Only blank texts are left out, as a browser does.
            if text and not text.isspace():
                lines.append(text)
        elif is_marked:
            lines.append(f"{_LEADS[kind]}[clicked button] {text} [clicked button_]")
            if kind == "option":
                lines.insert(0, f"You have clicked {text}.")
        else:
            lines.append(f"{_LEADS[kind]}[button] {text} [button_]")
    return "\n".join([*lines, ""])


def clickables(page: list[Piece]) -> list[str]:
    """Return what can be clicked, in lower case: buttons, then products, then options."""
    ordered = [
        piece.text.lower() for kind in ("button", "link", "option") for piece in page if piece.kind == kind
    ]
    return list(dict.fromkeys(ordered))


def _pieces(session: Session, shop: Catalogue, endless: bool) -> Iterator[Piece]:
    match session.kind:
        case "search":
            yield from (Piece("WebShop"), Piece("Instruction: "), Piece(session.goal["instruction_text"]))
            yield Piece("Search", "button")
        case "done":
            yield from map(Piece, _receipt(session))
        case "results":
            yield from _head(session)
            yield from _results(session, shop, endless)
        case _:
            yield from _head(session)
            yield Piece(PREVIOUS, "button")
            yield from _item(session) if session.kind == "item" else _sub_page(session)


def _head(session: Session) -> Iterator[Piece]:
    yield Piece("Instruction:")
    yield Piece(session.goal["instruction_text"])
    yield Piece(BACK, "button")


def _results(session: Session, shop: Catalogue, endless: bool) -> Iterator[Piece]:
    yield Piece(f"Page {session.page} (Total results: {len(session.found)})")
    if session.page > 1:
        yield Piece(PREVIOUS, "button")
    if endless or session.has_next:
        yield Piece(NEXT, "button")
    for asin in session.shown:
        product = shop.product(asin)
        yield Piece(asin, "link", asin in session.visited)
        yield Piece(product.title)
        yield Piece(product.shown_price)


def _item(session: Session) -> Iterator[Piece]:
    product = session.product
    if product is None:
        return
    chosen = session.options.values()
    for name, values in product.options.items():
        yield Piece(name)
        for value in values:
            yield Piece(value, "option", value in chosen)
    yield from (Piece(product.title), Piece(f"Price: {product.shown_price}"), Piece("Rating: N.A."))
    for kind in SUB_PAGES:
        yield Piece(kind.title(), "button")
    yield Piece(BUY, "button")


def _sub_page(session: Session) -> Iterator[Piece]:
    product = session.product
    if product is not None and session.kind == "description":
        yield Piece(product.description)
    elif product is not None and session.kind == "features":
        for bullet in product.bullets:
            yield Piece(f" {bullet}")


def _receipt(session: Session) -> tuple[str, ...]:
    bought = session.product.asin if session.product else ""
    total = session.reward.total if session.reward else 0.0
    return (
        *("Thank you for shopping with us!", "Your code: ", "None", " (Paste it in your MTurk interface.)"),
        *("Purchased", "asin", bought, "options", json.dumps(dict(session.options))),
        *("attrs", "None", "category", "None", "query", "None", "product category", "None"),
        *("Target", "asin", "options", "attrs", "price upper", "instuction text", "category"),
        *("product category", "query", "Goal ", "None", "Reward", "Your score (min 0.0, max 1.0)"),
        *(str(float(total)), "Reward Details ", "None"),
    )
