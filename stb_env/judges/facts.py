"""What the calls of an episode say as data: which values there are, under which names, in which records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import Any

from stb_env.jsontypes import Json
from stb_env.judges.atoms import Atom, Day, atoms
from stb_env.judges.days import MONTHS
from stb_env.judges.reckoning import rounds
from stb_env.judges.terms import key_terms, term, terms_of, tokens

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAME = 6
_DEPTH = 30
_LEAVES = 5_000
_EPOCH = range(10**8, 10**10)
_MILLIS = 1_000
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_CLOCK = 12

Record = tuple[int, int]
"""A member of a list: which list, and which member."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A single value of a response.

    Attributes:
        name: Of the member that it is.
        key: Stems of that.
        path: Stems of its name and of those it lies under.
        records: The members of lists that it lies in.
        text: The value in small letters.
        numbers: The numbers in it.
        words: Its words and numbers.
        days: The days in it.
    """

    name: str
    key: frozenset[str]
    path: frozenset[str]
    records: frozenset[Record]
    text: str
    numbers: tuple[float, ...]
    words: frozenset[str]
    days: tuple[Day, ...]

    @property
    def prose(self) -> bool:
        """Whether it is a text, and not a name or a number."""
        return len(self.words) > _NAME

    def called(self, said: frozenset[str], stems: frozenset[str]) -> bool:
        """Return whether each word of its name is among words or their stems."""
        return all(word in said or term(word) in stems for word in spelt(self.name))

    def ends(self, word: str) -> bool:
        """Return whether its name ends with a word."""
        return spelt(self.name)[-1:] == spelt(word)[-1:]

    def holds(self, atom: Atom) -> bool:
        """Return whether it is where an atom comes from.

        Examples:
            >>> (fact,) = Facts([{"views": 1964568}], "").all
            >>> [fact.holds(atom) for atom in atoms("1,964,568 or 1,965,000 or 1,964,569")]
            [True, True, False]
        """
        match atom.kind:
            case "number":
                return any(_same(value, atom.text) for value in self.numbers)
            case "day":
                return any(day.meets(other) for day in atom.days for other in self.days)
            case "name":
                return tokens(atom.text) <= self.words
        return atom.text in self.text


class Facts:
    """What responses, a query and arguments say.

    Args:
        responses: What the calls returned.
        given: The query and the arguments, which an answer may repeat.
        vocabulary: Words that are nobody's invention, such as those of the tools' documentation.
        query: What was asked.

    Examples:
        >>> facts = Facts([{"teams": [{"name": "Ferns", "goals": 2}, {"name": "Hawks", "goals": 3}]}], "")
        >>> [sorted(fact.path) for fact in facts.all][1], len(facts.all[1].records)
        (['goal', 'team'], 2)
        >>> [facts.hold(atom) for atom in atoms("Ferns: 2, 3 or 4")]
        [True, True, True, False]
    """

    def __init__(self, responses: Iterable[Json], given: str, vocabulary: str = "", query: str = "") -> None:
        self._lists: list[tuple[int, frozenset[str]]] = []
        self._names: dict[str, None] = {}
        found: list[Fact] = []
        for index, response in enumerate(responses):
            for fact in self._read(response, "", frozenset(), frozenset({(0, index)}), 0):
                found.append(fact)
                if len(found) == _LEAVES:
                    break
        self.all: Sequence[Fact] = found
        # Data name members by days and codes, too.
        self.given = _fact("\n".join((given, *self._names)), "", frozenset(), frozenset())
        self._vocabulary = vocabulary
        self.query = query

    @cached_property
    def text(self) -> str:
        """All values, the query and the arguments."""
        return "\n".join((self.given.text, *(fact.text for fact in self.all)))

    @cached_property
    def values(self) -> frozenset[float]:
        """All numbers of the responses."""
        return frozenset(value for fact in self.all for value in fact.numbers)

    def count(self, things: frozenset[str], number: float) -> bool:
        """Return whether there is a list of so many things, or one without a name."""
        return any(number == length and (not path or path & things) for length, path in self._lists)

    @cached_property
    def spelt(self) -> frozenset[str]:
        """The words of the names of members."""
        return frozenset(word for name in self._names for word in spelt(name))

    @cached_property
    def words(self) -> frozenset[str]:
        """All words that an answer may have from somewhere."""
        keys = frozenset[str]().union(*(fact.path for fact in self.all))
        said = self.given.words.union(*(fact.words for fact in self.all))
        return said | keys | tokens(self._vocabulary) | tokens(_WEEKDAYS) | frozenset(MONTHS)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of these words."""
        return terms_of(self.words)

    def hold(self, atom: Atom) -> bool:
        """Return whether an atom stands somewhere in the responses, the query or the arguments."""
        match atom.kind:
            case "number":
                return any(_same(value, atom.text) for value in (*self.values, *self.given.numbers))
            case "day":
                return (
                    self.given.holds(atom) or any(fact.holds(atom) for fact in self.all) or self._parts(atom)
                )
            case "time":
                return _spoken_time(atom.text, self.text)
            case "name":
                return all(word in self.words for word in tokens(atom.text))
        return atom.text in self.text

    def where(self, atom: Atom) -> list[Fact]:
        """Return the values that an atom can come from."""
        found = [fact for fact in self.all if fact.holds(atom)]
        if found or atom.kind != "name":
            return found
        # Data often have the parts of a name one by one.
        parts = [[fact for fact in self.all if word in fact.words] for word in tokens(atom.text)]
        shared = frozenset[Record].intersection(
            *(frozenset[Record]().union(*(fact.records for fact in part)) for part in parts)
        )
        return [fact for part in parts for fact in part if fact.records & shared]

    @cached_property
    def _members(self) -> frozenset[tuple[Record, str]]:
        return frozenset((record, fact.name) for fact in self.all for record in fact.records)

    def comparable(self, one: Fact, other: Fact) -> bool:
        """Return whether a value's own record has something else in the place of another value."""
        lists = {number for number, _ in other.records}
        return one.name != other.name and any(
            (record, other.name) in self._members for record in one.records if record[0] in lists
        )

    def _parts(self, atom: Atom) -> bool:
        """Return whether data that hold a day in parts, or say it in their own words, hold it."""
        return all(word in self.words for word in tokens(atom.text)) and any(
            number in fact.numbers for fact in self.all for number in (atom.days[0].day if atom.days else 0,)
        )

    def _read(
        self,
        value: Json,
        name: str,
        path: frozenset[str],
        records: frozenset[Record],
        depth: int,
    ) -> Iterator[Fact]:
        value = _unpacked(value)
        if depth > _DEPTH or value is None:
            return
        if isinstance(value, Mapping):
            for key, member in value.items():
                self._names[key] = None
                yield from self._read(member, key, path | key_terms([key]), records, depth + 1)
        elif isinstance(value, list):
            self._lists.append((len(value), path))
            # List 0 is that of the calls.
            number = len(self._lists)
            for index, member in enumerate(value):
                inner = records | {(number, index)} if isinstance(member, Mapping) else records
                yield from self._read(member, name, path, inner, depth + 1)
        else:
            yield _fact(str(value), name, path, records)


