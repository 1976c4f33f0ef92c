"""What a text says in words: names, codes and polarity, whatever their form. Pure readers of free text."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import snowballstemmer

from stb_env.reading.fold import fold as fold

LONGEST = 4_000
"""Characters of an answer; a longer one is a dump in which any fact could be found."""

_stemmer = snowballstemmer.stemmer("english")
# A stemmer keeps the word that it works on; two threads at once would mix theirs.
_stemming = threading.Lock()
_WORD = re.compile(r"[^\W_]+")
_LETTER = re.compile(r"\S")
_YES = frozenset({"yes", "yeah", "yep", "yup", "correct", "true", "indeed", "affirmative"})
_NO = frozenset({"no", "nope", "not", "never", "false", "incorrect", "cannot", "negative"})
_POLAR = re.compile(r"[a-z]+(?:['’]t)?")
_NEGATED = re.compile(r"n['’]t")
_IN_WORD = re.compile(r"\w")
_CODED = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_GAP = 3
"""Characters that may stand between two of a code."""
_EXIT = re.compile(r"(?<![\w+])00(?=\d)")


class Place(NamedTuple):
    """Where in a text something stands."""

    start: int
    end: int


@lru_cache(maxsize=1024)
def plain(text: str) -> str:
    """Return the words of a text between single blanks, blanks at both ends included.

    Examples:
        >>> plain("Café-Bar «Éire»")
        ' cafe bar eire '
    """
    return f" {' '.join(_WORD.findall(fold(text)))} "


def named(text: str, candidates: Iterable[str]) -> set[str]:
    """Return which candidates a text names; one inside a longer one that is named does not count.

    Examples:
        >>> sorted(named("The Blue Stag Hotel", ["Stag", "Blue Stag Hotel", "Heron"]))
        ['Blue Stag Hotel']
    """
    return {candidate for candidate, _ in names_in(fold(text), candidates)}


def names_in(folded: str, candidates: Iterable[str]) -> Iterator[tuple[str, Place]]:
    """Yield every candidate that a folded text names, with each place of it, as `named` counts them."""
    words, places = _words(folded)
    for candidate in sorted(candidates, key=lambda item: (-len(item), item)):
        needle = plain(candidate)
        found = words.find(needle)
        while found >= 0:
            first = _words_before(words, found)
            last = first + needle.count(" ") - 2
            yield candidate, Place(places[first].start, places[last].end)
            words = words[:found] + _LETTER.sub(";", needle) + words[found + len(needle) :]
            found = words.find(needle, found)


def forwards(folded: str, names: Iterable[str]) -> str:
    """Return a folded text in which no name has its last word first; nothing in it changes its place.

    Examples:
        >>> forwards("the cast: doe, jane; ray, bob.", ["Jane Doe", "Bob Ray"])
        'the cast: jane doe ; bob ray .'
    """
    if ", " not in folded:
        return folded
    for name in names:
        first, _, last = fold(name).rpartition(" ")
        if first and f"{last}, {first}" in folded:
            turned = re.compile(
                rf"(?<![\w,] ){re.escape(last)}, {re.escape(first)}(?=\s*(?:[;.|)\n]|and\b|$))"
            )
            folded = turned.sub(f"{first} {last} ", folded)
    return folded


def _words_before(words: str, place: int) -> int:
    return words.count(" ", 0, place)


@lru_cache(maxsize=64)
def _words(folded: str) -> tuple[str, tuple[Place, ...]]:
    found = list(_WORD.finditer(folded))
    return (
        f" {' '.join(match[0] for match in found)} ",
        tuple(Place(match.start(), match.end()) for match in found),
    )


def lemmas_in(folded: str, name: str) -> Iterator[Place]:
    """Yield each place where the words of a name stand in any of their forms ("foggy" for "fog")."""
    wanted = [stem(word) for word in plain(name).split()]
    places = _words(folded)[1]
    said = [stem(folded[place.start : place.end]) for place in places]
    for index in range(len(said) - len(wanted) + 1):
        if said[index : index + len(wanted)] == wanted:
            yield Place(places[index].start, places[index + len(wanted) - 1].end)


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return what the forms of a word share.

    Examples:
        >>> {stem(word) for word in ("drizzle", "drizzly")}, stem("foggy"), stem("rains")
        ({'drizzl'}, 'fog', 'rain')
    """
    with _stemming:
        found: str = _stemmer.stemWord(word)
    if found.endswith("i") and len(found) > 3:
        found = found[:-1]
        if found[-1] == found[-2] and len(found) == 4:
            found = found[:-1]
    return found


