"""Candidate actions: calls with their arguments filled in, and answers that quote what came back.

Everything here follows from what the agent sees: query, tool documentation and results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product, zip_longest
from typing import Any, Literal, NamedTuple

from stb_env import jsontext
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.tools import FINISH
from stb_env.wrappers.documented import Documented, Parameter, documented, words
from stb_env.wrappers.mentions import mentions
from stb_env.wrappers.result_rows import Row

_MOST_VALUES = 4
_MOST_FILLINGS = 64
_CALLS_A_TOOL = 8
_ROWS_QUOTED = 8
_LATEST_RESULTS = 3
_LONGEST_ANSWER = 600


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


@dataclass(frozen=True, slots=True)
class Seen:
    """What an agent has seen of an episode.

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


class Filling(NamedTuple):
    """A value for a parameter; ``omitted`` stands for leaving it out.

    Attributes:
        value: The argument.
        origin: Where it is from.
        relevance: From 0 to 1: how well it fits the query.
        position: Where the query says it, in characters; -1 where it does not.
    """

    value: Any
    origin: Literal["query", "result", "default", "omitted"]
    relevance: float
    position: int = -1


@dataclass(frozen=True, slots=True)
class CallCandidate:
    """A call with its arguments.

    Attributes:
        tool: The tool.
        fillings: One for each parameter of the tool, in order.
    """

    tool: Documented
    fillings: tuple[Filling, ...]

    @property
    def arguments(self) -> JsonObject:
        """The arguments of the call."""
        pairs = zip(self.tool.parameters, self.fillings, strict=True)
        return {parameter.name: filling.value for parameter, filling in pairs if filling.origin != "omitted"}

    @property
    def action(self) -> str:
        """The action as JSON text."""
        return jsontext.dumps({"name": self.tool.name, "arguments": self.arguments})

    @property
    def required(self) -> list[Filling]:
        """The fillings of required parameters."""
        pairs = zip(self.tool.parameters, self.fillings, strict=True)
        return [filling for parameter, filling in pairs if parameter.required]

    @property
    def in_order(self) -> bool:
        """Whether arguments that are from the query stand in the query's own order, kind by kind."""
        last: dict[str, int] = {}
        for parameter, filling in zip(self.tool.parameters, self.fillings, strict=True):
            if filling.position < 0:
                continue
            if filling.position < last.get(parameter.kind, -1):
                return False
            last[parameter.kind] = filling.position
        return True

    @property
    def rank(self) -> float:
        """How well it is filled; higher is better."""
        weights = {"query": 1.0, "result": 1.0, "default": 0.5, "omitted": 0.5}
        filled = sum(weights[filling.origin] * filling.relevance for filling in self.fillings)
        return filled + 0.25 * self.in_order


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """A Finish call.

    Attributes:
        text: The final answer.
        names: Words of the names of the fields that it quotes.
        relevance: Mean relevance of the rows that it quotes.
        share: Which share of the result's values it quotes; 0 where it quotes nothing.
        latest: Whether it quotes the latest result.
        singled_out: Whether the row that it quotes is the one among rows like it that the query names.
    """

    text: str
    names: frozenset[str] = frozenset()
    relevance: float = 0.0
    share: float = 0.0
    latest: bool = False
    singled_out: bool = False

    @property
    def action(self) -> str:
        """The action as JSON text."""
        arguments = {"return_type": "give_answer", "final_answer": self.text}
        return jsontext.dumps({"name": FINISH, "arguments": arguments})


