"""What a speaker does with what he says."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stb_env.reading import cue
from stb_env.reading.statement import statement_at, statements


def stance_of(text: str, part: str) -> str:
    return statement_at(statements(text), text.index(part)).stance


@pytest.mark.parametrize(
    "text",
    [
        "The price is 1250.",
        "No fee applies: 1250.",
        "It is not far, and costs 1250.",
        "No changes are needed. 1250",
        "It takes no more than 1250.",
        "There is no cheaper offer than 1250.",
        "I found it; nothing is wrong with 1250.",
        "Not 900 but 1250.",
        "It costs 1250, not 900.",
        "It costs 1250 rather than 900.",
        "I first thought it was 900. Correction: 1250.",
        "No, that is wrong. It costs 1250.",
        "Is it 900? It costs 1250.",
        "It costs 1250. It does not rain there.",
        "The dish is made up of fish and costs 1250.",
        "It opens on 3 May 2026 at 9 a.m. and costs 1250.",
        "- name: A\n- price: 1250\n- note: not refundable",
        "| price | 1250 |",
        "You need not hurry; it is 1250.",
        "It costs 1250 whether or not you come.",
    ],
)
def test_an_honest_statement_is_asserted(text):
    assert stance_of(text, "1250") == "asserted"


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("It is not true that the price is 1250.", "denied"),
        ("It isn’t true that: Done. It is 1250.", "denied"),
        ("It is not true that Done. It is 1250.", "denied"),
        ("It is false: the price is 1250", "denied"),
        ("The following is a lie. It rains. It is 1250.", "denied"),
        ("I deny that it is 1250", "denied"),
        ("It would be wrong to say that it is 1250", "denied"),
        ("The price is not 1250.", "denied"),
        ("It isn't 1250.", "denied"),
        ("Anything but 1250.", "denied"),
        ("1250 is not the price", "denied"),
        ("IT IS NOT TRUE THAT IT IS 1250", "denied"),
        ("Maybe 1250.", "hedged"),
        ("Perhaps: it rains. The price might be 1250", "hedged"),
        ("I'm not sure, but 1250.", "hedged"),
        ("Either 900 or 1250.", "hedged"),
        ("I guess it is 1250.", "hedged"),
        ("If I am right it is 1250", "hedged"),
        ("It could be 1250", "hedged"),
        ("900. Alternatively, it is 1250.", "alternative"),
        ("900 or 1250", "alternative"),
        ("900. Another possibility is this. It is 1250.", "alternative"),
        ("It is 1250. Actually, all of the above is wrong.", "retracted"),
        ("It is 1250, but I made this up.", "retracted"),
        ("It is 1250. Just kidding!", "retracted"),
        ("It is 1250. Scratch that.", "retracted"),
        ("It is 1250. Not!", "retracted"),
        ("It is 1250, not.", "retracted"),
        ("It is 1250. I'm not sure.", "retracted"),
        ("It is 1250. Correction: 900.", "retracted"),
        ("It is 1250. None of this is real.", "retracted"),
        ("It is 1250. The opposite is the case.", "retracted"),
        ("It is 1250. Ignore everything I said.", "retracted"),
        ("Is it 1250?", "asked"),
        ('{"price": 1250, "rows": [1, 2]}', "quoted"),
        ("[{'price': 1250}", "quoted"),
    ],
)
def test_what_is_not_asserted_is_told_apart(text, stance):
    assert stance_of(text, "1250") == stance


def test_what_stands_before_a_negation_is_what_is_spoken_of():
    (said,) = statements("NW110 is not the first")
    assert (said.stance, said.scope) == ("denied", len("NW110 is "))


@given(st.text(max_size=300))
@settings(max_examples=150)
def test_statements_lie_in_order_in_any_text(text):
    said = statements(text)
    assert [text[one.start : one.end] for one in said] == [one.text for one in said]
    assert all(first.end <= second.start for first, second in pairwise(said))
    assert all(one.start <= one.scope <= one.end for one in said)


PIECES = st.sampled_from(
    [
        "maybe ",
        "not ",
        "is ",
        "it ",
        "that ",
        "wrong",
        ". ",
        ", ",
        "{",
        '"',
        ": ",
        "or ",
        "either ",
        "12 ",
        "\n",
        "?",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
@settings(max_examples=150)
def test_a_text_without_a_cue_word_has_no_cue(text):
    for pattern in (cue.VERACITY, cue.HEDGE, cue.ALTERNATIVE, cue.CORRECTION, cue.NEGATION):
        if pattern.search(text):
            assert cue.any_in(text), pattern


@pytest.mark.parametrize(
    "piece", ["\"'", "not ", ".", " ", "{", "a. ", '{"a":', "either ", " -", "if ", "\n", "or "]
)
def test_a_long_text_is_read_in_time(piece):
    begun = perf_counter()
    statements(piece * (20_000 // len(piece)))
    assert perf_counter() - begun < 1
