"""Alignment data: samples, spans, masks, templates."""

from __future__ import annotations

import random
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.errors import DataError
from stb_env.suites.sambanova.alignment.template import Pool, Template, Value, code_names
from stb_env.suites.sambanova.alignment.text import (
    Encoded,
    Pair,
    alignment_sample,
    fitting_sample,
    token_mask,
)

PAIRS = [Pair("Swim", "a(1)\nb()"), Pair("Fly", "c()"), Pair("Walk", "d()")]
TEXTS = st.text(alphabet=st.sampled_from("ab() \nTask:Action1,."), max_size=30)


def pieces(text):
    """Tokenize into words with the blank before them, and single other characters."""
    found = [match.span() for match in re.finditer(r" ?\w+|\W", text)]
    return Encoded(range(100, 100 + len(found)), found)


def covered(sample, mask):
    spans = pieces(sample.text).offsets
    return "".join(sample.text[slice(*span)] for span, one in zip(spans, mask, strict=True) if one)


def test_a_sample_is_documents_and_pairs_with_the_action_behind_one_blank():
    sample = alignment_sample(["# One.\na(n)"], PAIRS[:2])
    assert sample.text == (
        "I have the following set of API:\n\n# One.\na(n)\n-------------\n"
        "Task: Swim\nAction: a(1)\nb()\nTask: Fly\nAction: c()\n"
    )


@given(st.lists(st.builds(Pair, TEXTS, TEXTS), min_size=1, max_size=5), st.lists(TEXTS, max_size=2))
def test_spans_are_the_actions_and_nothing_else(pairs, documents):
    sample = alignment_sample(documents, pairs)
    assert [sample.text[begin:end] for begin, end in sample.spans] == [f" {pair.action}" for pair in pairs]


def test_the_all_shot_loss_covers_every_action_and_the_usual_one_the_last():
    sample = alignment_sample(["# One.\na(n)"], PAIRS)
    tokens = sample.tokens(pieces)
    assert covered(sample, tokens["all_shot_mask"]) == " a(1)\nb() c() d()"
    assert covered(sample, tokens["last_only_mask"]) == " d()"


def test_masks_are_as_long_as_the_ids():
    tokens = alignment_sample([], PAIRS).tokens(pieces, end_of_text=7)
    assert len(tokens["input_ids"]) == len(tokens["all_shot_mask"]) == len(tokens["last_only_mask"])


def test_the_end_of_text_token_follows_the_last_action_and_is_covered():
    tokens = alignment_sample([], PAIRS).tokens(pieces, end_of_text=7)
    assert tokens["input_ids"][-1] == 7
    assert (tokens["all_shot_mask"][-1], tokens["last_only_mask"][-1]) == (1, 1)
    assert tokens["all_shot_mask"][-2] == 0


def test_a_fast_tokenizers_mapping_will_do():
    sample = alignment_sample([], PAIRS)

    def encode(text):
        found = pieces(text)
        return {"input_ids": list(found.ids), "offset_mapping": list(found.offsets)}

    assert sample.tokens(encode) == sample.tokens(pieces)


@pytest.mark.parametrize(
    ("offsets", "mask"),
    [
        ([(0, 4), (4, 9), (9, 10)], [0, 1, 0]),
        ([(3, 5), (5, 9)], [0, 1]),
        ([(4, 8), (8, 10)], [1, 0]),
        ([(0, 0), (4, 4), (9, 9)], [0, 0, 0]),
    ],
)
def test_a_token_that_reaches_beyond_an_action_or_has_no_characters_is_not_covered(offsets, mask):
    assert token_mask(offsets, [(4, 9)]) == mask


def test_too_long_a_sample_loses_whole_pairs_from_the_front():
    length = len(pieces(alignment_sample([], PAIRS[1:]).text).ids)
    assert fitting_sample([], PAIRS, pieces, length) == alignment_sample([], PAIRS[1:])
    assert fitting_sample([], PAIRS, pieces, length - 1) == alignment_sample([], PAIRS[2:])
    assert fitting_sample([], PAIRS, pieces, 2) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alignment_sample([], []), "needs at least one goal with its action"),
        (
            lambda: alignment_sample([], PAIRS).tokens(lambda _: {"input_ids": []}),
            "must return input_ids and offset_mapping, got input_ids; a fast one",
        ),
        (
            lambda: alignment_sample([], PAIRS).tokens(lambda _: Encoded([1, 2], [(0, 1)])),
            "an offset for each token, got 2 ids and 1 offsets",
        ),
    ],
)
def test_what_makes_no_sample_is_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()


