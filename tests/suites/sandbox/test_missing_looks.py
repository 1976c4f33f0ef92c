"""Split "missing": what only a look shows may be looked for in any way that would have found it."""

from __future__ import annotations

from itertools import product

import pytest

from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.content.edition import within
from stb_env.suites.sandbox.content.households import COUNT
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.tools import (
    bill_box,
    city_atlas,
    contact_book,
    day_planner,
    file_nest,
    home_recipes,
    reel_index,
    room_keeper,
    skyfare,
    stay_finder,
    stock_tape,
    word_hoard,
)
from stb_env.tools import ToolCall
from tests.suites.sandbox.gold_calls import made
from tests.suites.sandbox.test_judging import verdict
from tests.suites.sandbox.test_missing import IMPOSSIBLE, gap_of


def found_missing(template: str, what: str):
    return next(
        task
        for task in IMPOSSIBLE
        if task.record["template"] == template and gap_of(task).hidden and gap_of(task).what == (what,)
    )


def look(task, number: int = 0) -> dict:
    return dict(plan_of(task.id).looks[number].arguments)


SERVES = {
    "part of a contact's name": ("contact_deleted", "person", lambda task: [
        contact_book.search_contacts(name=look(task)["name"].split()[1]),
    ]),
    "all contacts, page by page": ("contact_deleted", "person", lambda task: [
        contact_book.search_contacts(name="", page=page) for page in range(1, 6)
    ]),
    "a first name in capitals": ("mail_by_first_name", "person", lambda task: [
        contact_book.search_contacts(name=look(task)["name"].upper()),
    ]),
    "the last word of a title": ("film_fact", "film", lambda task: [
        reel_index.search_films(title=look(task)["title"].split()[-1], page=page) for page in range(1, 9)
    ]),
    "a definition": ("word_year", "word", lambda task: [word_hoard.define(word=look(task)["word"])]),
    "first letters": ("word_year", "word", lambda task: [
        word_hoard.words_starting(prefix=look(task)["word"][:2], page=page) for page in range(1, 4)
    ]),
    "the whole folder": ("file_deleted", "file", lambda task: [file_nest.list_folder(**look(task, 1))]),
    "all invoices": ("invoice_paid", "invoice", lambda task: [
        bill_box.list_invoices(page=page) for page in (1, 2)
    ]),
    "the hotels of the city on another day": ("hotel_room", "hotel", lambda task: [
        room_keeper.find_rooms(**look(task), check_in="2026-05-04"),
    ]),
    "another tool with the hotels of the city": ("hotel_room", "hotel", lambda task: [
        stay_finder.search_hotels(**look(task, 1), page=page) for page in (1, 2)
    ]),
    "the calendar of the day": ("event_moved", "event", lambda task: [day_planner.list_events(**look(task))]),
    "a company by its first word": ("company_price", "company", lambda task: [
        stock_tape.search_symbols(company=look(task)["company"].split()[0]),
    ]),
    "a recipe by its name": ("recipe_fact", "recipe", lambda task: [
        home_recipes.search_recipes(**look(task)),
    ]),
}  # fmt: skip
SERVES_NOT = {
    "one page of all contacts": ("contact_deleted", "person", lambda task: [
        contact_book.search_contacts(name=""),
    ]),
    "another contact": ("contact_deleted", "person", lambda task: [contact_book.search_contacts(name="zz")]),
    "an id that nobody has": ("contact_deleted", "person", lambda task: [
        contact_book.contact_details(contact_id="contact-999"),
    ]),
    "another word": ("word_year", "word", lambda task: [word_hoard.define(word="anchor")]),
    "another folder": ("file_deleted", "file", lambda task: [file_nest.list_folder(path="/")]),
    "the calendar of another day": ("event_moved", "event", lambda task: [
        day_planner.list_events(date="2026-07-01"),
    ]),
    "the city of the hotel": ("hotel_room", "hotel", lambda task: [
        city_atlas.search_cities(query=look(task, 1)["city_name"]),
    ]),
    "rooms of no city": ("hotel_room", "hotel", lambda task: [
        room_keeper.find_rooms(city_id="", check_in="2026-05-04"),
    ]),
    "the way back": ("first_flight_seat", "flight", lambda task: [
        skyfare.search_flights(
            origin_city_id=look(task)["destination_city_id"], destination_city_id=look(task)["origin_city_id"]
        ),
    ]),
}  # fmt: skip


@pytest.mark.parametrize(("how", "counts"), [*product(SERVES, [True]), *product(SERVES_NOT, [False])])
def test_a_look_counts_however_it_is_taken_and_nothing_else_does(how, counts):
    template, what, calls = (SERVES if counts else SERVES_NOT)[how]
    task = found_missing(template, what)
    with within(task.record["household"] // COUNT):
        requests = calls(task)
    records = made(
        task, tuple(ToolCall(tools()[each.api.id].name, dict(each.arguments)) for each in requests)
    )
    assert verdict(task, {"cannot": task.goal["cannot"]}, calls=records).score == counts
