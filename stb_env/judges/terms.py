"""Tokens of a text: words, names, numbers, codes and addresses, and the stems of words."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from stb_env.judges.cues import COMMON

# Runs of letters and digits, held together by single marks: names, numbers, dates, codes, addresses.
_TOKEN = re.compile(r"[^\W_]+(?:[-.,:/@'’+_&=?%#~][^\W_]+)*")
_PIECE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CLOCK = re.compile(r"(?<=\d)[Tt](?=\d)|(?<=\d)[Zz]\b")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_MARKER = re.compile(r"^[ \t]*\d{1,3}[.)] ", re.MULTILINE)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_STEMMER = snowballstemmer.stemmer("porter")
# A stemmer keeps the word that it works on; two threads at once would mix theirs.
_STEMMING = threading.Lock()
_SHORTEST = 3
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a text.

    Attributes:
        text: The token in small letters, a number in its shortest form.
        pieces: Its words and numbers.
        numeric: Whether it has a digit.
        specific: Whether it is a number, a code, an address or a name, and no plain word.
    """

    text: str
    pieces: tuple[str, ...]
    numeric: bool
    specific: bool


def read(text: str) -> list[Token]:
    """Return the tokens of one sentence or value; a large letter at its start makes no name.

    Examples:
        >>> [token.text for token in read("The fee of 1,054.50 is due on 2024-05-01T10:00Z at Oslo.")]
        ['the', 'fee', 'of', '1054.5', 'is', 'due', 'on', '2024-05-01', '10:00', 'at', 'oslo']
        >>> [token.text for token in read("The Oslo bus 31 is full") if token.specific]
        ['oslo', '31']
    """
    found: list[Token] = []
    for word in _TOKEN.findall(_CLOCK.sub(" ", text)):
        found.append(_token(word[:_LONGEST], not found))
    return found


@lru_cache(maxsize=50_000)
def _token(word: str, is_first: bool) -> Token:
    word = word.removesuffix("'s").removesuffix("’s")
    plain = plain_number(word)
    pieces = (plain,) if word.isalpha() else tuple(map(plain_number, _PIECE.findall(word)))
    numeric = any(map(str.isdecimal, word))
    marked = numeric or any(map(str.isupper, word[1:]))
    return Token(plain, pieces, numeric, marked or (not is_first and len(word) > 1 and word[0].isupper()))


def sentences(text: str) -> list[list[Token]]:
    """Return the tokens of each sentence and line of a text, without the numbers of a list's items.

    Examples:
        >>> [[token.text for token in sentence] for sentence in sentences("1. It rains. It pours.")]
        [['it', 'rains'], ['it', 'pours']]
    """
    return [sentence for sentence in map(read, split(text)) if sentence]


def split(text: str) -> list[str]:
    """Return the sentences and lines of a text as they are, without the numbers of a list's items."""
    return _SENTENCE.split(_MARKER.sub("", text))


def plain_number(text: str) -> str:
    """Return a number in its shortest form, another token in small letters.

    Examples:
        >>> plain_number("1,250.00"), plain_number("007"), plain_number("10:30"), plain_number("B-12")
        ('1250', '7', '10:30', 'b-12')
    """
    if _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if not _NUMBER.fullmatch(text):
        return text.lower()
    whole, _, rest = text.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{rest}" if rest else "")


def terms(text: str) -> frozenset[str]:
    """Return the stems of a text's words and its numbers, those aside that say nothing.

    Examples:
        >>> sorted(terms("Which ferries cross to Harwich on 1 June?"))
        ['1', 'cross', 'ferri', 'harwich', 'june']
    """
    return frozenset(term(plain_number(piece)) for piece in _PIECE.findall(text)) - {""}


def key_terms(keys: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words of identifiers.

    Examples:
        >>> sorted(key_terms(["durationMinutes", "pets_allowed"]))
        ['allow', 'durat', 'minut', 'pet']
    """
    return terms(" ".join(_HUMP.sub(" ", key) for key in keys))


@lru_cache(maxsize=50_000)
def term(word: str) -> str:
    """Return the stem of a word in small letters; nothing where any text has the word.

    Examples:
        >>> term("crossings"), term("the")
        ('cross', '')
    """
    if word[0].isdecimal():
        return word
    if len(word) < _SHORTEST or word in COMMON:
        return ""
    with _STEMMING:
        stem: str = _STEMMER.stemWord(word[:_LONGEST])
    return stem
