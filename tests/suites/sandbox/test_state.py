"""Tables, and what an episode changed in them."""

from __future__ import annotations

import pickle
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stb_env.backend.lazy_mapping import LazyMapping
from stb_env.backend.world import Tables
from stb_env.suites.sandbox.catalog import household, tool_docs
from stb_env.suites.sandbox.changes import changes, same
from stb_env.suites.sandbox.content import edition
from stb_env.suites.sandbox.content.edition import KEPT, within
from stb_env.suites.sandbox.content.households import COUNT

START = Tables({"notes": {"note-001": {"text": "milk"}}}, {"note": 1})
STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "drop", "new"]), st.sampled_from("abc"), st.integers(0, 3)), max_size=8
)


def played(state: Tables, steps) -> Tables:
    for kind, key, value in steps:
        if kind == "put":
            state = state.with_row("t", key, {"v": value})
        elif kind == "drop":
            state = state.without_row("t", key)
        else:
            fresh, state = state.next_id("row")
            state = state.with_row("t", fresh, {"v": value})
    return state


@given(STEPS, STEPS)
def test_a_state_never_changes_after_it_was_made(first, second):
    state = played(Tables(), first)
    frozen = pickle.dumps(state)
    played(state, second)
    assert pickle.dumps(state) == frozen


@given(STEPS)
def test_equal_histories_have_no_difference(steps):
    assert changes(played(START, steps), pickle.loads(pickle.dumps(played(START, steps)))) == {}


def test_an_unchanged_copy_of_a_row_is_no_change():
    assert changes(START, START.with_row("notes", "note-001", {"text": "Milk "})) == {}


def test_a_changed_and_a_deleted_row_are_told_by_id():
    assert changes(START, START.with_row("notes", "note-001", {"text": "tea"})) == {
        "notes": {"rows": {"note-001": {"text": "tea"}}, "new": []}
    }
    assert changes(START, START.without_row("notes", "note-001")) == {
        "notes": {"rows": {"note-001": None}, "new": []}
    }


def test_generated_ids_and_the_order_of_new_rows_do_not_matter():
    def with_notes(*texts: str) -> Tables:
        state = START
        for text in texts:
            key, state = state.next_id("note")
            state = state.with_row("notes", key, {"note_id": key, "text": text})
        return state

    detour = with_notes("oops", "b", "a").without_row("notes", "note-002")
    assert same(changes(START, with_notes("a", "b"))["notes"], changes(START, detour)["notes"])


def test_a_row_under_an_id_that_the_content_gives_keeps_it():
    one = START.with_row("cart", "product-007", {"product_id": "product-007", "quantity": 1})
    other = START.with_row("cart", "product-008", {"product_id": "product-008", "quantity": 1})
    assert not same(changes(START, one)["cart"], changes(START, other)["cart"])


def test_numbers_are_compared_as_numbers():
    one, other = START.with_row("t", "a", {"v": 2}), START.with_row("t", "a", {"v": 2.0})
    assert same(changes(START, one)["t"], changes(START, other)["t"])


def test_no_change_equals_an_absent_table():
    assert same(None, {"rows": {}, "new": []})
    assert not same(None, {"rows": {"a": None}, "new": []})


def test_every_household_has_the_tables_and_the_prefixes_that_the_tools_make():
    for number in range(0, KEPT * COUNT, 29):
        state, made = household(number), {}
        with within(number // COUNT):
            for doc in tool_docs():
                if doc.rows is not None:
                    made |= doc.rows(edition.rng("household", number, doc.name), number)
        serials = Counter()
        for prefix, _, serial in (key.rpartition("-") for rows in made.values() for key in rows):
            serials[prefix] = max(serials[prefix], int(serial))
        assert dict(state.tables) == made | edition.table(number // COUNT)
        assert dict(state.counters) == serials


def test_a_write_makes_no_table_but_its_own():
    made = []
    tables = LazyMapping(["notes", "mails"], lambda name: made.append(name) or {"m-1": {"text": name}})
    before = Tables(tables, LazyMapping(["m"], lambda name: 1))
    after = before.with_row("notes", "m-1", {"text": "tea"})
    assert changes(before, after) == {"notes": {"rows": {"m-1": {"text": "tea"}}, "new": []}}
    assert made == ["notes"]


def test_a_lazy_state_is_compared_copied_and_pickled_as_one_of_dicts():
    start = household(3)
    key, state = start.next_id("event")
    state = state.with_row("events", key, {"title": "tea"}).with_row("extra", "a", {"v": 1})
    plain = Tables(
        {**start.tables, "events": state.table("events"), "extra": {"a": {"v": 1}}},
        {**start.counters, "event": int(key[-3:])},
    )
    again = pickle.loads(pickle.dumps(state))
    assert state == plain == again
    assert list(state.tables) == list(plain.tables)
    assert repr(state) == repr(plain)
    assert changes(start, again) == changes(start, state)
