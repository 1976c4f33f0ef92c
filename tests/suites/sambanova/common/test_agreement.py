"""Agreement is the original's: precision, recall and F1 over equal items."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.suites.sambanova.common.agreement import Agreement, agreement, best_agreement

DICTIONARIES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1)


@pytest.mark.parametrize(
    ("got", "wanted", "expected"),
    [
        ({}, {"a": 1}, Agreement()),
        ({"b": 1}, {"a": 1}, Agreement()),
        ({"a": 1.0}, {"a": 1}, Agreement(1.0, 1.0, 1.0)),
        ({"a": "1"}, {"a": 1}, Agreement()),
        (
            {"a": 1, "b": 2, "c": 3},
            {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5},
            Agreement(1.0, 0.6, 0.7499999999999999),
        ),
    ],
)
def test_items_count_where_key_and_value_are_equal(
    got: dict[str, Any], wanted: dict[str, Any], expected: Agreement
):
    assert agreement(got, wanted) == pytest.approx(expected)


@given(DICTIONARIES, DICTIONARIES)
def test_agreement_is_complete_exactly_where_the_dictionaries_are_equal(
    got: dict[str, int], wanted: dict[str, int]
):
    assert agreement(got, wanted).complete == (got == wanted)


@given(DICTIONARIES, st.lists(DICTIONARIES, min_size=1, max_size=4))
def test_the_first_of_the_best_labels_counts(got: dict[str, int], labels: list[dict[str, int]]):
    best, index = best_agreement(got, labels)
    scores = [agreement(got, label).f1 for label in labels]
    assert best.f1 == max(scores)
    assert index == scores.index(max(scores))
