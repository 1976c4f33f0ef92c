"""What a text is about: the stems of its words, without those that any text has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import snowballstemmer

from stb_env.judges.cues import COMMON

_WORD = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STEMMER = snowballstemmer.stemmer("porter")
_SHORTEST = 3


def terms(text: str) -> frozenset[str]:
    """Return the stems of a text's words and its numbers, those aside that say nothing.

    Examples:
        >>> sorted(terms("Which ferries cross to Harwich on 1 June?"))
        ['1', 'cross', 'ferri', 'harwich', 'june']
    """
    return frozenset(_terms(_WORD.findall(text.lower())))


def tokens(text: str) -> frozenset[str]:
    """Return all words and numbers of a text in small letters, numbers spelt alike.

    Examples:
        >>> sorted(tokens("The 1,054 sqft of it"))
        ['1054', 'it', 'of', 'sqft', 'the']
    """
    return frozenset(map(_plain, _WORD.findall(text.lower())))


def terms_of(words: Iterable[str]) -> frozenset[str]:
    """Return the terms among the tokens of a text."""
    return frozenset(_terms(words))


def key_terms(keys: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words of identifiers.

    Examples:
        >>> sorted(key_terms(["durationMinutes", "pets_allowed"]))
        ['allow', 'durat', 'minut', 'pet']
    """
    return terms(" ".join(_HUMP.sub(" ", key) for key in keys))


def _plain(word: str) -> str:
    return plain_number(word) if word[0].isdigit() else word


def _terms(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if word[0].isdigit():
            yield plain_number(word)
        elif len(word) >= _SHORTEST and word not in COMMON:
            yield stem(word)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text, spelt alike.

    Examples:
        >>> sorted(numbers("756,000 visitors on 01.50 hectares"))
        ['1.5', '756000']
    """
    return frozenset(map(plain_number, _NUMBER.findall(text)))


def plain_number(text: str) -> str:
    """Return a number without marks of thousands and zeros that say nothing.

    Examples:
        >>> plain_number("1,250.00"), plain_number("007")
        ('1250', '7')
    """
    whole, point, rest = text.replace(",", "").partition(".")
    rest = rest.rstrip("0") if rest.isdigit() else rest
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a word without its ending."""
    found: str = _STEMMER.stemWord(word)
    return found
