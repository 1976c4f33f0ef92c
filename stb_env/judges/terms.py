"""What a text is about: the stems of its words, without those that any text has."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import lru_cache

import snowballstemmer

from stb_env.judges.cues import COMMON

_WORD = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STEMMER = snowballstemmer.stemmer("porter")
# A stemmer keeps the word that it works on; two threads at once would mix theirs.
_STEMMING = threading.Lock()
_SHORTEST = 3


def tokens(text: str) -> frozenset[str]:
    """Return all words and numbers of a text in small letters, numbers spelt alike.

    Examples:
        >>> sorted(tokens("The 1,054 sqft of it"))
        ['1054', 'it', 'of', 'sqft', 'the']
    """
    return frozenset(map(_spelt, _WORD.findall(text.lower())))


def terms(text: str) -> frozenset[str]:
    """Return the stems of a text's words and its numbers, those aside that say nothing.

    Examples:
        >>> sorted(terms("Which ferries cross to Harwich on 1 June?"))
        ['1', 'cross', 'ferri', 'harwich', 'june']
    """
    return terms_of(tokens(text))


def terms_of(words: Iterable[str]) -> frozenset[str]:
    """Return the terms among tokens."""
    return frozenset(map(term, words)) - _NOTHING


def key_terms(keys: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words of identifiers.

    Examples:
        >>> sorted(key_terms(["durationMinutes", "pets_allowed"]))
        ['allow', 'durat', 'minut', 'pet']
    """
    return terms(" ".join(_HUMP.sub(" ", key) for key in keys))


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text, spelt alike.

    Examples:
        >>> sorted(numbers("756,000 visitors on 01.50 hectares"))
        ['1.5', '756000']
    """
    return frozenset(map(_spelt, _NUMBER.findall(text)))


def plain_number(text: str) -> str:
    """Return a number without marks of thousands and zeros that say nothing.

    Examples:
        >>> plain_number("1,250.00"), plain_number("007")
        ('1250', '7')
    """
    whole, point, rest = text.replace(",", "").partition(".")
    rest = rest.rstrip("0") if rest.isdigit() else rest
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


_NOTHING = frozenset({""})


@lru_cache(maxsize=100_000)
def _spelt(word: str) -> str:
    return plain_number(word) if word[0].isdigit() else word


@lru_cache(maxsize=100_000)
def term(word: str) -> str:
    """Return what a token is about; nothing where any text has it.

    Examples:
        >>> term("crossings"), term("the")
        ('cross', '')
    """
    if word[0].isdigit():
        return word
    if len(word) < _SHORTEST or word in COMMON:
        return ""
    with _STEMMING:
        stem: str = _STEMMER.stemWord(word)
    return stem