Candidate = CallCandidate | AnswerCandidate


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
    answers = _distinct(_answers(seen), max(1, size // 3)) if finish else []
    by_tool = [_calls(tool, seen) for tool in documented(seen.tools)]
    # The best call of every tool first, then the second best: a bound on the size drops no tool.
    calls = [call for rank in zip_longest(*by_tool) for call in rank if call is not None]
    return [*_distinct(calls, size - len(answers)), *answers]


def _distinct(found: Iterable[Candidate], most: int) -> list[Candidate]:
    known: dict[str, Candidate] = {}
    for candidate in found:
        if len(known) >= most:
            break
        known.setdefault(candidate.action, candidate)
    return list(known.values())


def _calls(tool: Documented, seen: Seen) -> list[CallCandidate]:
    """Return calls of one tool, the best filled first."""
    several = max(1, sum(_has_choice(parameter) for parameter in tool.parameters))
    width = max(2, min(_MOST_VALUES, int(_MOST_FILLINGS ** (1 / several))))
    choices = [_fillings(parameter, seen)[:width] for parameter in tool.parameters]
    made = (CallCandidate(tool, filled) for filled in islice(product(*choices), 4 * _MOST_FILLINGS))
    fit = [call for call in made if _no_value_twice(call)]
    return sorted(fit, key=lambda call: -call.rank)[:_CALLS_A_TOOL]


def _has_choice(parameter: Parameter) -> bool:
    return parameter.required or parameter.kind not in ("name", "number", "boolean", "other")


def _no_value_twice(call: CallCandidate) -> bool:
    used = [
        (parameter.kind, str(filling.value))
        for parameter, filling in zip(call.tool.parameters, call.fillings, strict=True)
        if filling.origin in ("query", "result") and parameter.kind != "enum"
    ]
    return len(used) == len(set(used))


def _fillings(parameter: Parameter, seen: Seen) -> list[Filling]:
    """Return the values that a parameter may take, the most fitting first."""
    if parameter.kind == "enum":
        return _meant(parameter, seen.query)
    rest = (
        Filling(_placeholder(parameter), "default", 0.0)
        if parameter.required
        else Filling(None, "omitted", 0.5)
    )
    if not _has_choice(parameter):
        return [rest]
    found = [*_from_query(parameter, seen.query), *_from_results(parameter, seen)]
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


def _from_results(parameter: Parameter, seen: Seen) -> Iterator[Filling]:
    """Find values by the names of fields; for a number any number of a row that the query is about."""
    for done in reversed(seen.calls[-_LATEST_RESULTS:]):
        for row in done.rows:
            for name, value in row.fields:
                weight = _weight(parameter, name, value)
                if weight * (row.relevance if weight < 1 else 1.0):
                    yield Filling(value, "result", weight * (0.4 + 0.6 * row.relevance))


def _weight(parameter: Parameter, field: str, value: Any) -> float:
    if isinstance(value, bool) or isinstance(value, str) == (parameter.kind == "number"):
        return 0.0
    if parameter.kind == "number" and parameter.whole and value != int(value):
        return 0.0
    if parameter.takes(field):
        return 1.0
    return 0.7 if parameter.kind == "number" and parameter.required else 0.0


def _placeholder(parameter: Parameter) -> Any:
    if parameter.default is not None:
        return parameter.default
    return {"number": 1, "boolean": True, "other": {}}.get(parameter.kind, "example")


def _answers(seen: Seen) -> Iterator[AnswerCandidate]:
    """Quote rows, the latest and the most relevant first; then single fields of them, then whole results."""
    yield AnswerCandidate("Done.")
    results = [done.rows for done in reversed(seen.calls[-_LATEST_RESULTS:]) if done.ok and done.rows]
    quoted = [
        (row, found)
        for found in results
        for row in sorted(found, key=lambda row: -row.relevance)[:_ROWS_QUOTED]
    ]
    for row, found in quoted[:_ROWS_QUOTED]:
        yield _quote([row], found, latest=found is results[0])
    for found in results[:1]:
        yield _quote(found, found, latest=True)
    for row, found in quoted:
        for field in row.fields:
            yield _quote([replace(row, fields=(field,))], found, latest=found is results[0])


def _quote(rows: Sequence[Row], result: Sequence[Row], *, latest: bool) -> AnswerCandidate:
    text = ". ".join(row.text for row in rows)[:_LONGEST_ANSWER]
    names = words(" ".join(name for row in rows for name, _ in row.fields))
    relevance = sum(row.relevance for row in rows) / len(rows)
    share = sum(len(row.fields) for row in rows) / sum(len(row.fields) for row in result)
    return AnswerCandidate(text, names, relevance, share, latest, len(rows) == 1 and rows[0].singled_out)


def done(call: JsonMapping, rows: tuple[Row, ...]) -> Done:
    """Return a call of ``info["calls"]`` as it is remembered here."""
    arguments = call["arguments"]
    values = arguments.values() if isinstance(arguments, Mapping) else ()
    written = frozenset(jsontext.dumps(value) for value in values)
    return Done(call["name"], jsontext.dumps(arguments), not call["error"], rows, written)
