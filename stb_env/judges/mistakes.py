"""What an answer says that the data do not: values from nowhere, and values of something else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from stb_env.judges.atoms import Atom, atoms
from stb_env.judges.cues import COMMON
from stb_env.judges.facts import Fact, Facts
from stb_env.judges.reckoning import follows, magnified
from stb_env.judges.terms import terms, tokens
from stb_env.reading.statement import Statement

_COPULA = re.compile(r"(?:\b(?:is|are|was|were|of|at)|[:=])\s*[\"'“*_`(]*$")
_COUNTED = re.compile(r"\s+(?:[^\W\d_]+\s+){0,2}?[^\W\d_]{2,}s\b")
_LABEL = re.compile(r"\s*[*_]*\s*(?::(?!\S)|\||$)")
_HEADER = re.compile(r"\n\s*\|[\s:|-]+(?:\n|$)")
_ROW = re.compile(r"^\s*\||\|.*\|")
_BEFORE, _AFTER = 8, 40
_FEW = 5
_SAID = ("asserted", "hedged", "alternative", "retracted")


class Mistake(NamedTuple):
    """Something that an answer has no right to say.

    Attributes:
        kind: ``invented`` where it is nowhere in the data, ``misplaced`` where it is of something else.
        text: What was read.
    """

    kind: str
    text: str


class Reading(NamedTuple):
    """An answer held against data.

    Attributes:
        mistake: The first thing that is wrong with it.
        derived: Its numbers that follow from the data and do not stand there.
    """

    mistake: Mistake | None
    derived: frozenset[str]


def read_mistakes(text: str, said: Sequence[Statement], facts: Facts) -> Reading:
    """Hold what an answer says against the data.

    Examples:
        >>> from stb_env.reading.statement import statements
        >>> rows = {"teams": [{"name": "Ferns", "goals": 12}, {"name": "Hawks", "goals": 31}]}
        >>> facts = Facts([rows], "Who won?")
        >>> for text in ("The Hawks made 31 goals.", "The Hawks made 12 goals.", "The Hawks made 32 goals."):
        ...     print(read_mistakes(text, statements(text), facts).mistake)
        None
        Mistake(kind='misplaced', text='12')
        Mistake(kind='invented', text='32')
    """
    derived: set[str] = set()
    for _, group in groupby((one for one in said if one.stance in _SAID), key=lambda one: one.sentence):
        sentence = _Sentence(text, list(group), facts)
        mistake = next(sentence.mistakes(), None)
        derived |= sentence.derived
        if mistake is not None:
            return Reading(mistake, frozenset(derived))
    return Reading(None, frozenset(derived))


class _Sentence:
    def __init__(self, text: str, parts: list[Statement], facts: Facts) -> None:
        self.text = text
        self.start, self.end = parts[0].start, parts[-1].end
        self.said = text[self.start : self.end]
        self.facts = facts
        self.derived: set[str] = set()
        self.row = _ROW.search(self.said) is not None
        clauses = [(self.start, self.end)] if self.row else [(part.start, part.end) for part in parts]
        self.clauses = [
            [replace(atom, start=atom.start + start, end=atom.end + start) for atom in atoms(text[start:end])]
            for start, end in clauses
        ]

    def mistakes(self) -> Iterator[Mistake]:
        beside = [float(atom.text) for atom in self._all() if atom.kind == "number"]
        before: list[Atom] = []
        for clause in self.clauses:
            own = [atom for atom in clause if atom.kind != "number"]
            for atom in clause:
                if not self._explained(atom, beside):
                    yield Mistake("invented", atom.text)
                elif self._misnamed(atom) or self._misplaced(atom, own or before):
                    yield Mistake("misplaced", atom.text)
            before += own

    def _all(self) -> Iterator[Atom]:
        for clause in self.clauses:
            yield from clause

    def _explained(self, atom: Atom, beside: Sequence[float]) -> bool:
        if atom.kind == "name":
            return not self._is_invented_name(atom)
        if self.facts.hold(atom):
            return True
        if atom.kind == "code":
            return self._is_compound(atom)
        if atom.kind != "number":
            return False
        after = self.text[atom.end : atom.end + _AFTER]
        others = [value for value in beside if value != float(atom.text)]
        value = float(atom.text)
        if (
            any(magnified(one, atom.text, after) for one in self.facts.values)
            or follows(atom.text, self.said, after, others, self.facts.values)
            or (_COUNTED.match(after) and (value in self.facts.lengths or value <= _FEW))
        ):
            self.derived.add(atom.text)
            return True
        return False

    def _is_invented_name(self, atom: Atom) -> bool:
        """Return whether no word of two or more that are written as a name can come from anywhere."""
        words = [word for word in atom.text.split() if word not in COMMON]
        unknown = [word for word in words if not self._known(word)]
        if len(words) < 2 or not unknown or len(unknown) < len(words) / 2:
            return False
        return not self._is_label(atom)

    def _known(self, word: str) -> bool:
        return tokens(word) <= self.facts.words or terms(word) <= self.facts.stems

    def _is_label(self, atom: Atom) -> bool:
        """Return whether a name says what follows: before a colon, or at the head of a table or row."""
        if _LABEL.match(self.text, atom.end) is None:
            return False
        return not self.row or _HEADER.match(self.text, self.end) is not None or self._opens_row(atom)

    def _opens_row(self, atom: Atom) -> bool:
        return self.text[self.start : atom.start].strip(" |*_") == ""

    def _is_compound(self, atom: Atom) -> bool:
        """Return whether each part of a code is known: "7-letter", "2017/18"."""
        parts = tokens(atom.text)
        return all(
            part in self.facts.words or (not part[0].isdigit() and len(part) > 2) for part in parts
        ) or ("-" in atom.text and all(not part[0].isdigit() or len(part) == 1 for part in parts))

    def _misnamed(self, atom: Atom) -> bool:
        """Return whether the words right before an atom name another member than those that have it."""
        opening = self._opening(atom)
        if _COPULA.search(opening) is None or self.facts.given.holds(atom):
            return False
        label = terms(" ".join(opening.split()[-_BEFORE:]))
        named = [fact for fact in self.facts.all if fact.key and fact.key <= label]
        most = max((len(fact.key) for fact in named), default=0)
        named = [fact for fact in named if len(fact.key) == most and _alike(fact, atom)]
        if not named or any(fact.holds(atom) for fact in named):
            return False
        where = self.facts.where(atom)
        near = label | terms(self.text[atom.end : atom.end + _AFTER])
        keys = frozenset[str]().union(*(fact.key for fact in named))
        return bool(where) and not any(
            not fact.key or fact.key <= label or (fact.path - keys) & near for fact in where
        )

    def _opening(self, atom: Atom) -> str:
        begun = max((one.end for one in self._all() if one.end <= atom.start), default=self.start)
        return self.text[max(begun, self.start) : atom.start]

    def _misplaced(self, atom: Atom, handles: Iterable[Atom]) -> bool:
        """Return whether an atom is of another record than all the things that it is said of."""
        if self.facts.given.holds(atom):
            return False
        where = self.facts.where(atom)
        compared = False
        for handle in handles:
            if handle is atom or self.facts.given.holds(handle):
                continue
            pairs = [
                (one, other) for one in where for other in self.facts.where(handle) if _comparable(one, other)
            ]
            if any(_together(one, other) for one, other in pairs):
                return False
            compared = compared or bool(pairs)
        return compared and all(fact.records for fact in where)


def _alike(fact: Fact, atom: Atom) -> bool:
    return bool(fact.numbers) == (atom.kind == "number")


def _comparable(one: Fact, other: Fact) -> bool:
    """Return whether two values are of one list, and not the same member of its records."""
    lists = {number for number, _ in one.records} & {number for number, _ in other.records}
    return bool(lists) and one.name != other.name


def _together(one: Fact, other: Fact) -> bool:
    lists = {number for number, _ in one.records} & {number for number, _ in other.records}
    return {record for record in one.records if record[0] in lists} == {
        record for record in other.records if record[0] in lists
    }
