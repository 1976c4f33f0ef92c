"""Checks take what is right however it is put, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from stb_env.errors import DataError
from stb_env.judges.text_check import TextCheck

QUERY = "How many cups does order 7 have?"

GOOD = [
    ({"equals": "New York"}, " new  york "),
    ({"equals": ["12", "a dozen"]}, "12.0"),
    ({"contains": ["pot", "cup"]}, "There are a pot and one cup."),
    ({"matches": r"[A-Z]{2}-\d+"}, "AB-12 "),
    ({"json": {"a": [1, {"b": None}]}}, '```json\n{"a": [1.0, {"b": null}]}\n```'),
    ({"number": 12}, "Order 7 has 12 cups."),
    ({"number": 1234.5, "tolerance": 0.1}, "about 1,234.45"),
]
BAD = [
    ({"equals": "12"}, "12 or 13"),
    ({"equals": "12"}, "It is not 12."),
    ({"contains": "cup"}, "There is no cup."),
    ({"contains": "cup"}, "Maybe a cup."),
    ({"contains": "cup"}, "a cupboard"),
    ({"matches": r"\d+"}, "12 cups"),
    ({"json": {"a": 1}}, '{"a": true}'),
    ({"json": {"a": 1}}, '{"a": 1, "b": 2}'),
    ({"json": [1]}, "the list is [1]"),
    ({"number": 12}, "12, or 13"),
    ({"number": 12}, "It is not 12."),
    ({"number": 12}, "7"),
    ({"number": 12}, " ".join(map(str, range(2000)))),
    ({"number": 12}, "x12"),
]


@pytest.mark.parametrize(("form", "answer"), GOOD)
def test_a_right_answer_holds(form: dict[str, Any], answer: str):
    assert TextCheck.of(form).problem(answer, QUERY) == ""


@pytest.mark.parametrize(("form", "answer"), BAD)
def test_an_answer_that_is_denied_doubled_doubted_or_another_does_not(form: dict[str, Any], answer: str):
    assert TextCheck.of(form).problem(answer, QUERY) != ""


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({}, r"^a check has one of equals, contains, matches, json, number; got nothing$"),
        ({"equals": "1", "number": 1}, r"got equals, number$"),
        ({"equals": "1", "tolerance": 1}, r"got equals, tolerance$"),
        ({"equals": []}, r"^equals of a check is a text or a list of texts, got \[\]$"),
        ({"matches": r"(a)\1"}, r"^matches of a check is a regular expression of RE2, got "),
        ({"number": "1"}, r"^number and tolerance of a check are numbers, got '1'$"),
        ({"number": 1, "tolerance": -1}, r"^tolerance of a check is 0 or more, got -1$"),
    ],
)
def test_a_check_that_is_none_is_refused(form: dict[str, Any], message: str):
    with pytest.raises(DataError, match=message):
        TextCheck.of(form)


def test_a_pattern_that_would_explode_is_matched_in_linear_time():
    assert TextCheck.of({"matches": "(a|aa)+$"}).problem("a" * 50_000 + "b", QUERY) != ""
