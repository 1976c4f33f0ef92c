"""Tables, and what an episode changed in them."""

from __future__ import annotations

import pickle

from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.backend.world import Tables
from stb_env.suites.sandbox.changes import changes, same

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
@settings(max_examples=60)
def test_a_state_never_changes_after_it_was_made(first, second):
    state = played(Tables(), first)
    frozen = pickle.dumps(state)
    played(state, second)
    assert pickle.dumps(state) == frozen


@given(STEPS)
@settings(max_examples=60)
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
