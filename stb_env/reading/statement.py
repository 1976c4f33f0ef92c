"""Statements: the clauses of a text, and what the speaker does with each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

from stb_env.reading import cue
from stb_env.reading.dump import dumps
from stb_env.reading.sentence import Span, clauses, sentences

Stance = Literal["asserted", "denied", "hedged", "alternative", "retracted", "asked", "quoted"]
"""What a speaker does with a clause: ``quoted`` is raw data that he pastes."""

_WORD = re.compile(r"[^\W_]+")
_NO = re.compile(r"\W*(?:no|nope)\b")
_IF = re.compile(r"\W*(?:and |but |or )?(?:if|unless)\b")
_OR = re.compile(r"or\b")
_QUOTED = re.compile(r"[\"“‘«]")
_EMPTY_WORDS = """
i am m was only just that this it of but so though be can could t s about any all quite really not
very completely entirely them these what said is to the my a an in for however absolutely and do don
know here there on myself those at ll say told you or no ca does did would wouldn couldn even well
then again too honestly frankly afraid either sure certain bit
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_SHORT = 3
"""Words of a sentence too short to be all that a word such as "maybe" before it is about."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause of a text.

    Attributes:
        text: The clause as written, with the word that joins it to the one before.
        stance: What the speaker does with it.
        start: Where in the whole text it begins.
        scope: Where in the whole text that begins which the stance is about; in "NW110 is not the first",
            "NW110" stands before it.
        sentence: Number of its sentence, from 0.
        framed: Whether the stance is that of the whole sentence or text ("it is not true that"), not that
            of a negation inside the clause.
        corrects: Whether it may put something in the place of what was said ("actually", "in fact").
    """

    text: str
    stance: Stance
    start: int
    scope: int
    sentence: int
    framed: bool = False
    corrects: bool = False

    @property
    def end(self) -> int:
        """Where in the whole text it ends."""
        return self.start + len(self.text)


@lru_cache(maxsize=128)
def statements(text: str) -> tuple[Statement, ...]:
    """Return the clauses of a text with what the speaker does with each; upper and lower case are one.

    A verdict on something said ("that is wrong") is about all before it, or about all after it where it
    stands first; a doubt ("maybe", "I am not sure") is about its sentence; a negation is about its clause.

    Examples:
        >>> [(part.text, part.stance) for part in statements("It is not 9:00 but 14:05. Or maybe 15:00.")]
        [('It is not 9:00', 'denied'), ('but 14:05', 'asserted'), ('Or maybe 15:00', 'hedged')]
        >>> [part.stance for part in statements("It costs 12. Actually, all of the above is wrong.")][0]
        'retracted'
        >>> [part.stance for part in statements("No fee applies; it is not far, and costs 12.")]
        ['asserted', 'asserted', 'asserted']
    """
    folded = text.lower()
    if len(folded) != len(text):
        # One letter, the dotted capital I, is two when it is small.
        folded = "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
    return tuple(_Reader(text, folded).read())


def statement_at(said: tuple[Statement, ...], place: int) -> Statement:
    """Return the statement that a place of its text is in, or the last before it.

    Examples:
        >>> statement_at(statements("It rains. It is cold."), 12).text
        'It is cold'
    """
    return said[index_at(said, place)]


def index_at(said: tuple[Statement, ...], place: int) -> int:
    """Return the number of the statement that a place of its text is in, or of the last before it."""
    return max(0, bisect_right(said, place, key=lambda one: one.start) - 1)


class _Attitude(NamedTuple):
    """What a sentence is as a whole.

    Attributes:
        stance: Of its clauses.
        place: From where on.
        before: Whether it takes back what was said before.
        after: Whether it goes on to the end of the text.
    """

    stance: Stance = "asserted"
    place: int = 0
    before: bool = False
    after: bool = False


