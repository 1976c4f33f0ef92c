"""Reel Index: films. Training never sees its category."""

from __future__ import annotations

from stb_env.suites.sandbox.content.films import GENRES, films, films_by_person
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Movies", "Reel Index", "A film database.", held_out="category")


@TOOL.lookup(
    "Search Films",
    text("title", "Part of the title, in any case.", "season"),
    choice("genre", "Only this genre.", ("any", *GENRES), optional=True),
    PAGE,
)
def search_films(title: str, genre: str, page: int) -> Response:
    """Find films by part of their title."""
    rows = search(films().values(), "title", title, genre=genre)
    return page_of(columns(rows, "film_id", "title", "year"), page)


@TOOL.lookup("Film Details", text("film_id", "Id from Search Films.", "film-001"))
def film_details(film_id: str) -> Response:
    """Year, genre, running time, rating, and the person ids of director and cast."""
    return dict(found(films().get(film_id), "film", film_id))


@TOOL.lookup("Films Of Person", text("person_id", "Id of the person.", "person-001"), PAGE)
def films_of_person(person_id: str, page: int) -> Response:
    """Films that a person directed or played in, oldest first."""
    found(people().get(person_id), "person", person_id)
    rows = films_by_person().get(person_id, [])
    return page_of(columns(rows, "film_id", "title", "year"), page)