# -- templates -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "action", "names", "slots"),
    [
        ("Weather in Palo Alto", "curl 'https://a.b?q=palo+alto'", {}, [("Palo Alto", "palo+alto")]),
        ("Say it in Dutch", "curl 'https://a.b?lang=nl'", {"nl": "Dutch"}, [("Dutch", "nl")]),
        ("How warm is it in Italian?", "curl 'https://a.b?lang=it'", {"it": "Italian"}, [("Italian", "it")]),
        ("At most $1,200", "API.set_max_price(1200)", {}, [("1,200", "1200")]),
        ("On May 3, 2025", "d = Date(5, 3, 2025)", {}, [("May 3, 2025", "5, 3, 2025")]),
        ("Drop x1Yz9Q", "curl -X DELETE 'https://a.b/favourites/x1Yz9Q'", {}, [("x1Yz9Q", "x1Yz9Q")]),
        ("Add x1Yz9Q", """curl -d '{"image_id":"x1Yz9Q"}'""", {}, [("x1Yz9Q", "x1Yz9Q")]),
        ("Latitude -12.5", "curl 'https://a.b?lat=-12.5'", {}, [("-12.5", "-12.5")]),
        ("One bedroom, 1 bath", "API.set_num_baths(1)", {}, []),
        ("2 beds and 2 baths", "API.set_num_beds(2)\nAPI.set_num_baths(2)", {}, []),
        ("12 beds", "API.set_num_beds(2)", {}, []),
        ("At 2.5 miles", "API.set_miles(2)", {}, []),
    ],
)
def test_a_slot_is_a_value_that_goal_and_program_have_once(goal, action, names, slots):
    template = Template.of(Pair(goal, action), names)
    assert [slot.value for slot in template.slots] == [Value(*slot) for slot in slots]


def test_what_is_fixed_gets_no_slot():
    pair = Pair("Rent a home", 'API.set_buy_or_rent("rent")')
    assert len(Template.of(pair, {}).slots) == 1
    assert Template.of(pair, {}, ("set_buy_or_rent",)).slots == ()


@given(TEXTS, st.lists(st.tuples(st.sampled_from(["f", "g"]), st.integers(0, 30)), max_size=4))
def test_a_template_with_its_own_values_is_the_pair_it_was_made_of(text, calls):
    pair = Pair(text + "".join(f" {value}" for _, value in calls), "\n".join(f"{f}({v})" for f, v in calls))
    template = Template.of(pair, {})
    assert template.pair(slot.value for slot in template.slots) == pair


def test_filling_changes_goal_and_program_together():
    pairs = [Pair(f"A home in {city}", f'API.set_location("{city}")') for city in ("Rome", "Oslo", "Lima")]
    templates = [Template.of(pair, {}) for pair in pairs]
    assert {Pool(templates).fill(templates[0], random.Random(n)) for n in range(20)} == set(pairs)


def test_filled_dates_stay_as_far_apart_and_are_days_of_the_calendar():
    pair = Pair("From January 30, 2025 to February 2, 2025", "a = Date(1, 30, 2025)\nb = Date(2, 2, 2025)")
    template = Template.of(pair, {})
    filled = Pool([template]).fill(template, random.Random(3))
    days = [date(year, month, day) for month, day, year in _dates(filled.action)]
    assert filled != pair
    assert (days[1] - days[0]).days == 3
    assert (
        filled.goal
        == f"From {days[0]:%B} {days[0].day}, {days[0].year} to {days[1]:%B} {days[1].day}, "
        + str(days[1].year)
    )


def _dates(action):
    return [tuple(map(int, found)) for found in re.findall(r"Date\((\d+), (\d+), (\d+)\)", action)]


def test_dates_stay_where_one_of_them_can_not_be_moved():
    goal, action = "Leave on May 3, 2025, back on May 9", "a = Date(5, 3, 2025)\nb = Date(5, 9, 2025)"
    assert Template.of(Pair(goal, action), {}).slots == ()


def test_a_slot_is_filled_with_values_of_its_own_context_alone():
    pairs = [
        Pair(f"{mode} a home in {city}", f'API.set_buy_or_rent("{mode}")\nAPI.set_location("{city}")')
        for mode, city in (("rent", "Rome"), ("rent", "Oslo"), ("buy", "Lima"))
    ]
    templates = [Template.of(pair, {}, ("set_buy_or_rent",)) for pair in pairs]
    filled = {Pool(templates).fill(templates[0], random.Random(n)).goal for n in range(20)}
    assert filled == {"rent a home in Rome", "rent a home in Oslo"}


def test_a_least_value_stays_below_its_most():
    pairs = [
        Pair(f"From ${low} to ${low + 50}", f"API.set_min_price({low})\nAPI.set_max_price({low + 50})")
        for low in (100, 160, 240)
    ]
    templates = [Template.of(pair, {}) for pair in pairs]
    for seed in range(50):
        low, high = re.findall(r"\((\d+)\)", Pool(templates).fill(templates[1], random.Random(seed)).action)
        assert int(low) < int(high)


def test_codes_are_named_in_documents():
    assert code_names(["Codes: bamb (Bambino), kora (Korat)."]) == {"bamb": "Bambino", "kora": "Korat"}