def _fact(text: str, name: str, path: frozenset[str], records: frozenset[Record]) -> Fact:
    found = atoms(text)
    numbers = [float(atom.text) for atom in found if atom.kind == "number"]
    with suppress(ValueError):
        numbers.append(float(text))
    days = [day for atom in found for day in atom.days]
    days += [day for number in numbers for day in _stamped(number)]
    words = tokens(text)
    numbers += [float(word) for word in words if word[0].isdecimal()]
    return Fact(
        name.lower(), key_terms([name]), path, records, text.lower(), tuple(numbers), words, tuple(days)
    )


@lru_cache(maxsize=20_000)
def spelt(name: str) -> tuple[str, ...]:
    """Return the words of the name of a member, in small letters.

    Examples:
        >>> spelt("home_teamScore")
        ('home', 'team', 'score')
    """
    return tuple(_WORD.findall(_HUMP.sub(" ", name).lower()))


def _unpacked(value: Json) -> Json:
    """Return a value, or the data that it holds as text."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            read: Any = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return read
    return value


def _same(value: float, said: str) -> bool:
    target = float(said)
    if value == target or value == -target:
        return value == target or not said.startswith("-")
    return rounds(value, said) or (not said.startswith("-") and value < 0 and rounds(-value, said))


def _stamped(number: float) -> Iterator[Day]:
    """Yield the days that a time stamp can mean anywhere on earth."""
    seconds = number if number < _EPOCH.stop else number / _MILLIS
    if (_EPOCH.start <= seconds < _EPOCH.stop and seconds == int(seconds)) or seconds != number < 10**13:
        then = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=min(seconds, _EPOCH.stop))
        for shift in (-1, 0, 1):
            day = then + timedelta(days=shift / 2)
            yield Day(day.year, day.month, day.day)


def _spoken_time(said: str, text: str) -> bool:
    hour, minute = said.split(":")[0], said.split(":")[1][:2]
    hours = {int(hour) % _CLOCK, int(hour) % _CLOCK + _CLOCK, int(hour)}
    return any(f"{one}:{minute}" in text for one in hours) or f"0{int(hour) % _CLOCK}:{minute}" in text
