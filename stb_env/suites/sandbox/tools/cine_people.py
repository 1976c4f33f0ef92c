"""Cine People: who works in films. Training never sees its category."""

from __future__ import annotations

from stb_env.suites.sandbox.content.people import people
from stb_env.suites.sandbox.conventions import PAGE, columns, found, page_of, search
from stb_env.suites.sandbox.params import choice, text
from stb_env.suites.sandbox.registry import Response, ToolDoc

TOOL = ToolDoc("Movies", "Cine People", "Directors and actors.", held_out="category")


@TOOL.lookup(
    "Search People",
    text("name", "Part of the name, in any case.", "an"),
    choice("profession", "Only this profession.", ("any", "director", "actor"), optional=True),
    PAGE,
)
def search_people(name: str, profession: str, page: int) -> Response:
    """Find film people by part of their name."""
    rows = search(people().values(), "name", name, profession=profession)
    return page_of(columns(rows, "person_id", "name", "profession"), page)


@TOOL.lookup("Person Details", text("person_id", "Id from Search People.", "person-001"))
def person_details(person_id: str) -> Response:
    """Birth date, birth city and profession of one person."""
    return dict(found(people().get(person_id), "person", person_id))
