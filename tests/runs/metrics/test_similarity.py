import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stb_env.runs.metrics.response_schema import decoded, field_overlap, schema_match
from stb_env.runs.metrics.similarity import bleu4, lcs_f1, tokens

WORDS = st.lists(st.sampled_from("abcd"), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def test_bleu_4_is_the_smoothed_geometric_mean_worked_out_by_hand():
    reference = tokens("the cat sat on the mat")
    candidate = tokens("the cat on the mat")
    # Unigrams 5 of 5; bigrams (3 + 1) of (4 + 1); trigrams (1 + 1) of (3 + 1); 4-grams (0 + 1) of (2 + 1).
    precision = (1 * 4 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)
    assert bleu4(reference, candidate) == pytest.approx(math.exp(1 - 6 / 5) * precision)


def test_bleu_4_counts_a_repeated_word_as_often_as_the_reference_has_it():
    # Unigrams clipped to 2 of 3; bigrams (0 + 1) of (2 + 1); trigrams (0 + 1) of (1 + 1); no 4-grams: 1 of 1.
    expected = math.exp(1 - 4 / 3) * (2 / 3 * 1 / 3 * 1 / 2) ** (1 / 4)
    assert bleu4(tokens("the dog the man"), tokens("the the the")) == pytest.approx(expected)


def test_bleu_4_punishes_what_is_short_and_not_what_is_long():
    text = list("abcdefgh")
    assert bleu4(text, text[:4]) == pytest.approx(math.exp(1 - 8 / 4))
    assert bleu4(text[:4], text) > bleu4(text, text[:4])


@pytest.mark.parametrize("measure", [bleu4, lcs_f1])
def test_equal_texts_score_one_and_texts_without_a_common_word_score_nothing(measure):
    assert measure([], []) == 1.0
    assert measure(["a"], ["a"]) == 1.0
    assert measure(["a", "b"], ["c"]) == 0.0
    assert measure([], ["a"]) == measure(["a"], []) == 0.0


def test_rouge_l_is_the_f1_score_of_the_common_subsequence_worked_out_by_hand():
    # The longest common subsequence is "the mat was cat": 4 of 6 words and of 7.
    reference = tokens("the mat was under the cat")
    candidate = tokens("the big mat was near a cat")
    assert lcs_f1(reference, candidate) == pytest.approx(2 * (4 / 6) * (4 / 7) / (4 / 6 + 4 / 7))


@given(WORDS, WORDS)
def test_rouge_l_agrees_with_the_textbook_table(reference, candidate):
    table = [[0] * (len(candidate) + 1) for _ in range(len(reference) + 1)]
    for i, one in enumerate(reference, 1):
        for j, other in enumerate(candidate, 1):
            best = max(table[i - 1][j], table[i][j - 1])
            table[i][j] = table[i - 1][j - 1] + 1 if one == other else best
    total = len(reference) + len(candidate)
    empty = float(not total)
    expected = 2 * table[-1][-1] / total if reference and candidate else empty
    assert lcs_f1(reference, candidate) == pytest.approx(expected)


@given(WORDS, WORDS)
def test_both_measures_stay_between_nothing_and_one(reference, candidate):
    assert 0 <= bleu4(reference, candidate) <= 1 + 1e-12
    assert 0 <= lcs_f1(reference, candidate) <= 1


def test_tokens_are_the_same_for_json_and_for_python_text():
    assert tokens('{"dry": true, "mm": 1.5}') == tokens("{'dry': True, 'mm': 1.5}")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("[{'a': None, 'b': True}]", [{"a": None, "b": True}]),
        ("{'a': 1, 'b': [{'c': 'x'}, {'c': 'unfin", {"a": 1, "b": [{"c": "x"}, {"c": "unfin"}]}),
        ("15 degrees", "15 degrees"),
        ("", ""),
        (7, 7),
        ("[" * 500, "[" * 500),
        ("{__import__('os').getcwd()}", None),
    ],
    ids=["json", "python", "cut", "text", "nothing", "no text", "deep", "code"],
)
def test_a_response_is_decoded_from_any_form_that_recordings_have(text, value):
    found = decoded(text)
    assert found == value if value is not None else "getcwd" in str(found)


@pytest.mark.parametrize(
    ("real", "simulated", "same"),
    [
        ({"a": 1, "b": [{"c": "x"}]}, {"b": [{"c": "y"}, {"c": "z"}], "a": 2.5}, True),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": None}, {"a": {"deep": 1}}, True),
        ({"a": []}, {"a": [{"deep": 1}]}, True),
        ({"a": []}, {"a": {}}, False),
        ({"a": {}}, {"a": {"deep": 1}}, False),
        ("text", "other text", True),
        ("text", {"a": 1}, False),
    ],
)
def test_schemas_match_where_fields_and_types_agree(real, simulated, same):
    assert schema_match(real, simulated) is same
    assert schema_match(simulated, real) is same


def test_a_longer_text_gains_nothing_by_its_length():
    # Precisions 5/10, 5/10, 4/9 and 3/8, all but the first with one added to both counts.
    assert bleu4("abcde", "abcdefghij") == pytest.approx((1 / 2 * 1 / 2 * 4 / 9 * 3 / 8) ** (1 / 4))


@given(JSON)
def test_every_value_matches_itself(value):
    assert schema_match(value, value)
    assert field_overlap(value, value) in (None, 1.0)


@pytest.mark.parametrize(
    ("real", "simulated", "share"),
    [
        ({"a": 1, "b": 2}, {"a": "x", "b": None}, 1.0),
        ({"a": 1, "b": {"c": 1}}, {"a": 1, "b": {"d": 1}}, 2 / 4),
        ([{"a": 1}, {"b": 1}], [{"a": 1}], 2 / 3),
        ({"a": 1}, "an error", 0.0),
        ("fine", "well", None),
    ],
)
def test_field_overlap_is_the_share_of_common_fields(real, simulated, share):
    assert field_overlap(real, simulated) == (share if share is None else pytest.approx(share))
