"""ROUGE-L, compared with figures of the package that the paper used."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.runs.metrics.rouge import rouge_l

WORDS = st.lists(st.sampled_from(["a", "b", "c", "."]), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("reference", "hypothesis", "f"),
    [
        ("the cat sat", "the cat sat", 0.999999995),
        ("the cat sat on the mat", "the cat the cat", 0.5714285673),
        ("The cat sat. It slept.", "It slept. The cat sat.", 0.999999995),
        ("The cat sat. ", "The cat sat.", 0.8571428522),
        ("Hello, world", "hello world", 0.499999995),
        ("a b c d", "a c b d", 0.749999995),
        ("a b c d e f", "f e d c b a", 0.1666666617),
        # Of two longest subsequences the package finds the one with "b"; the other would score a half.
        ("a b", "b a. a", 0.999999995),
        ("Your account is open.", "Your bank account is now open.", 0.7999999952),
    ],
)
def test_the_figures_are_those_of_the_package(reference, hypothesis, f):
    assert rouge_l(hypothesis, reference) == pytest.approx(f, abs=1e-10)


@pytest.mark.parametrize("text", ["", ".", "..."])
def test_a_text_without_a_word_scores_nothing(text):
    assert rouge_l(text, "The cat sat.") == 0.0
    assert rouge_l("The cat sat.", text) == 0.0


@given(WORDS, WORDS)
def test_every_score_is_a_share(one, other):
    assert 0.0 <= rouge_l(one, other) <= 1.0


@given(WORDS)
def test_no_text_is_closer_to_a_text_than_itself(text):
    assert rouge_l(text, text) == pytest.approx(1.0 if text.replace(".", "") else 0.0, abs=1e-6)


def test_a_long_text_is_no_recursion():
    text = " ".join(f"w{number}" for number in range(1_500))
    assert rouge_l(text, text) == pytest.approx(1.0)
