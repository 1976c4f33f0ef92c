"""A phrase is looked for wherever it is: the words that it needs follow from its pattern."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stb_env.reading import cue
from stb_env.reading.phrase import Phrase, words
from stb_env.suites.sandbox import asides, disclaimers

PHRASES = [
    pytest.param(phrase, id=f"{module.__name__}.{name}")
    for module in (asides, disclaimers)
    for name, phrase in vars(module).items()
    if isinstance(phrase, Phrase)
]
ODD: list[str | re.Pattern[str]] = [
    r"\bn['’]t\b",
    r"speculat\w+",
    r"\b(?:ab|abc){0,3}\b",
    r"\bpigs? (?:can )?fly\b",
    r"(?:\w+ )?stand by",
    r"a[^b]c",
    r"(?i)\bwho knows\b",
    r"\d+ (?:km|miles)",
    r"(?:x|y)?",
    r"(?<!only )one of (?:these|them)\b(?! two)",
    cue.CORRECTION,
    cue.NEGATION,
    cue.ALTERNATIVE,
]
"""Patterns that leave something open where a word begins or ends."""


@pytest.mark.parametrize("phrase", PHRASES)
def test_a_phrase_of_the_rules_needs_a_word_that_few_texts_have(phrase: Phrase) -> None:
    assert phrase.needs
    assert not phrase.may_be_in(words("the ferry to ulm costs 12.50 aur"))


@pytest.mark.parametrize("phrase", [*PHRASES, *(Phrase(pattern) for pattern in ODD)])
@settings(max_examples=25, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(data=st.data())
def test_the_screen_lets_through_whatever_the_pattern_finds(phrase: Phrase, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(phrase.pattern))

    assert str(phrase.search(text, words(text))) == str(phrase.pattern.search(text))


def test_a_text_without_such_a_word_is_not_searched() -> None:
    phrase = Phrase(r"\bin your dreams\b")

    assert phrase.search("in your dreams", words("something else")) is None


def test_a_pattern_that_is_certain_of_no_word_is_searched_everywhere() -> None:
    phrase = Phrase(re.compile(r"\d+"))

    assert not phrase.needs
    assert phrase.search("12", frozenset())
