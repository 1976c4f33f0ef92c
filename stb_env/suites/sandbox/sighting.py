"""What an agent has seen: the values in the results of its calls, comparable whichever tool said them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from stb_env.jsontypes import Json, JsonMapping
from stb_env.suites.sandbox.answers import plain
from stb_env.suites.sandbox.catalog import apis, tools
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.tools import ToolId
from stb_env.trajectory import CallRecord

Value: TypeAlias = str | float
Context: TypeAlias = frozenset[Value]

_NUMBER = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?![\w-])")
_TWELVE_HOURS = re.compile(r"(\d{1,2}):(\d\d) ([AP])M")
_BRITISH_DAY = re.compile(r"(\d\d)/(\d\d)/(\d{4})")
# Numbers below it are in most results by accident.
_TELLING = 100


def telling(value: Json) -> bool:
    """Return whether a value hardly stands in a result by accident.

    Examples:
        >>> telling(12.5), telling(3), telling(True), telling("fog")
        (True, False, False, True)
    """
    if isinstance(value, bool) or value is None:
        return False
    return isinstance(value, str) or abs(value) >= _TELLING or value != int(value)


def leaf(value: Json) -> Value:
    """Return a scalar as it compares: texts without case and accents, days and times in one form.

    Examples:
        >>> leaf("2:05 PM"), leaf("09/03/2026"), leaf(3), leaf("Lac-Orel")
        ('14:05', '2026-03-09', 3.0, 'lac orel')
    """
    if not isinstance(value, str):
        return float(value or 0)
    if match := _TWELVE_HOURS.fullmatch(value):
        return f"{int(match[1]) % 12 + 12 * (match[3] == 'P'):02}:{match[2]}"
    if match := _BRITISH_DAY.fullmatch(value):
        return f"{match[3]}-{match[2]}-{match[1]}"
    return value if value[:1].isdigit() else plain(value).strip()


def leaves(value: Json) -> Iterator[Json]:
    """Yield every scalar of a response."""
    if isinstance(value, Mapping):
        yield from chain.from_iterable(map(leaves, value.values()))
    elif isinstance(value, list | tuple):
        yield from chain.from_iterable(map(leaves, value))
    else:
        yield value


def numbers_in(text: str) -> set[float]:
    """Return the plain numbers of a text.

    Examples:
        >>> sorted(numbers_in("1,250.5 AUR for 3 nights, see city-017"))
        [3.0, 1250.5]
    """
    return {float(match.replace(",", "")) for match in _NUMBER.findall(text)}


@dataclass(frozen=True)
class _Seen:
    """One call with what it returned."""

    api: ToolId
    arguments: JsonMapping
    response: Json


class Sighting:
    """What the calls of an episode showed.

    Args:
        query: The query, whose numbers are known too.
        calls: The calls that were executed, refused ones included.
    """

    def __init__(self, query: str, calls: Iterable[CallRecord]) -> None:
        identities = {tool.name: tool.id for tool in tools().values()}
        self._query = query
        self._calls = [
            _Seen(identities[call.name], call.arguments, call.result.error or call.result.response)
            for call in calls
            if call.name in identities and isinstance(call.arguments, Mapping)
        ]

    def answers(self, call: ApiCall) -> bool:
        """Return whether the agent asked the same, in whatever form or from whatever page."""
        wanted = _asked(call.api.id, call.arguments)
        return any(
            seen.api == call.api.id and _asked(seen.api, seen.arguments) == wanted for seen in self._calls
        )

    def overlaps(self, call: ApiCall, response: Json) -> bool:
        """Return whether the agent saw a row of this list, from the same place with another filter."""
        rows = {_row(row) for row in _rows(response)}
        return bool(rows) and any(
            seen.api == call.api.id and not rows.isdisjoint(map(_row, _rows(seen.response)))
            for seen in self._calls
        )

    def used(self, api: ToolId) -> bool:
        """Return whether the agent called an API."""
        return any(seen.api == api for seen in self._calls)

    def visited(self, api: ToolId) -> bool:
        """Return whether the agent called an API, or another of the same service."""
        return any(seen.api[:2] == api[:2] for seen in self._calls)

    @cached_property
    def values(self) -> frozenset[Value]:
        """Every telling value that some result says and the call itself did not."""
        said: set[Value] = set()
        for seen in self._calls:
            given = [leaf(value) for value in leaves(seen.arguments)]
            told = numbers_in(" ".join(map(str, given)))
            found = {leaf(value) for value in leaves(seen.response) if telling(value)}
            said |= found.difference(given, told)
        return frozenset(said)

    @cached_property
    def _given(self) -> frozenset[Value]:
        return frozenset(leaf(value) for seen in self._calls for value in leaves(seen.arguments))

    @cached_property
    def text(self) -> str:
        """All texts that the results say, one after the other."""
        return plain(" | ".join(value for value in self.values if isinstance(value, str)))

    @cached_property
    def _numbers(self) -> list[float]:
        found = {value for value in self.values if isinstance(value, float)}
        for seen in self._calls:
            told = numbers_in(" ".join(map(str, leaves(seen.arguments))))
            texts = [value for value in leaves(seen.response) if isinstance(value, str)]
            found |= numbers_in(" | ".join(texts)) - told
        return sorted(found)

    @cached_property
    def _results(self) -> list[float]:
        """What one reckoning with two known numbers, one of them seen, gives."""
        known = {*self._numbers, *numbers_in(self._query)}
        reckoned = set(self._numbers)
        for one in self._numbers:
            for other in known:
                reckoned |= _reckoned(one, other)
        return sorted(reckoned)

    def says(self, number: float, slack: float) -> bool:
        """Return whether a number was seen, by itself or in a text."""
        return any(abs(other - number) <= slack for other in self._numbers)

    def reckons(self, number: float, slack: float, given: Iterable[float] = ()) -> bool:
        """Return whether a number was seen, or follows by one reckoning from two of which one was seen.

        Args:
            number: The number.
            slack: How near is near enough.
            given: Further numbers to reckon with.
        """
        place = bisect_left(self._results, number - slack)
        if place < len(self._results) and self._results[place] <= number + slack:
            return True
        return any(
            abs(result - number) <= slack
            for one in given
            for other in self._numbers
            for result in _reckoned(one, other)
        )

    @cached_property
    def _contexts(self) -> Mapping[tuple[str, Value], list[Context]]:
        found: dict[tuple[str, Value], list[Context]] = {}
        for seen in self._calls:
            for key, value, context in fields(seen.response, seen.arguments):
                if not telling(value):
                    found.setdefault((key, leaf(value)), []).append(context)
        return found

    def shows(self, key: str, value: Json, context: Context) -> bool:
        """Return whether a value was seen; one that stands anywhere, only where it was of the same thing."""
        if telling(value):
            known = leaf(value)
            # What the agent asked for itself is shown where the answer to it is.
            asked = known in self._given and any(isinstance(other, float) for other in context & self.values)
            return asked or known in self.values
        return any(not context.isdisjoint(other) for other in self._contexts.get((key, leaf(value)), ()))


def context_of(row: JsonMapping, arguments: JsonMapping) -> Context:
    """Return the telling values beside a value: those of its row, and what was asked for."""
    beside = chain(arguments.values(), row.values())
    return frozenset(leaf(value) for value in beside if not isinstance(value, Mapping | list | tuple)
                     and telling(value))  # fmt: skip


def fields(value: Json, arguments: JsonMapping) -> Iterator[tuple[str, Json, Context]]:
    """Yield every scalar field of a response: its key, its value and what stands beside it."""
    if isinstance(value, Mapping):
        context = context_of(value, arguments)
        for key, item in value.items():
            if isinstance(item, Mapping | list | tuple):
                yield from fields(item, arguments)
            else:
                yield key, item, context
    elif isinstance(value, list | tuple):
        for item in value:
            yield from fields(item, arguments)


def _reckoned(one: float, other: float) -> set[float]:
    ratios = {one / other, other / one} if one and other else set()
    return {one + other, abs(one - other), one * other} | ratios


def _asked(api: ToolId, arguments: JsonMapping) -> dict[str, Value]:
    """Return the arguments that say what is asked for, not in which unit or for how many."""
    return {
        param.name: leaf(arguments[param.name])
        for param in apis()[api].params
        if param.name in arguments
        and not (param.enum and "unit" in param.name)
        and not (param.kind == "NUMBER" and (param.name == "amount" or not telling(arguments[param.name])))
    }


def _rows(response: Json) -> Iterator[JsonMapping]:
    if isinstance(response, Mapping):
        for value in response.values():
            if isinstance(value, list):
                yield from (row for row in value if isinstance(row, Mapping))


def _row(row: JsonMapping) -> frozenset[Value]:
    return frozenset(map(leaf, leaves(row)))
