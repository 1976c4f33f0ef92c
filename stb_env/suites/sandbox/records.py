"""What the calls returned, as records: which value stands beside which, and under which name.

A second value in an answer is no rival of the right one where a record explains it: the words beside it are
those of its own record, or the name that it has there, and not those of the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from stb_env.jsontypes import Json, JsonMapping
from stb_env.reading.moments import clocks, days
from stb_env.reading.numerals import numbers
from stb_env.suites.sandbox.answers import Place, fold, plain, stem
from stb_env.trajectory import CallRecord

_MOST = 400
"""Records that are looked at."""
_TELLING = 10
"""A whole number below it is in many records by accident."""
_SCALES = (1.0, 100.0, 0.01, 1000.0, 0.001)
_NESTED = (dict, list)
_TOKEN = re.compile(r"[^\W_]+")
_FIELD = re.compile(r"[a-z]+")
_YEAR = re.compile(r"\d{4}")
_VAGUE = frozenset(
    map(stem, ["id", "name", "date", "time", "on", "of", "at", "in", "is", "currency", "page"])
)
"""Words of the name of a field that do not tell what it is."""


class Value(NamedTuple):
    """A value as it compares, whatever its form.

    Attributes:
        texts: What it may be as a date, a time or plain words.
        number: What it is as a number, None where it is none.
        slack: How near to it another one is the same.
    """

    texts: frozenset[str]
    number: float | None = None
    slack: float = 1e-9

    def same(self, other: Value) -> bool:
        """Return whether both may be the same; amounts may be in other units of a hundred or a thousand."""
        if self.number is None or other.number is None:
            return not self.texts.isdisjoint(other.texts)
        slack = max(self.slack, other.slack)
        scales = _SCALES if abs(self.number) > 1 else _SCALES[:1]
        return any(abs(self.number * scale - other.number) <= slack * max(scale, 1) for scale in scales)


class Record:
    """The fields of one object that a call returned; they are read when they are first asked for.

    Args:
        scalars: The fields that are no objects and no lists, by name.
        call: The number of the call that returned it.
        around: The object that it stands in, or the arguments of the call.
        owner: What the values are of where the names are those of several things, as in
            ``{"basic": 3.37, "premium": 30.08}``; empty elsewhere.
    """

    def __init__(
        self, scalars: Mapping[str, Json], call: int, around: Record | None = None, owner: str = ""
    ) -> None:
        self.call = call
        self._scalars = scalars
        self._around = around
        self._owner = owner

    @cached_property
    def fields(self) -> Sequence[tuple[frozenset[str], Value]]:
        """Each field with the words of its name, their stems and its value."""
        return [(_name(name), _value(item)) for name, item in self._scalars.items() if item not in ("", None)]

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems of the texts in it and around it."""
        own = _words(self._scalars if self._owner else self._scalars.values())
        return own if self._around is None else own | self._around.words

    @cached_property
    def labels(self) -> Sequence[tuple[str, str]]:
        """The texts in it, each behind the name that it has there."""
        if self._owner:
            return [(self._owner, fold(name)) for name in self._scalars]
        return [
            (name, fold(item))
            for name, item in self._scalars.items()
            if isinstance(item, str) and len(item) > 2 and item[0].isalpha()
        ]

    def has(self, values: Sequence[Value]) -> bool:
        """Return whether one of the values stands in it."""
        return any(own.same(value) for _, own in self.fields for value in values)


