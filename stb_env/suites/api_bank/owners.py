"""Which of several things a value belongs to, and replies that give it to another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from stb_env.jsontypes import Json
from stb_env.reading import moments, numerals
from stb_env.reading.fold import fold
from stb_env.reading.sentence import sentences
from stb_env.suites.api_bank.figures import clocks
from stb_env.suites.api_bank.leaves import leaves
from stb_env.trajectory import CallRecord

_COMPARED = re.compile(r"\b(?:respectively|others?|than|compared|both|each|all|instead|not|versus|vs)\b")
_ADDRESS = re.compile(r"https?://[\w./-]+\w")
_SHORT, _NAME = 3, 60
_TELLING = 12
"""Numbers up to this one are in many records by accident."""


class _Owner(NamedTuple):
    """One of several things of a kind.

    Attributes:
        name: What it is called, in small letters.
        values: Its days, times and numbers.
    """

    name: str
    values: frozenset[str]


class _Token(NamedTuple):
    """A name or a value in a sentence."""

    place: int
    end: int
    owner: _Owner | None
    values: frozenset[str] = frozenset()


def misplaced(text: str, calls: Iterable[CallRecord]) -> Iterator[str]:
    """Yield the values that a reply says of one thing, and that belong to another of the same kind.

    Examples:
        >>> from stb_env.tools import ToolResult
        >>> rows = [{"name": "Fair", "day": "2023-04-01"}, {"name": "Ball", "day": "2023-04-02"}]
        >>> call = CallRecord("1", "Query", {}, ToolResult.of(rows, source="world"))
        >>> list(misplaced("The Fair is on 1 April, the Ball on 2 April.", [call]))
        []
        >>> list(misplaced("The Fair is on 2 April, the Ball on 1 April.", [call]))
        ['2 april', '1 april']
    """
    folded = fold(text)
    if next(_values(folded), None) is None:
        return
    for owners in _groups(list(calls)):
        for span in sentences(folded):
            sentence = folded[span.start : span.end]
            if span.mark != "?" and not _COMPARED.search(sentence):
                yield from _wrong(sentence, owners)


def _wrong(sentence: str, owners: Sequence[_Owner]) -> Iterator[str]:
    telling = {value for owner in owners for value in owner.values}
    names = [
        _Token(match.start(), match.end(), owner)
        for owner in owners
        for match in re.finditer(rf"(?<!\w){re.escape(owner.name)}(?!\w)", sentence)
    ]
    said = [
        token
        for token in _values(sentence)
        if token.values & telling and not any(name.place <= token.place < name.end for name in names)
    ]
    tokens = sorted([*names, *said])
    # Names in a row, or values before the first name, leave open what belongs to which.
    if not names or tokens[0].owner is None or any(one.owner and two.owner for one, two in pairwise(tokens)):
        return
    owner = tokens[0].owner
    for token in tokens:
        owner = token.owner or owner
        if token.owner is None and not token.values & owner.values:
            yield sentence[token.place : token.end]


def _groups(calls: list[CallRecord]) -> Iterator[list[_Owner]]:
    for call in calls:
        for rows in leaves(call.result.response, list):
            records = [row for row in rows if isinstance(row, dict)]
            yield from _several(_owner(row, row) for row in records)
    for name in {call.name for call in calls}:
        alike = [call for call in calls if call.name == name and isinstance(call.arguments, Mapping)]
        yield from _several(_owner(_taken(call), _results(call, calls)) for call in alike)


def _several(owners: Iterable[_Owner]) -> Iterator[list[_Owner]]:
    named = {owner.name: owner for owner in owners if len(owner.name) >= _SHORT}
    if len(named) > 1:
        yield list(named.values())


def _owner(named: Json, valued: Json) -> _Owner:
    name = next((each for each in leaves(named, str) if not _stated(each)), "")
    found = (value for each in leaves(valued, str, int, float) for value in _stated(str(each)))
    return _Owner(fold(name) if len(name) <= _NAME else "", frozenset(found))


def _results(call: CallRecord, calls: Sequence[CallRecord]) -> list[Json]:
    """Return what came of a call, and of those that took a number of it."""
    found: list[Json] = [call.result.response]
    numbers = set(leaves(call.result.response, int, float))
    for other in calls[calls.index(call) + 1 :]:
        taken = set(leaves(_taken(other), int, float))
        if taken & numbers and other.name != call.name:
            found.append(other.result.response)
    return found


def _taken(call: CallRecord) -> dict[str, Json]:
    return dict(call.arguments) if isinstance(call.arguments, Mapping) else {}


def _stated(text: str) -> frozenset[str]:
    return frozenset(value for token in _values(fold(text)) for value in token.values)


def _values(folded: str) -> Iterator[_Token]:
    for day in moments.days(folded):
        yield _Token(day.start, day.end, None, frozenset(value[4:] for value in day.values))
    for clock in clocks(folded):
        yield _Token(clock.start, clock.end, None, clock.values)
    for address in _ADDRESS.finditer(folded):
        yield _Token(address.start(), address.end(), None, frozenset((address[0],)))
    for number in numerals.numbers(folded):
        if number.quantity.value > _TELLING:
            yield _Token(number.start, number.end, None, frozenset((f"{number.quantity.value:g}",)))
