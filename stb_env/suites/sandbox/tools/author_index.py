"""Author Index: writers, their works and their prizes."""

from __future__ import annotations

from stb_env.suites.sandbox.content.books import authors, works
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Books", "Author Index", "Who wrote what.")
_AUTHOR = text("author_id", "Id from Search Authors.", "author-001")


@TOOL.lookup("Search Authors", text("name", "Part of the name, in any case.", "an"), PAGE)
def search_authors(name: str, page: int) -> Response:
    """Find authors by part of their name; returns ids and names."""
    rows = search(authors().values(), "name", name)
    return page_of(columns(rows, "author_id", "name"), page)


@TOOL.lookup("Author Details", _AUTHOR)
def author_details(author_id: str) -> Response:
    """Birth date and birth city of one author."""
    row = found(authors().get(author_id), "author", author_id)
    return {key: row[key] for key in ("author_id", "name", "birth_date", "birth_city_id")}


@TOOL.lookup("Works Of", _AUTHOR, PAGE)
def works_of(author_id: str, page: int) -> Response:
    """Books of one author, oldest first, with the ids that libraries use."""
    found(authors().get(author_id), "author", author_id)
    return page_of(columns(works()[author_id], "book_id", "title", "year"), page)


@TOOL.lookup("Prizes Of", _AUTHOR)
def prizes_of(author_id: str) -> Response:
    """Prizes that one author has won, with the years."""
    row = found(authors().get(author_id), "author", author_id)
    return {"author_id": author_id, "prizes": [dict(prize) for prize in row["prizes"]]}