class Records:
    """What some calls returned, and the records of it; all is read when it is first asked for.

    Args:
        calls: The calls.

    Attributes:
        calls: The calls.
    """

    def __init__(self, calls: Iterable[CallRecord] = ()) -> None:
        self.calls = list(calls)

    @cached_property
    def returned(self) -> Sequence[tuple[CallRecord, Json]]:
        """Each call with its response, which is decoded once."""
        return [(call, call.result.response) for call in self.calls]

    @cached_property
    def text(self) -> str:
        """What the calls were told and said, a refusal where that is what they said."""
        said = ((call.arguments, call.result.error or response) for call, response in self.returned)
        return "\n".join(f"{arguments} {told}" for arguments, told in said)

    @cached_property
    def _records(self) -> Sequence[Record]:
        found = (
            _records(response, Record(_arguments(call), number))
            for number, (call, response) in enumerate(self.returned)
        )
        return [record for some in found for record in some][:_MOST]

    def holders(self, folded: str, place: Place) -> Sequence[Record]:
        """Return the records that have a value of an answer; none for a small number, which many have."""
        value = read(folded, place)
        if value.number is not None and value.number == int(value.number) < _TELLING:
            return []
        return [record for record in self._records if record.has([value])]

    def labels(self, folded: str) -> Mapping[str, set[tuple[int, str]]]:
        """Return the texts of all records that an answer names, with the call and the name of each."""
        found: dict[str, set[tuple[int, str]]] = {}
        for record in self._records:
            for name, label in record.labels:
                if label in folded:
                    found.setdefault(label, set()).add((record.call, name))
        return found

    def pair(self, folded: str, start: int, end: int) -> bool:
        """Return whether two values or more of a part of an answer stand together in a record."""
        said = list(_values(folded, start, end))
        return len(said) > 1 and any(all(record.has([value]) for value in said) for record in self._records)

    def around(self, folded: str, places: Iterable[Place]) -> frozenset[str]:
        """Return the stems of the texts that stand beside some values of an answer in their records."""
        values = [read(folded, place) for place in places]
        return frozenset[str]().union(*(one.words for one in self._records if one.has(values)))

    def explain(
        self,
        folded: str,
        given: Iterable[Place],
        rival: Place,
        beside: Iterable[Place],
        frame: frozenset[str],
    ) -> bool:
        """Return whether a record says what another value is of, and the words beside it say the same.

        Args:
            folded: The answer.
            given: Where it has the value that was asked for.
            rival: Where it has the other one.
            beside: The parts of the answer that belong to the other one.
            frame: The words around the value that was asked for.
        """
        beside = list(beside)
        value = read(folded, rival)
        holders = [record for record in self._records if record.has([value])]
        if not holders:
            return False
        mine = [read(folded, place) for place in given]
        words = {word for start, end in beside for word in _TOKEN.findall(folded, start, end)}
        said = frozenset(map(stem, words))
        shown = [one for start, end in beside for one in _values(folded, start, end)]
        right = [
            record
            for record in self._records
            if any(own.same(one) for _, own in record.fields for one in mine)
        ]
        known = frozenset[str]().union(map(stem, frame), *(record.words for record in right))
        named = {
            word
            for record in right
            for name, own in record.fields
            if any(map(own.same, mine))
            for word in name
        }
        for record in holders:
            if record not in right:
                if said & record.words - known - _words([folded[rival.start : rival.end]]):
                    return True
                if any(own.same(one) and not own.same(value) for _, own in record.fields for one in shown):
                    return True
            for name, own in record.fields:
                # "Open until 23:45 (it opens at 17:30)": only the very word tells them apart.
                if own.same(value) and (words - frame | said - known) & name - named - _VAGUE:
                    return True
        return False


def read(folded: str, place: Place) -> Value:
    """Return the value at a place of a folded text.

    Examples:
        >>> read("it opens at 5:30 pm", Place(12, 19)).texts
        frozenset({'17:30'})
    """
    return next(
        (value for value, found in _found(folded) if found == place),
        Value(frozenset([plain(folded[place.start : place.end]).strip()])),
    )


def _values(folded: str, start: int, end: int) -> Iterator[Value]:
    return (value for value, place in _found(folded) if start <= place.start and place.end <= end)


def _found(folded: str) -> Iterator[tuple[Value, Place]]:
    for moment in days(folded):
        values = frozenset(moment.values)
        if not _YEAR.search(folded, moment.start, moment.end):
            values |= {value[5:] for value in moment.values}
        yield Value(values), Place(moment.start, moment.end)
    for moment in clocks(folded):
        yield Value(frozenset(moment.values)), Place(moment.start, moment.end)
    for number in numbers(folded):
        slack = 0.5000001 * 10.0**-number.decimals if number.decimals else 1e-9
        yield (
            Value(frozenset(), abs(number.quantity.value), slack),
            Place(number.start, number.end),
        )


def _records(value: Json, around: Record, owner: str = "") -> Iterator[Record]:
    if isinstance(value, dict):
        scalars = {name: item for name, item in value.items() if not isinstance(item, _NESTED)}
        record = Record(scalars, around.call, around)
        if owner and all(isinstance(item, int | float) for item in scalars.values()):
            for name, item in scalars.items():
                yield Record({name: item}, around.call, around, owner)
        elif scalars:
            yield record
        for name, item in value.items():
            if isinstance(item, _NESTED):
                yield from _records(item, record, name if isinstance(item, dict) else "")
    elif isinstance(value, list):
        for item in value:
            yield from _records(item, around)


# Few fields and many values come back in every result, and again in the next one.
@lru_cache(maxsize=1024)
def _name(name: str) -> frozenset[str]:
    words = _FIELD.findall(name.casefold())
    return frozenset([*words, *map(stem, words)])


@lru_cache(maxsize=4096)
def _value(item: str | float | None) -> Value:
    if isinstance(item, str):
        folded = fold(item)
        if item[:1].isdigit():
            moments = frozenset(value for one in (*days(folded), *clocks(folded)) for value in one.values)
            if moments:
                return Value(moments | {value[5:] for value in moments if "-" in value})
        return Value(frozenset([plain(folded).strip()]))
    return Value(frozenset(), abs(float(item))) if isinstance(item, int | float) else Value(frozenset())


def _arguments(call: CallRecord) -> JsonMapping:
    return {} if isinstance(call.arguments, str) else call.arguments


def _words(items: Iterable[Json]) -> frozenset[str]:
    texts = (item for item in items if isinstance(item, str) and not item[:1].isdigit())
    return frozenset[str]().union(*map(_stems, texts))


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _TOKEN.findall(fold(text)) if len(word) > 1)
