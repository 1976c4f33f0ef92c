"""What an answer says that the data do not: values from nowhere, and values of something else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
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
_COLON = re.compile(r"\s*[*_]*\s*:(?!\S)")
_WORD = re.compile(r"[^\W\d_]+")
_HEADER = re.compile(r"\n\s*\|[\s:|-]+(?:\n|$)")
_ROW = re.compile(r"^\s*\||\|.*\|")
_BEFORE, _AFTER = 8, 40
_FEW = 5
_TWO = 2
_INSIDE = 5
_QUOTED = 2
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
        self.spans = [(self.start, self.end)] if self.row else [(part.start, part.end) for part in parts]
        self.clauses = [
            [replace(atom, start=atom.start + start, end=atom.end + start) for atom in atoms(text[start:end])]
            for start, end in self.spans
        ]

    def mistakes(self) -> Iterator[Mistake]:
        for index, clause in enumerate(self.clauses):
            handles = self._handles(index)
            for atom in clause:
                if not self._explained(atom):
                    yield Mistake("invented", atom.text)
                elif self._misnamed(atom) or self._misplaced(atom, handles):
                    yield Mistake("misplaced", atom.text)

    @cached_property
    def _atoms(self) -> list[Atom]:
        return [atom for clause in self.clauses for atom in clause]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word for word in tokens(self.said) - COMMON if not word[0].isdigit())

    def _where(self, atom: Atom) -> list[Fact]:
        """Return the values that an atom comes from: of a long text, only where more of it is told."""
        return [
            fact
            for fact in self.facts.where(atom)
            if not fact.prose or len(fact.words & self._words) >= _QUOTED + (atom.kind == "name")
        ]

    def _handles(self, index: int) -> list[tuple[Atom, list[Fact]]]:
        """Return what a clause is about: the things that it names itself, else those named around it."""
        own = self._things(self.clauses[index])
        if own:
            return own
        first, last = index, index
        while first > 0 and not self._parted(first):
            first -= 1
        while last + 1 < len(self.clauses) and not self._parted(last + 1):
            last += 1
        last = min(last, index + 1)
        return self._things(atom for clause in self.clauses[first : last + 1] for atom in clause)

    def _parted(self, index: int) -> bool:
        """Return whether a clause begins what has nothing to do with the one before."""
        return ";" in self.text[self.spans[index - 1][1] : self.spans[index][0] + 1]

    def _things(self, found: Iterable[Atom]) -> list[tuple[Atom, list[Fact]]]:
        things = [
            (atom, [fact for fact in self._where(atom) if not fact.prose])
            for atom in found
            if atom.kind != "number" and not self.facts.given.holds(atom)
        ]
        return [(atom, where) for atom, where in things if where]

    def _explained(self, atom: Atom) -> bool:
        match atom.kind:
            case "name":
                return not self._is_invented_name(atom)
            case "number":
                return self.facts.given.holds(atom) or bool(self._where(atom)) or self._follows(atom)
            case "code":
                return self.facts.hold(atom) or self._is_compound(atom)
        return self.facts.hold(atom)

    def _follows(self, atom: Atom) -> bool:
        value, after = float(atom.text), self.text[atom.end : atom.end + _AFTER]
        numbers = [float(one.text) for one in self._atoms if one.kind == "number"]
        beside = [number for number in numbers if number != value]
        near = self.text[max(self.start, atom.start - _AFTER) : min(self.end, atom.end + _AFTER)]
        counted = _COUNTED.match(after)
        if (
            any(magnified(one, atom.text, after) for one in self.facts.values)
            or follows(
                atom.text, self._without_keys(near), after, beside, self.facts.values, self.facts.query
            )
            or (counted and (value <= _FEW or self.facts.count(terms(counted[0]), value)))
        ):
            self.derived.add(atom.text)
            return True
        return False

    def _reckons(self, number: str, near: str, after: str, beside: Sequence[float]) -> bool:
        near = self._without_keys(near)
        return follows(number, near, after, beside, self.facts.values, self.facts.query)

    def _without_keys(self, near: str) -> str:
        """Return a text without the words that name members: "the total is 7" reckons nothing."""
        return _WORD.sub(lambda word: "" if word[0].lower() in self.facts.spelt else word[0], near)

    def _is_invented_name(self, atom: Atom) -> bool:
        """Return whether no word of two or more that are written as a name can come from anywhere."""
        words = [word for word in atom.text.split() if word not in COMMON]
        unknown = [word for word in words if not self._known(word)]
        if len(words) < _TWO or len(unknown) < len(words) / 2:
            return False
        return bool(unknown) and not self._is_label(atom)

    def _known(self, word: str) -> bool:
        if tokens(word) <= self.facts.words or terms(word) <= self.facts.stems:
            return True
        # Names are often run together in addresses and handles.
        return len(word) >= _INSIDE and word in self.facts.text

    def _is_label(self, atom: Atom) -> bool:
        """Return whether a name says what follows: before a colon, or at the head of a table."""
        if _COLON.match(self.text, atom.end):
            return True
        return self.row and _HEADER.match(self.text, self.end) is not None

    def _is_compound(self, atom: Atom) -> bool:
        """Return whether each part of a code is known: "7-letter", "2017/18"."""
        return all(part in self.facts.words or part.isalpha() for part in tokens(atom.text))

    def _misnamed(self, atom: Atom) -> bool:
        """Return whether the words right before an atom name another member than those that have it."""
        if self.facts.given.holds(atom):
            return False
        opening = self._opening(atom)
        last = opening.split()[-_BEFORE:]
        said, label = tokens(" ".join(last)), terms(" ".join(last))
        named = [fact for fact in self.facts.all if fact.key and fact.called(said, label)]
        if not _COPULA.search(opening):
            # "Position 51" needs no verb.
            named = [fact for fact in named if last and fact.ends(last[-1])]
        most = max((len(fact.key) for fact in named), default=0)
        named = [
            fact for fact in named if len(fact.key) == most and bool(fact.numbers) == (atom.kind == "number")
        ]
        if not named or any(fact.holds(atom) for fact in named):
            return False
        where = self._where(atom)
        near = label | terms(self.text[atom.end : atom.end + _AFTER])
        keys = frozenset[str]().union(*(fact.key for fact in named))
        return bool(where) and not any(
            not fact.key or fact.called(said, label) or (fact.path - keys) & near for fact in where
        )

    def _opening(self, atom: Atom) -> str:
        begun = max((one.end for one in self._atoms if one.end <= atom.start), default=self.start)
        return self.text[max(begun, self.start) : atom.start]

    def _misplaced(self, atom: Atom, handles: Iterable[tuple[Atom, list[Fact]]]) -> bool:
        """Return whether an atom is of another record than all the things that it is said of."""
        if self.facts.given.holds(atom):
            return False
        where = self._where(atom)
        if any(fact.prose for fact in where):
            # It stands in a text that is quoted.
            return False
        compared = False
        for handle, others in handles:
            if handle is atom:
                continue
            pairs = [(one, other) for one in where for other in others if self.facts.comparable(one, other)]
            if any(_together(one, other) for one, other in pairs):
                return False
            compared = compared or bool(pairs)
        return compared


def _together(one: Fact, other: Fact) -> bool:
    lists = {number for number, _ in one.records} & {number for number, _ in other.records}
    return {record for record in one.records if record[0] in lists} == {
        record for record in other.records if record[0] in lists
    }
