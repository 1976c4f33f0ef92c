"""Mentions of values in an answer that is read, and what its words are about."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from stb_env.reading.moments import clocks, days
from stb_env.reading.numerals import numbers
from stb_env.reading.statement import Statement, statements
from stb_env.suites.sandbox.answers import fold, stem
from stb_env.suites.sandbox.records import Records
from stb_env.suites.sandbox.vocabulary import GENERIC

MOST_VALUES = 8
"""Values of a kind besides those of the query; more of them are guesses."""

_BEFORE_LOSER = re.compile(
    r"\b(?:than|over|behind|beats?|beat|ahead of|unlike|instead of|not)\s+(?:the |at )?$"
)
_TOKEN = re.compile(r"[^\W\d_]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_REPEATED = 20
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_DIGITS = re.compile(r"\d+")
_JOINED = re.compile(r"^\W*(?:(?:or|and|but|either|so|then|however|option [ab]:?)\s+)*")
WORKING = re.compile(r"[=≈×÷]|\s[x*+]\s|\d\s?[x*+]\s?\d")
"""A mark of a working."""
_STRUCK = re.compile(r"~~[^~]{1,400}~~|<!--.{0,4000}?(?:-->|$)", re.DOTALL)
_ANY_YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")


class Mention(NamedTuple):
    """A value in an answer.

    Attributes:
        said: As the answer has it.
        start: Where it begins.
        end: Where it ends.
        known: Whether it is one of the fact's competitors.
        asked: Whether the query has it, too.
        again: Whether the answer has it in another unit as well, so that "or" offers nothing else.
    """

    said: str
    start: int
    end: int
    known: bool = False
    asked: bool = False
    again: bool = False


class Text(NamedTuple):
    """An answer that is read: folded, with its statements, beside the query.

    Attributes:
        folded: It without case and accents.
        said: Its statements.
        query: The query.
        records: What the calls returned, which explains values beside the right one.
    """

    folded: str
    said: tuple[Statement, ...]
    query: str
    records: Records = Records()

    @property
    def asked(self) -> frozenset[str]:
        """The words and years of the query but for the names in it; few answers need them."""
        return _words_asked(self.query)


_HALF_DAY = re.compile(r"\b([ap])\.m\.(?=\s+[A-Z])")
"""Ends a sentence as well: only the capital letter behind it tells."""


@lru_cache(maxsize=128)
def read(answer: str, query: str) -> Text:
    """Return an answer ready to be read; what it repeats of the query word for word is left out."""
    folded = _folded(answer)
    for part in _repeatable(query):
        if part in folded:
            folded = folded.replace(part, " " * len(part))
    return Text(folded, statements(folded), query)


def unread(text: str) -> Text:
    """Return a text in which values can be found; what it says of them, which takes longest, is not read."""
    return Text(_folded(text), (), "")


def _folded(text: str) -> str:
    folded = fold(_HALF_DAY.sub(r"\1m.", text))
    return _STRUCK.sub(lambda match: " " * len(match[0]), folded)


@lru_cache(maxsize=128)
def _repeatable(query: str) -> tuple[str, ...]:
    """Return the query and its long sentences."""
    asked = fold(query)
    parts = (asked, *(part for part in _SENTENCE.split(asked) if len(part) > _REPEATED))
    return tuple(filter(None, parts))


@lru_cache(maxsize=128)
def _words_asked(query: str) -> frozenset[str]:
    asked = fold(query)
    named = {word.casefold() for word in re.findall(r"(?<=[\w,] )[A-Z]\w+", query)}
    words = stems(asked) - frozenset(map(stem, named))
    return words | frozenset(_ANY_YEAR.findall(asked))


@lru_cache(maxsize=128)
def crowded(folded: str, query: str, wanted: int) -> bool:
    """Return whether an answer has more numbers, dates and times than anyone gives who knows."""
    free = {number.quantity.value for number in numbers(folded)}
    said = [moment.values for read in (days, clocks) for moment in read(folded)]
    if len(free) <= MOST_VALUES + wanted and len(free) + len(said) <= 2 * MOST_VALUES + wanted:
        # Whatever the query has of them.
        return False
    free -= {number.quantity.value for number in numbers(fold(query))}
    return len(free) > MOST_VALUES + wanted or len({*free, *said}) > 2 * MOST_VALUES + wanted


def mirrored(text: Text, *, one: bool = False) -> str:
    """Return a clause that another one repeats with other figures, or an empty string.

    Args:
        text: The answer.
        one: Whether only clauses count that differ in a single figure.

    Such clauses contradict each other where nothing but the figures could tell what each is about.
    """
    seen: dict[str, str] = {}
    before: Statement | None = None
    for part in text.said:
        if (
            part.stance not in ("retracted", "quoted")
            and _DIGITS.search(part.text)
            and not WORKING.search(part.text)
        ):
            clause = _JOINED.sub("", part.text)
            if text.folded[part.start - 1 : part.start] == "(" or (
                before
                and before.sentence == part.sentence
                and not _DIGITS.search(before.text)
                and stems(before.text)
            ):
                # "The suit (it was 10 March) and the permit (it was 22 March)": each is said of its own.
                clause = _JOINED.sub("", f"{before.text if before else ''} {clause}")
            shape = _FIGURE.sub("0", clause)
            first = _FIGURE.findall(seen.setdefault(shape, clause))
            apart = sum(a != b for a, b in zip(first, _FIGURE.findall(clause), strict=True))
            other = shape.count(" ") > 2 and (apart == 1 if one else apart)
            if other and not text.records.pair(text.folded, part.start, part.end):
                return part.text[:80]
        before = part
    return ""


def loses(text: Text, mention: Mention) -> bool:
    """Return whether a name is what another is compared with ("cheaper than NAME")."""
    return _BEFORE_LOSER.search(text.folded, max(0, mention.start - 24), mention.start) is not None


def stems(folded: str) -> frozenset[str]:
    """Return the stems of the words of a folded text that are about something."""
    return content(frozenset(_TOKEN.findall(folded)))


def content(words: frozenset[str]) -> frozenset[str]:
    """Return the stems of the words that are about something: no pronouns, and no words of any answer."""
    return frozenset(
        stem(word)
        for word in words
        if len(word) > 1 and word not in GENERIC and not (word.endswith("ly") and len(word) > 4)
    )