class _Reader:
    def __init__(self, text: str, folded: str) -> None:
        self.text = text
        self.folded = folded
        self.made: list[Statement] = []
        self.taken_back = 0
        self.rest: Stance | None = None
        self.number = 0

    def read(self) -> Iterator[Statement]:
        begun = 0
        for start, end in dumps(self.text):
            self._prose(begun, start)
            self.made.append(Statement(self.text[start:end], "quoted", start, start, self.number))
            self.number += 1
            begun = end
        self._prose(begun, len(self.text))
        for index, made in enumerate(self.made):
            yield replace(made, stance="retracted", framed=True) if index < self.taken_back else made

    def _prose(self, start: int, end: int) -> None:
        plain = not cue.any_in(self.folded[start:end])
        for sentence in sentences(self.text, start, end):
            if plain:
                self._put(sentence, _Attitude(self.rest or "asserted"), plain=True)
            else:
                self._sentence(sentence)
            self.number += 1

    def _sentence(self, sentence: Span) -> None:
        attitude = self._attitude(sentence)
        if attitude.before:
            self.taken_back = len(self.made)
        self._put(sentence, attitude, plain=False)
        if attitude.before and attitude.place > sentence.start:
            self.taken_back += sum(made.end <= attitude.place for made in self.made[self.taken_back :])
        if attitude.after:
            self.rest = attitude.stance

    def _put(self, sentence: Span, attitude: _Attitude, plain: bool) -> None:
        for clause in clauses(self.text, sentence):
            stance, scope = attitude.stance, clause.start
            if clause.end <= attitude.place:
                stance = "asserted"
            if sentence.mark == "?" and stance != "denied":
                stance = "asked"
            elif self.rest:
                stance = self.rest
            elif not plain and stance == "asserted":
                stance, scope = self._clause(clause)
            corrects = not plain and cue.CORRECTS.search(self.folded[clause.start : clause.end]) is not None
            framed = stance == (self.rest or attitude.stance) != "asserted"
            text = self.text[clause.start : clause.end]
            self.made.append(Statement(text, stance, clause.start, scope, self.number, framed, corrects))

    def _clause(self, clause: Span) -> tuple[Stance, int]:
        words = self.folded[clause.start : clause.end]
        if _IF.match(words):
            return "hedged", clause.start
        found = cue.NEGATION.search(cue.HARMLESS.sub(lambda match: "_" * len(match[0]), words))
        if found:
            return "denied", clause.start + found.start()
        if _OR.match(words):
            return "alternative", clause.start
        return "asserted", clause.start

    def _attitude(self, sentence: Span) -> _Attitude:
        words = self.folded[sentence.start : sentence.end]
        if not self._said() and cue.LABELLED.match(words):
            return _Attitude("denied", sentence.start, after=True)
        found = cue.VERACITY.search(words)
        if found and not cue.NOT_UNTRUE.search(words):
            return self._judged(sentence, words, found)
        for pattern, stance in _DOUBTS:
            found = pattern.search(words)
            if found:
                return self._doubted(sentence, words, found, stance)
        found = cue.CORRECTION.search(words)
        if found:
            return _Attitude("asserted", sentence.start + found.start(), before=True)
        return self._postponed(sentence)

    def _postponed(self, sentence: Span) -> _Attitude:
        for index, clause in enumerate(clauses(self.text, sentence)):
            words = self.folded[clause.start : clause.end]
            if (index or self._said()) and cue.POSTPONED.match(words):
                return _Attitude("retracted", clause.start, before=True)
        return _Attitude()

    def _judged(self, sentence: Span, words: str, found: re.Match[str]) -> _Attitude:
        """Read a verdict on something said: is it about what comes before it or about what comes after?"""
        head, tail = words[: found.start()], words[found.end() :]
        place = sentence.start + found.start()
        follows = cue.FOLLOWS.search(words) is not None
        if self._opens(tail):
            told = _weighs(cue.THAT.sub("", tail, count=1))
            whole = (
                follows or sentence.mark == ":" or told <= _SHORT or ":" in tail[:3] or _QUOTED.search(tail)
            )
            return _Attitude("denied", sentence.start, after=bool(whole))
        if self._said() or _weighs(head) > _SHORT:
            return _Attitude("retracted", place, before=True, after=follows)
        if _NO.match(words) and ":" not in tail and not follows:
            return _Attitude("denied", place)
        return _Attitude("denied", sentence.start, after=True)

    def _opens(self, tail: str) -> bool:
        if cue.THAT.match(tail):
            return True
        return not self._said() and ":" in tail[:40] and _weighs(tail) > 0

    def _doubted(self, sentence: Span, words: str, found: re.Match[str], stance: Stance) -> _Attitude:
        tail = words[found.end() :]
        about = _told(words[: found.start()]) + _told(tail)
        part = words.rfind(";", 0, found.start()) + 1
        if part and not _has_digit(words[part:]) and _told(words[part : found.start()] + tail) > 1:
            # "It costs 12; breakfast may be extra" doubts only what stands behind the semicolon.
            return _Attitude(stance, sentence.start + part)
        if stance == "alternative":
            return _Attitude(stance, sentence.start + found.start(), after=True)
        if not about and not _has_digit(words):
            # "Maybe." or "Not sure, though." is about everything.
            return _Attitude("hedged", sentence.start, before=True, after=True)
        return _Attitude(stance, sentence.start, after=about < _SHORT or tail.lstrip(" ").startswith(":"))

    def _said(self) -> bool:
        first = self.made[:8]
        return (
            any(_has_digit(made.text) for made in first)
            or sum(_weighs(made.text) for made in first) >= _SHORT
        )


_DOUBTS: tuple[tuple[re.Pattern[str], Stance], ...] = (
    (cue.HEDGE, "hedged"),
    (cue.ALTERNATIVE, "alternative"),
)


def _weighs(text: str) -> int:
    """Return how many words a text has, no more than a few more than matter."""
    return sum(1 for _, _ in zip(_WORD.finditer(text), range(_SHORT + 1), strict=False))


def _told(text: str) -> int:
    """Return how many words of a text are about anything but the speaker and what he said."""
    return sum(match[0] not in _EMPTY for match in _WORD.finditer(text))


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)
