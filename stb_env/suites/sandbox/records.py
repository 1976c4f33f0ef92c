"""What the calls returned, as records: which value stands beside which, and under which name.

A second value in an answer is no rival of the right one where a record explains it: the words beside it are
those of its own record, or the name that it has there, and not those of the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from stb_env.jsontypes import Json
from stb_env.reading.moments import clocks, days
from stb_env.reading.numerals import numbers
from stb_env.suites.sandbox.answers import Place, fold, plain, stem
from stb_env.trajectory import CallRecord

_MOST = 400
"""Records that are looked at."""
_TELLING = 10
"""A whole number below it is in many records by accident."""
_SCALES = (1.0, 100.0, 0.01, 1000.0, 0.001)
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


class Record(NamedTuple):
    """The fields of one object that a call returned.

    Attributes:
        fields: Each with the words of its name, their stems and its value.
        words: The stems of the texts in it and around it.
        labels: The texts in it, each behind the name that it has there.
        call: The number of the call that returned it.
    """

    fields: tuple[tuple[frozenset[str], Value], ...]
    words: frozenset[str]
    labels: frozenset[tuple[str, str]]
    call: int

    def has(self, values: Sequence[Value]) -> bool:
        """Return whether one of the values stands in it."""
        return any(own.same(value) for _, own in self.fields for value in values)


class Records:
    """The records of what some calls returned; they are read when they are first asked for.

    Args:
        calls: The calls.
    """

    def __init__(self, calls: Iterable[CallRecord] = ()) -> None:
        self._calls = calls

    @cached_property
    def _records(self) -> Sequence[Record]:
        found = (
            _records(call.result.response, _words(_leaves(call.arguments)), number)
            for number, call in enumerate(self._calls)
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


def _records(value: Json, around: frozenset[str], call: int, parent: str = "") -> Iterator[Record]:
    if isinstance(value, Mapping):
        scalars = {name: item for name, item in value.items() if not isinstance(item, Mapping | list | tuple)}
        words = around | _words(scalars.values())
        if parent and all(isinstance(item, int | float) for item in scalars.values()):
            # {"basic": 3.37, "premium": 30.08} tells of several, and the names are theirs.
            for name, item in scalars.items():
                labels = frozenset([(parent, fold(name))])
                yield Record(((_name(name), _value(item)),), words | _words([name]), labels, call)
        elif scalars:
            fields = ((_name(name), _value(item)) for name, item in scalars.items() if item not in ("", None))
            yield Record(tuple(fields), words, frozenset(_labels(scalars)), call)
        for name, item in value.items():
            if isinstance(item, Mapping | list | tuple):
                yield from _records(item, words, call, name if isinstance(item, Mapping) else "")
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _records(item, around, call)


def _labels(scalars: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for name, item in scalars.items():
        if isinstance(item, str) and len(item) > 2 and item[0].isalpha():
            yield name, fold(item)


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


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, Mapping):
        yield from value.values()


def _words(items: Iterable[Json]) -> frozenset[str]:
    texts = (item for item in items if isinstance(item, str) and not item[:1].isdigit())
    return frozenset[str]().union(*map(_stems, texts))


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _TOKEN.findall(fold(text)) if len(word) > 1)