def has_code(text: str, code: str) -> bool:
    """Return whether a text has a code, however blanks and dashes divide it; ``00`` may stand for ``+``.

    Examples:
        >>> has_code("Call +44 (0123) 45-67.", "+44 0123 4567"), has_code("NW1101", "NW110")
        (True, False)
        >>> has_code("0044 0123 4567", "+44 0123 4567")
        True
    """
    return code_at(fold(text), code) is not None


def code_at(folded: str, code: str) -> Place | None:
    """Return the first place of a code in a folded text."""
    return next(codes_at(folded, code), None)


def codes_at(folded: str, code: str) -> Iterator[Place]:
    """Yield each place of a code in a folded text."""
    parts = compact(code)
    if parts not in compact(folded):
        return
    # Every code is another one: a pattern would be compiled for each, which costs more than this search.
    text = _EXIT.sub(" +", folded)
    places = [place for place, char in enumerate(text) if char in _CODED or char in parts]
    coded = "".join(map(text.__getitem__, places))
    found = coded.find(parts)
    while found >= 0:
        place = _code_between(text, places[found : found + len(parts)])
        if place:
            yield place
        found = coded.find(parts, found + (len(parts) if place else 1))


def _code_between(text: str, places: Sequence[int]) -> Place | None:
    """Return from where to where a code stands whose characters have these places; None inside a word."""
    start, end = places[0], places[-1] + 1
    apart = any(after - before > _GAP + 1 for before, after in pairwise(places))
    if apart or _IN_WORD.match(text, end) or (start and _IN_WORD.match(text, start - 1)):
        return None
    signed = text[max(start - 1, 0)] == "+" and not (start > 1 and _IN_WORD.match(text, start - 2))
    return Place(start - signed, end)


def codes_like(folded: str, code: str) -> Iterator[Place]:
    """Yield each place of a folded text that has letters and digits as a code has them, one word long."""
    shape = _shape(code)
    if shape:
        yield from (Place(match.start(), match.end()) for match in shape.finditer(folded))


@lru_cache(maxsize=512)
def _shape(code: str) -> re.Pattern[str] | None:
    if "@" in code:
        return re.compile(r"[\w.+-]+@[\w.-]+\w")
    digits = sum(char.isdigit() for char in code)
    if digits > 6 and not any(char.isalpha() for char in code):
        return re.compile(rf"(?<![\w+])\+?\(?\d(?:[\s()/-]{{0,3}}\d){{{digits - 1}}}(?!\w)")
    if not re.fullmatch(r"[A-Za-z]+[-.]?\d+(?:\.\d+)?", code):
        return re.compile(r"(?<!\w)\d{1,3}[a-z](?!\w)") if re.fullmatch(r"\d+[A-Z]", code) else None
    parts = re.sub(r"\d+", r"\\d+", re.escape(fold(code)).replace("\\-", "-"))
    letters = re.match(r"[a-z]+", fold(code))
    width = len(letters[0]) if letters else 1
    return re.compile(rf"(?<![\w-])[a-z]{{{width}}}{parts[width:]}(?![\w-])")


@lru_cache(maxsize=512)
def compact(text: str) -> str:
    """Return the letters and digits of a text alone.

    Examples:
        >>> compact("0044 (0123) 45-67"), compact("NW 110")
        ('4401234567', 'nw110')
    """
    return "".join(plain(_EXIT.sub(" ", text)).split())


def polarity(text: str) -> bool | None:
    """Return whether the first clear word of a text says yes or no; None where none does.

    Examples:
        >>> polarity("Yes, it is."), polarity("It isn't"), polarity("Perhaps")
        (True, False, None)
    """
    for word in _POLAR.findall(fold(text)):
        if word in _YES:
            return True
        if word in _NO or _NEGATED.search(word):
            return False
    return None


def polarities(text: str) -> set[bool]:
    """Return what a text says anywhere: yes (True), no (False), both or neither.

    Examples:
        >>> sorted(polarities("Is it open, yes or no?"))
        [False, True]
    """
    text = fold(text)
    words = frozenset(_POLAR.findall(text))
    said = set()
    if words & _YES:
        said.add(True)
    if words & _NO or _NEGATED.search(text):
        said.add(False)
    return said
