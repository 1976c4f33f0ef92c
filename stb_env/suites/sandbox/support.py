"""Support: whether an answer comes from the calls of an episode, and not from memory.

The gold solution says what an answer stands on. An episode has that where it made the same calls, or where
its results hold what the solution read in them, whichever tool gave it. A plan can name other ways to see the
same: a call that is refused, or values from which a documented rule leads to it. Arithmetic is free: an agent
that saw what goes into a calculation may do it without a tool. What a calculator returns shows nothing, and
nor does an argument that a call repeats. What is derived from results is never searched for, and no text is
read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import product
from typing import NamedTuple

from stb_env.core.answers import name_key
from stb_env.core.jsontypes import Json
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.catalog import apis, household, tools
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.suites.sandbox.solving import run
from stb_env.suites.sandbox.template import Alternative
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, ToolCall, ToolId
from stb_env.trajectory import CallRecord

Key = tuple[str, tuple[tuple[str, str], ...]]


class Source(NamedTuple):
    """A gold call on whose result an answer stands.

    Attributes:
        call: The call, comparable with those of an episode.
        read: The values that the solution read in its result and took from there.
        calculated: Whether the answer stands on a calculation alone, so that any calculation may give it.
        others: Other ways to see the same.
    """

    call: Key
    read: frozenset[str | float]
    calculated: bool = False
    others: tuple[Source, ...] = ()


class Evidence:
    """The results of an episode's calls.

    Args:
        calls: The calls, Finish included.
    """

    def __init__(self, calls: Iterable[CallRecord]) -> None:
        self._answered = [
            call for call in calls if call.name != FINISH and call.result.status <= Status.TOOL_ERROR
        ]

    def has_all(self, gold: Sequence[ToolCall]) -> bool:
        """Return whether the gold calls were made to the letter, which most episodes that solve a task do."""
        made = [(call.name, call.arguments) for call in self._answered]
        return all((call.name, call.arguments) in made for call in gold)

    @cached_property
    def made(self) -> set[Key]:
        """Every call that was answered, and every fact that a calculation used."""
        return {
            key
            for call in self._answered
            for key in (call_key(call.name, call.arguments), fact_key(call.name, call.arguments))
        }

    @cached_property
    def values(self) -> set[str | float]:
        """Every value in a result that is no calculation, in the form of `value_key`."""
        return set(self._values(calculated=False))

    @cached_property
    def calculated(self) -> set[str | float]:
        """Every value in the result of a calculation, in the form of `value_key`."""
        return set(self._values(calculated=True))

    def _values(self, calculated: bool) -> Iterator[str | float]:
        for call in self._answered:
            if not call.result.error and _calculates(call.name) == calculated:
                given = {value for _, value in call_key(call.name, call.arguments)[1]}
                yield from map(value_key, _leaves(_without_echo(call.result.response, given)))

    def has(self, source: Source) -> bool:
        """Return whether the episode made a gold call, or has what was read in its result, or in another."""
        values = self.calculated if source.calculated else self.values
        seen = source.call in self.made or (bool(source.read) and source.read <= values)
        return seen or any(map(self.has, source.others))

    def looked(self, looks: Iterable[ApiCall]) -> bool:
        """Return whether a call would have shown what one of several looks would.

        That is the same call, or another of the same API that names the same thing in part or not at all;
        where its results have pages, all of them were read.
        """
        read: dict[Key, set[Json]] = {}
        for look, call in product(looks, self._answered):
            if not _serves(call, look):
                continue
            name, given = call_key(call.name, call.arguments)
            response = call.result.response if isinstance(call.result.response, Mapping) else {}
            seen = read.setdefault((name, tuple(pair for pair in given if pair[0] != "page")), set())
            seen.add(response.get("page"))
            if len(seen) >= response.get("pages", 1):
                return True
        return False

    def shows(self, value: object) -> bool:
        """Return whether a value of an answer stands in a result as it is; true and false stand anywhere."""
        values = value if isinstance(value, list) else [value]
        return bool(values) and all(
            not isinstance(each, bool) and value_key(each) in self.values for each in values
        )


def _serves(call: CallRecord, look: ApiCall) -> bool:
    """Return whether a call asks for what a look asks for; arguments that the look leaves out are free."""
    if call.name != tools()[look.api.id].name:
        return False
    given = dict(call_key(call.name, call.arguments)[1])
    pairs = [(str(value_key(value)), given.get(key, "")) for key, value in look.arguments.items()]
    if call.result.error:
        return all(wanted == got for wanted, got in pairs)
    return all(got in wanted or wanted in got for wanted, got in pairs)


def call_key(name: str, arguments: Mapping[str, object] | str) -> Key:
    """Return what equal calls share, whichever optional arguments they spell out."""
    given = arguments if isinstance(arguments, Mapping) else {}
    identity = _identities().get(name)
    if identity is not None:
        with suppress(ApiError):
            given = apis()[identity].bind(given)
    return name, tuple(sorted((key, str(value_key(value))) for key, value in given.items()))


def fact_key(name: str, arguments: Mapping[str, object] | str) -> Key:
    """Return what calls share that show the same fact; calculations with other numbers do."""
    key = call_key(name, arguments)
    fact = _fact(name)
    if not fact:
        return key
    given = dict(key[1])
    return fact[0], tuple(sorted(("", given.get(param, "")) for param in fact[1:]))


def _fact(name: str) -> tuple[str, ...] | None:
    identity = _identities().get(name)
    return None if identity is None else apis()[identity].fact


def _calculates(name: str) -> bool:
    return _fact(name) is not None


def _without_echo(response: object, given: Collection[str]) -> object:
    """Return a result without the values of its own that repeat an argument; those in its rows stay."""
    if not isinstance(response, Mapping):
        return response
    return {
        name: value
        for name, value in response.items()
        if isinstance(value, Mapping | list) or str(value_key(value)) not in given
    }


@lru_cache(maxsize=1)
def _identities() -> Mapping[str, ToolId]:
    return {tool.name: identity for identity, tool in tools().items()}


def value_key(value: object) -> str | float:
    """Return what equal values share."""
    if isinstance(value, bool | None):
        return str(value)
    if isinstance(value, int | float):
        return round(value, 6) if abs(value) < 1e15 else str(value)
    return name_key(value) if isinstance(value, str) else str(value)


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def shown(task: Task, calls: Iterable[CallRecord]) -> bool:
    """Return whether an episode could know what its request lacks: it looked, if only a look shows it."""
    plan = plan_of(task.id)
    return not plan.gap.hidden or Evidence(calls).looked(plan.looks)


def sources(task: Task) -> Sequence[Source]:
    """Return the gold calls on which the answer of a task stands.

    These are the calls whose results the solution read for more than the arguments of a later call.
    """
    return _sources(task.id, task.query, int(task.record.get("household", 0)))


@lru_cache(maxsize=4096)
def _sources(task_id: str, query: str, home: int) -> tuple[Source, ...]:
    plan = plan_of(task_id)
    solved = run(plan, household(home), shown=_watched)
    made = [(solved.calls[place], result) for place, result in solved.results.items()]
    said = name_key(query)
    found: list[Source] = []
    for place, (call, response) in enumerate(made):
        asked = _asked_values(other for other, _ in made[place:])
        read = frozenset(
            key
            for key in map(value_key, _read(response))
            if str(key) not in asked and not (isinstance(key, str) and key in said)
        )
        if read and call.api.fact != ():
            key = fact_key(tools()[call.api.id].name, call.arguments)
            others = tuple(_alternative(key, other) for other in plan.alternatives if other.api is call.api)
            found.append(Source(key, read, others=others))
    if not found and made:
        call, response = made[-1]
        calculated = call.api.fact == ()
        values = _read(response) if calculated else _row_ids(response)
        key = call_key(tools()[call.api.id].name, call.arguments)
        found.append(Source(key, frozenset(map(value_key, values)), calculated))
    return tuple(found)


def _alternative(call: Key, other: Alternative) -> Source:
    if other.call is not None:
        call = call_key(tools()[other.call.api.id].name, other.call.arguments)
    return Source(call, frozenset(map(value_key, other.values)))


def _asked_values(calls: Iterable[ApiCall]) -> set[str]:
    """Return the values that calls ask about; what goes into a calculation is none of them."""
    keys = ((call, fact_key(tools()[call.api.id].name, call.arguments)) for call in calls)
    return {value for call, key in keys if call.api.fact != () for _, value in key[1]}


class _Row(dict[str, Json]):
    """An object in a result that remembers which of its values were read."""

    def __init__(self, row: Mapping[str, object]) -> None:
        super().__init__({name: _watched(value) for name, value in row.items()})
        self.read: dict[str, None] = {}

    def __getitem__(self, name: str) -> object:
        self.read[name] = None
        return super().__getitem__(name)

    def get(self, name: str, default: Json = None) -> Json:
        return self[name] if name in self else default  # noqa: SIM401 (only the item counts as read)


def _watched(value: object) -> object:
    if isinstance(value, Mapping):
        return _Row(value)
    return [_watched(each) for each in value] if isinstance(value, list) else value


def _read(value: object) -> Iterator[object]:
    """Yield the values that were read; of a list of rows, in those rows in which most was read.

    A row of which only the name was read was looked at and passed over.
    """
    if isinstance(value, _Row):
        for name in value.read:
            yield from _read(dict.__getitem__(value, name))
    elif isinstance(value, list):
        most = max((len(row.read) for row in value if isinstance(row, _Row)), default=0)
        for each in value:
            if not isinstance(each, _Row) or (most and len(each.read) == most):
                yield from _read(each)
    else:
        yield value


def _row_ids(value: object) -> Iterator[object]:
    """Yield the first value of every row, which is its id."""
    if isinstance(value, list):
        for each in value:
            if isinstance(each, Mapping) and each:
                yield dict.__getitem__(each, next(iter(each)))  # type: ignore[index] # every row is a dict
    elif isinstance(value, Mapping):
        for each in dict.values(value):  # type: ignore[arg-type] # every row is a dict
            yield from _row_ids(each)
