"""City Library: its catalogue, what is on the shelves, and when the branches are open."""

from __future__ import annotations

from stb_env.suites.sandbox.content.books import BRANCHES, GENRES, authors, books, branches
from stb_env.suites.sandbox.content.weekdays import WEEKDAYS
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search, show_clock
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Books", "City Library", "A lending library with several branches.")
_BOOK = text("book_id", "Id from Search Catalogue.", "book-001")


@TOOL.lookup(
    "Search Catalogue",
    text("title", "Part of the title, in any case.", "garden"),
    choice("genre", "Only this genre.", ("any", *GENRES), optional=True),
    PAGE,
)
def search_catalogue(title: str, genre: str, page: int) -> Response:
    """Find books by part of their title; returns ids and titles."""
    rows = search(books().values(), "title", title, genre=genre)
    return page_of(columns(rows, "book_id", "title"), page)


@TOOL.lookup("Book Record", _BOOK)
def book_record(book_id: str) -> Response:
    """Author, year, genre and number of pages of one book."""
    row = found(books().get(book_id), "book", book_id)
    shown = ("book_id", "title", "author_id", "year", "genre", "pages")
    return {**{key: row[key] for key in shown}, "author": authors()[row["author_id"]]["name"]}


@TOOL.lookup("Holdings", _BOOK)
def holdings(book_id: str) -> Response:
    """Shelf mark of one book, and how many copies each branch that owns it has on the shelf right now."""
    row = found(books().get(book_id), "book", book_id)
    return {"book_id": book_id, "shelf_mark": row["shelf_mark"], "on_shelf": dict(row["copies"])}


@TOOL.lookup(
    "Opening Hours",
    choice("branch", "The branch.", BRANCHES),
    choice("weekday", "Day of the week.", WEEKDAYS),
)
def opening_hours(branch: str, weekday: str) -> Response:
    """When a branch opens and closes on a day of the week; empty times where it stays shut."""
    hours = branches()[branch]["hours"][weekday]
    opens, closes = map(show_clock, hours) if hours else ("", "")
    return {"branch": branch, "weekday": weekday, "opens": opens, "closes": closes}
