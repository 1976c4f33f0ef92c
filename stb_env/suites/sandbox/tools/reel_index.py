"""Reel Index: films. Training never sees its category."""

from __future__ import annotations

from stb_env.jsontypes import JsonObject
from stb_env.suites.sandbox.content.films import GENRES, films, films_by_person
from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.manners import PAGE, found, page_of
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import ToolDoc

TOOL = ToolDoc("Movies", "Reel Index", "A film database.", held_out="category")


def _entry(film: JsonObject) -> JsonObject:
    return {"film_id": film["film_id"], "title": film["title"], "year": film["year"]}


@TOOL.lookup(
    "Search Films",
    text("title", "Part of the title, in any case.", "season"),
    choice("genre", "Only this genre.", ("any", *GENRES), optional=True),
    PAGE,
)
def search_films(title: str, genre: str, page: int) -> JsonObject:
    """Find films by part of their title."""
    needle = title.casefold()
    rows = [
        _entry(film)
        for film in films().values()
        if needle in film["title"].casefold() and genre in ("any", film["genre"])
    ]
    return page_of(rows, page)


@TOOL.lookup(
    "Film Details",
    text("film_id", "Id from Search Films.", "film-001"),
)
def film_details(film_id: str) -> JsonObject:
    """Year, genre, running time, rating, and the person ids of director and cast."""
    return dict(found(films().get(film_id), "film", film_id))


@TOOL.lookup(
    "Films Of Person",
    text("person_id", "Id of the person.", "person-001"),
    PAGE,
)
def films_of_person(person_id: str, page: int) -> JsonObject:
    """Films that a person directed or played in, oldest first."""
    found(people().get(person_id), "person", person_id)
    return page_of([_entry(film) for film in films_by_person().get(person_id, [])], page)
