"""Proposals of next actions: calls with their arguments filled in, and answers that quote what came back.

Everything here follows from what the agent sees: query, tool documentation and results. Of one step little
changes to the next, so what followed from the same sights before is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product, zip_longest
from typing import TypeVar

from stb_env.core import jsontext
from stb_env.wrappers.candidate import AnswerCandidate, CallCandidate, Candidate, Filling
from stb_env.wrappers.documented import Parameter, documented, snake, words
from stb_env.wrappers.filled_answers import answer_schema, filled
from stb_env.wrappers.mentions import mentions
from stb_env.wrappers.result_rows import Row, Scalar, rows

_MOST_VALUES = 4
_MOST_FILLINGS = 64
_CALLS_A_TOOL = 8
_ROWS_QUOTED = 8
_LATEST_RESULTS = 3
_LONGEST_ANSWER = 600
_PAGING = ("cursor", "sort_by", "order", "page")
_KEPT = 1024
"""Sights that are remembered, of each kind."""


@dataclass(frozen=True, slots=True)
class Done:
    """One call of the episode so far.

    Attributes:
        name: The tool that was called.
        arguments: JSON text of the arguments.
        ok: Whether it was answered without an error.
        rows: What came back.
        values: JSON text of every argument.
    """

    name: str
    arguments: str
    ok: bool
    rows: tuple[Row, ...] = ()
    values: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        # Rows are long, and hardly ever all that differs.
        return hash((self.name, self.arguments))


@dataclass(frozen=True, slots=True)
class Seen:
    """Part of an episode that an agent has seen.

    Attributes:
        query: The user's query.
        tools: JSON of the function specs.
        calls: The calls so far, in order.
        turn: Number of actions taken.
        over: Whether the episode has ended.
    """

    query: str
    tools: str
    calls: tuple[Done, ...] = ()
    turn: int = 0
    over: bool = False


AnyCandidate = TypeVar("AnyCandidate", CallCandidate, AnswerCandidate)


def candidates(seen: Seen, size: int, finish: bool = True) -> list[Candidate]:
    """Return what may be done next: at most ``size`` different actions, the same ones for equal sights.

    Args:
        seen: What the agent has seen.
        size: Most candidates, at least 1; a third of them may be answers.
        finish: Whether answers are among them.

    Examples:
        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
        >>> tools = jsontext.dumps([{"function": {"name": "sun", "parameters": schema}}])
        >>> for candidate in candidates(Seen("Is it dark in Oslo?", tools), size=8):
        ...     print(candidate.action[:64])
        {"name": "sun", "arguments": {"city": "Oslo"}}
        {"name": "sun", "arguments": {"city": "example"}}
        {"name": "Finish", "arguments": {"return_type": "give_answer", "
    """
    if seen.over:
        return []
    latest = seen.calls[: -_LATEST_RESULTS - 1 : -1]
    answers = _answers(latest, max(1, size // 3), answer_schema(seen.tools)) if finish else ()
    return [*_calls(seen.tools, seen.query, latest, size - len(answers)), *answers]


def _distinct(found: Iterable[AnyCandidate], most: int) -> tuple[AnyCandidate, ...]:
    known: dict[str, AnyCandidate] = {}
    for candidate in found:
        if len(known) >= most:
            break
        known.setdefault(candidate.action, candidate)
    return tuple(known.values())


@lru_cache(maxsize=_KEPT)
def _calls(tools: str, query: str, latest: tuple[Done, ...], most: int) -> tuple[CallCandidate, ...]:
    """Return calls of every tool, given the latest results, the latest first."""
    by_tool = []
    for index in range(len(documented(tools))):
        # Where results offer nothing to a tool, they change nothing for it.
        offers = tuple(done for done in latest if any(_offered(tools, index, done)))
        by_tool.append(_calls_of(tools, index, query, offers))
    # The best call of every tool first, then the second best: a bound on the size drops no tool.
    return _distinct((call for rank in zip_longest(*by_tool) for call in rank if call is not None), most)


@lru_cache(maxsize=_KEPT)
def _calls_of(tools: str, index: int, query: str, latest: tuple[Done, ...]) -> tuple[CallCandidate, ...]:
    """Return calls of one tool, the best filled first."""
    tool = documented(tools)[index]
    several = max(1, sum(_has_choice(parameter) for parameter in tool.parameters))
    width = max(2, min(_MOST_VALUES, int(_MOST_FILLINGS ** (1 / several))))
    offers = [_offered(tools, index, done) for done in latest]
    choices = [
        _fillings(parameter, query, [filling for offered in offers for filling in offered[place]])[:width]
        for place, parameter in enumerate(tool.parameters)
    ]
    made = (CallCandidate(tool, filled) for filled in islice(product(*choices), 4 * _MOST_FILLINGS))
    fit = [call for call in made if _no_value_twice(call)]
    return tuple(sorted(fit, key=lambda call: -call.rank)[:_CALLS_A_TOOL])


def _has_choice(parameter: Parameter) -> bool:
    return parameter.required or parameter.kind not in ("name", "number", "boolean", "other")


def _no_value_twice(call: CallCandidate) -> bool:
    used = [
        str(filling.value)
        for parameter, filling in zip(call.tool.parameters, call.fillings, strict=True)
        if filling.origin in ("query", "result") and parameter.kind != "enum"
    ]
    return len(used) == len(set(used))


def _fillings(parameter: Parameter, query: str, offered: Sequence[Filling]) -> list[Filling]:
    """Return the values that a parameter may take, the most fitting first."""
    if parameter.kind == "enum":
        return _meant(parameter, query)
    rest = (
        Filling(_placeholder(parameter), "default", 0.0)
        if parameter.required
        else Filling(None, "omitted", 0.5)
    )
    if not _has_choice(parameter):
        return [*_codes(parameter, query), rest]
    found = [*_from_query(parameter, query), *offered]
    best: dict[str, Filling] = {}
    for filling in sorted(found, key=lambda filling: -filling.relevance):
        best.setdefault(str(filling.value), filling)
    # The default stays in reach: a query leaves out what goes without saying.
    return [*list(best.values())[: _MOST_VALUES - 1], rest]


def _meant(parameter: Parameter, query: str) -> list[Filling]:
    said = words(query)
    made = []
    for value, meaning in parameter.choices:
        hit = 1.0 if meaning & said else 0.0
        if value == parameter.default and not parameter.required:
            made.append(Filling(None, "omitted", max(hit, 0.5)))
        else:
            made.append(Filling(value, "query" if hit else "default", hit))
    return sorted(made, key=lambda filling: -filling.relevance)


def _from_query(parameter: Parameter, query: str) -> Iterator[Filling]:
    said = [mention for mention in mentions(query) if mention.kind == parameter.kind]
    if parameter.kind == "name" and not said:
        said = [mention for mention in mentions(query) if mention.kind in ("code", "id")]
    for mention in said:
        if not (parameter.whole and isinstance(mention.value, float)):
            yield Filling(mention.value, "query", 1.0, mention.position)


@lru_cache(maxsize=4 * _KEPT)
def _offered(tools: str, index: int, done: Done) -> tuple[tuple[Filling, ...], ...]:
    """Return what a result offers to each parameter of a tool."""
    return tuple(tuple(_from_result(parameter, done)) for parameter in documented(tools)[index].parameters)


def _from_result(parameter: Parameter, done: Done) -> Iterator[Filling]:
    """Find values by the names of fields; for a number any number of a row that the query is about."""
    if parameter.kind == "enum" or not _has_choice(parameter):
        return
    for row in done.rows:
        for name, value in row.fields:
            weight = _weight(parameter, name, value)
            if weight * (row.relevance if weight < 1 else 1.0):
                yield Filling(value, "result", weight * (0.4 + 0.6 * row.relevance))


def _codes(parameter: Parameter, query: str) -> Iterator[Filling]:
    """Find codes for an optional text: a query that says one means one row, and may filter by it."""
    if parameter.kind == "name" and snake(parameter.name) not in _PAGING:
        for mention in mentions(query):
            if mention.kind == "id":
                yield Filling(mention.value, "query", 1.0, mention.position)


def _weight(parameter: Parameter, field: str, value: Scalar) -> float:
    if isinstance(value, bool) or isinstance(value, str) == (parameter.kind == "number"):
        return 0.0
    if parameter.kind == "number" and parameter.whole and value != int(value):
        return 0.0
    if parameter.takes(field):
        return 1.0
    return 0.7 if parameter.kind == "number" and parameter.required else 0.0


def _placeholder(parameter: Parameter) -> object:
    if parameter.default is not None:
        return parameter.default
    return {"number": 1, "boolean": True, "other": {}}.get(parameter.kind, "example")


@lru_cache(maxsize=_KEPT)
def _answers(latest: tuple[Done, ...], most: int, schema: str) -> tuple[AnswerCandidate, ...]:
    found = [done for done in latest if done.ok and done.rows]
    made = [_quotes(found, schema, yes=True)]
    if '"boolean"' in schema:
        made.append(_quotes(found, schema, yes=False))
    each = (candidate for pair in zip_longest(*made) for candidate in pair if candidate is not None)
    return _distinct(each, most)


def _quotes(results: Sequence[Done], schema: str, *, yes: bool) -> Iterator[AnswerCandidate]:
    """Quote rows, the latest and the most relevant first; then single fields of them, then whole results."""
    yield AnswerCandidate("Done.", filled(schema, (), yes=yes) if schema else "")
    quoted = [
        (done, place)
        for done in results
        for place in sorted(range(len(done.rows)), key=lambda place: -done.rows[place].relevance)[
            :_ROWS_QUOTED
        ]
    ]
    for done, place in quoted[:_ROWS_QUOTED]:
        yield _row(done, place, None, schema, yes, latest=done is results[0])
    for done in results[:1]:
        yield _quote(done.rows, done, schema, yes, latest=True)
    for done, place in quoted:
        for field in range(len(done.rows[place].fields)):
            yield _row(done, place, field, schema, yes, latest=done is results[0])


@lru_cache(maxsize=16 * _KEPT)
def _row(
    done: Done, place: int, field: int | None, schema: str, yes: bool, *, latest: bool
) -> AnswerCandidate:
    row = done.rows[place]
    if field is not None:
        row = replace(row, fields=(row.fields[field],))
    return _quote([row], done, schema, yes, latest=latest)


def _quote(rows: Sequence[Row], result: Done, schema: str, yes: bool, *, latest: bool) -> AnswerCandidate:
    text = ". ".join(row.text for row in rows)[:_LONGEST_ANSWER]
    names = words(" ".join(snake(name) for row in rows for name, _ in row.fields))
    relevance = sum(row.relevance for row in rows) / len(rows)
    share = sum(len(row.fields) for row in rows) / sum(len(row.fields) for row in result.rows)
    answer = filled(schema, rows, yes=yes) if schema else ""
    one = len(rows) == 1 and rows[0].singled_out
    return AnswerCandidate(text, answer, names, relevance, share, latest, one)


def done(call: Mapping[str, object], query: str) -> Done:
    """Return a call of ``info["calls"]`` as it is remembered here."""
    return _done(
        call["name"],
        jsontext.dumps(call["arguments"]),
        not call["error"],
        jsontext.dumps(call["response"]),
        query,
    )


# Equal calls give the same object, so that what follows from them is found again at once.
@lru_cache(maxsize=4 * _KEPT)
def _done(name: str, arguments: str, ok: bool, response: str, query: str) -> Done:
    given = json.loads(arguments)
    values = given.values() if isinstance(given, Mapping) else ()
    written = frozenset(jsontext.dumps(value) for value in values)
    return Done(name, arguments, ok, rows(json.loads(response), query), written)
