"""Spine and Co: a bookshop that sells editions, in cents; training never sees it."""

from __future__ import annotations

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.books import FORMATS, authors, books
from stb_env.suites.sandbox.conventions import PAGE, page_of
from stb_env.suites.sandbox.params import choice, text, whole
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Books", "Spine and Co", "A bookshop; prices in cents of the aurel.", held_out="tool")
BULK = 10
"""Copies from which on the bulk discount applies."""
_ARTICLE = text("article_number", "Article number from Find Editions.", "book-001/paperback")


def _edition(article_number: str) -> JsonObject:
    book_id, _, form = article_number.partition("/")
    editions = books()[book_id]["editions"] if book_id in books() else ()
    for edition in editions:
        if edition["format"] == form:
            return dict(edition)
    raise ApiError(f"no edition with article number {article_number[:80]!r}")


@TOOL.lookup(
    "Find Editions",
    text("words", "Part of the title or of the author's name, in any case.", "amber"),
    choice("format", "Only this format.", ("any", *FORMATS), optional=True),
    PAGE,
)
def find_editions(words: str, format: str, page: int) -> Response:
    """Find editions on sale; returns article numbers, titles and formats, without prices."""
    needle = words.casefold()
    rows = [
        {"article_number": f"{key}/{edition['format']}", "title": row["title"], "format": edition["format"]}
        for key, row in books().items()
        if needle in row["title"].casefold() or needle in authors()[row["author_id"]]["name"].casefold()
        for edition in row["editions"]
        if format in ("any", edition["format"])
    ]
    return page_of(rows, page)


@TOOL.lookup("Edition Facts", _ARTICLE)
def edition_facts(article_number: str) -> Response:
    """Format, price of one copy in cents and weight in grams of one edition."""
    return {"article_number": article_number, **_edition(article_number)}


@TOOL.lookup("Quote Copies", _ARTICLE, whole("copies", "How many.", 1, 1, 500))
def quote_copies(article_number: str, copies: int) -> Response:
    """Total price in cents of several copies of one edition; ten or more are 12 % cheaper."""
    full = _edition(article_number)["price_cents"] * copies
    total = round(full * 0.88) if copies >= BULK else full
    return {"article_number": article_number, "copies": copies, "total_cents": total}
