"""Writes queries for a catalogue without a model: about facts in what its tools really answered."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, NotRequired, TypedDict, TypeGuard

from stb_env import Task, Tool, ToolCall, VirtualBackend, seeding
from stb_env.actions.validation import check_call
from stb_env.backend.epochs import may_write
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping, JsonObject
from stb_env.core.request import drive
from stb_env.errors import BackendError
from stb_env.formats.catalog_file import CatalogFile

_MOST_TEXT, _MOST_LEAVES, _MOST_CALLS = 60, 40, 200
_ROUNDS, _MOST_TRIED, _MOST_NAMES = 4, 24, 400
# What stands before a name in a line of a listing: a bullet, or a mark as "[FILE]".
_MARK = re.compile(r"^\s*(?:[-*]\s+|\[[A-Z]+\]\s+)?")
_SENTENCE = re.compile(r"[^.\n]{3,200}")
_SCALARS: Mapping[str, Json] = {"integer": 1, "number": 1, "boolean": True}


class GoldCall(TypedDict):
    """A call that solves a query."""

    name: str
    arguments: JsonMapping


class CatalogQuery(TypedDict):
    """A query as its file has it.

    Attributes:
        id: Unique within the file.
        query: The text of the query.
        gold: Calls that solve it.
        check: What its answer has to equal; left out where nothing is known of it.
    """

    id: str
    query: str
    gold: list[GoldCall]
    check: NotRequired[dict[str, str]]


class _Draft(NamedTuple):
    """A query without an id."""

    query: str
    gold: list[GoldCall]
    answer: str


class _Leaf(NamedTuple):
    """A single value of an answer, and the way there in words."""

    words: str
    value: str | float


class _Answered(NamedTuple):
    """A call with what of its answer can be asked for."""

    tool: Tool
    arguments: JsonMapping
    leaves: tuple[_Leaf, ...]


class CatalogAuthor:
    """Writes queries from the schemas of tools and from what they answer.

    What was recorded is asked about first; tools without any recording are called with what their schemas
    give as examples, defaults and choices. A tool that wants one text is called with what other tools listed,
    so that the files of a folder are found. A query asks for one value of an answer, or for what two calls of
    one tool give together, and its check is exactly that.

    Args:
        file: The catalogue.
        backend: Answers the calls.
        seed: Decides what is drawn.
        writes: Whether tools may be called with guessed arguments that are not known to read alone.

    Attributes:
        unasked: Tools that nothing is asked about, each with the reason.

    Examples:
        >>> from stb_env.backend.virtual import VirtualBackend
        >>> schema = {"type": "object", "properties": {"city": {"enum": ["Oslo"]}}, "required": ["city"]}
        >>> record = {"template_response": {"degrees": 3}}
        >>> rain = Tool("weather", "Weather now.", schema, record=record)
        >>> query = CatalogAuthor(CatalogFile((rain,)), VirtualBackend()).queries(1)[0]
        >>> query["gold"]
        [{'name': 'weather', 'arguments': {'city': 'Oslo'}}]
    """

    def __init__(
        self, file: CatalogFile, backend: VirtualBackend, seed: int = 0, *, writes: bool = False
    ) -> None:
        self._file, self._backend, self._seed, self._writes = file, backend, seed, writes
        self.unasked: dict[str, str] = {}
        self._listed: dict[str, None] = {}

    def queries(self, count: int) -> list[CatalogQuery]:
        """Return so many queries, or all that there are, in an order that the seed decides.

        Raises:
            BackendError: A service could not be reached.
        """
        answered = list(self._answered())
        for one in answered:
            # Other arguments than these found nothing.
            self.unasked.pop(one.tool.name, None)
        drafts = [*_singles(answered), *_sums(answered)]
        seeding.rng("catalog", self._seed).shuffle(drafts)
        chosen: dict[str, _Draft] = {}
        # Every tool has its turn before one comes again.
        for draft in _in_turn(drafts):
            chosen.setdefault(draft.query, draft)
        return [
            CatalogQuery(id=f"q{number}", query=one.query, gold=one.gold, check={"equals": one.answer})
            for number, one in enumerate(list(chosen.values())[:count], 1)
        ]

    def _answered(self) -> Iterator[_Answered]:
        waiting = []
        for tool in self._file.tools:
            found = list(self._recorded(tool)) or list(self._asked(tool))
            yield from found
            if not found:
                self.unasked.setdefault(tool.name, "its answers hold no single value")
            if _wanted_text(tool) is not None and (tool.name in self.unasked or len(found) < 2):
                waiting.append(tool)
        # Each round may list what the next one asks for: folders, their files, what stands in them.
        tried: set[tuple[str, str]] = set()
        for _ in range(_ROUNDS):
            for tool in waiting:
                yield from self._asked_for(tool, tried)

    def _asked_for(self, tool: Tool, tried: set[tuple[str, str]]) -> Iterator[_Answered]:
        """Call a tool with the names that others listed, each once."""
        if not self._may_ask(tool):
            return
        name = str(_wanted_text(tool))
        new = [text for text in self._listed if (tool.name, text) not in tried][:_MOST_TRIED]
        for text in new:
            tried.add((tool.name, text))
            answered = self._answer(tool, {name: text})
            if answered is not None:
                yield answered

    def _recorded(self, tool: Tool) -> Iterator[_Answered]:
        cache = self._backend.cache
        for entry in cache.examples(tool.id, _MOST_CALLS, by_key=True) if cache is not None else ():
            if entry.epoch:
                # It depends on calls that the query does not make.
                continue
            arguments = entry.arguments
            if isinstance(arguments, str) or check_call(ToolCall(tool.name, arguments), tool).violations:
                continue
            self._note(entry.response, arguments)
            leaves = () if entry.error else _leaves(entry.response, arguments)
            if leaves:
                yield _Answered(tool, dict(arguments), leaves)

    def _may_ask(self, tool: Tool) -> bool:
        if self._backend.mode == "replay":
            self.unasked[tool.name] = "nothing is recorded of it"
            return False
        if self._backend.mode in ("live", "record") and may_write(tool) and not self._writes:
            self.unasked[tool.name] = "it may change something (--writes calls it all the same)"
            return False
        return True

    def _asked(self, tool: Tool) -> Iterator[_Answered]:
        if not self._may_ask(tool):
            return
        for arguments in _guesses(tool, seeding.rng("catalog", self._seed, tool.name)):
            answered = self._answer(tool, arguments)
            if answered is not None:
                yield answered

    def _answer(self, tool: Tool, arguments: dict[str, object]) -> _Answered | None:
        call = ToolCall(tool.name, arguments)
        if check_call(call, tool).violations:
            self.unasked[tool.name] = "its schema gives no example of its arguments"
            return None
        state = self._backend.start(Task("author", "", (tool,)), self._seed)
        try:
            result = drive(self._backend.answer(state, tool, call))[0]
        except BackendError as error:
            if error.retryable:
                raise
            self.unasked[tool.name] = str(error)
            return None
        if not result.error:
            self._note(result.response, arguments)
        leaves = () if result.error else _leaves(result.response, arguments)
        if not leaves:
            self.unasked[tool.name] = result.error or "its answers hold no single value"
            return None
        return _Answered(tool, arguments, leaves)

    def _note(self, response: object, arguments: Mapping[str, object]) -> None:
        """Take up what an answer lists: single texts of JSON, lines of a text; of a folder, with its path."""
        for name in _names(response):
            for text in (name, *(f"{one.rstrip('/')}/{name}" for one in arguments.values() if _is_path(one))):
                if len(self._listed) < _MOST_NAMES:
                    self._listed.setdefault(text)


def _wanted_text(tool: Tool) -> str | None:
    """Return the name of the one text that a tool cannot do without and gives no example of, if it is so."""
    required = list(tool.parameters.get("required", ()))
    if len(required) != 1:
        return None
    schema = tool.parameters.get("properties", {}).get(required[0], {})
    known = any(word in schema for word in ("enum", "const", "default", "examples"))
    return required[0] if schema.get("type") == "string" and not known else None


def _is_path(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and "/" in value


def _names(response: object) -> Iterator[str]:
    """Yield texts of an answer that may be names: without the marks before them, and no sentences."""
    if isinstance(response, Mapping):
        for value in response.values():
            yield from _names(value)
    elif isinstance(response, list):
        for value in response:
            yield from _names(value)
    elif isinstance(response, str):
        for line in response.splitlines():
            name = _MARK.sub("", line).strip()
            if name and len(name) <= _MOST_TEXT * 4 and not name.endswith((":", ".")):
                yield name


def _singles(answered: Sequence[_Answered]) -> Iterator[_Draft]:
    for one in answered:
        for leaf in one.leaves:
            # An answer that is one value needs no way to it.
            what = f" What is {leaf.words}?" if one.leaves[1:] else ""
            text = f"{_about(one.tool)}{_given(one.arguments)}.{what} Answer with that alone."
            yield _draft(text, [one], str(leaf.value))


def _sums(answered: Sequence[_Answered]) -> Iterator[_Draft]:
    """Yield queries about what the same number of two calls of one tool makes together."""
    for first, second in pairwise(answered):
        if first.tool is not second.tool:
            continue
        others = {leaf.words: leaf.value for leaf in second.leaves}
        for leaf in first.leaves:
            other = others.get(leaf.words)
            if isinstance(leaf.value, str) or other is None or isinstance(other, str):
                continue
            text = (
                f"{_about(first.tool)}, once{_given(first.arguments)} and once{_given(second.arguments)}. "
                f"What do {leaf.words} of both make together? Answer with the number alone."
            )
            yield _draft(text, [first, second], f"{round(leaf.value + other, 9):g}")


def _draft(text: str, calls: Sequence[_Answered], answer: str) -> _Draft:
    gold = [GoldCall(name=call.tool.name, arguments=dict(call.arguments)) for call in calls]
    return _Draft(text, gold, answer)


def _in_turn(drafts: Sequence[_Draft]) -> Iterator[_Draft]:
    """Yield drafts of each kind (its tools) in turn."""
    waiting: dict[tuple[str, ...], list[_Draft]] = {}
    for draft in drafts:
        waiting.setdefault(tuple(call["name"] for call in draft.gold), []).append(draft)
    while waiting:
        for kind in list(waiting):
            yield waiting[kind].pop(0)
            if not waiting[kind]:
                del waiting[kind]


def _about(tool: Tool) -> str:
    found = _SENTENCE.search(tool.description)
    return " ".join((found[0] if found else tool.name.replace("_", " ")).split())


def _given(arguments: Mapping[str, object]) -> str:
    if not arguments:
        return ""
    parts = [f"{name.replace('_', ' ')} {jsontext.dumps(value)}" for name, value in arguments.items()]
    return f" for {' and '.join(parts)}"


def _leaves(response: object, arguments: Mapping[str, object]) -> tuple[_Leaf, ...]:
    """Return the single values of an answer that the arguments do not tell already."""
    told = set(map(str, arguments.values()))
    found: dict[str, str | float] = {}
    for words, value in _values(response, ()):
        value = value.strip() if isinstance(value, str) else value
        if isinstance(value, str) and not (0 < len(value) <= _MOST_TEXT and "\n" not in value):
            continue
        if str(value) not in told:
            found.setdefault(words, value)
        if len(found) == _MOST_LEAVES:
            break
    return tuple(_Leaf(words, value) for words, value in found.items())


def _values(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, str | float]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _values(item, (*path, f'"{name}"'))
    elif isinstance(value, list):
        for number, item in enumerate(value[:3], 1):
            yield from _values(item, (*path, f"entry {number}"))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield " of ".join(reversed(path)) or "the answer", value


def _guesses(tool: Tool, rng: random.Random) -> Iterator[dict[str, object]]:
    """Yield a few arguments that the schema itself suggests."""
    properties: JsonMapping = tool.parameters.get("properties", {})
    required = tool.parameters.get("required", ())
    seen: list[JsonObject] = []
    for turn in range(3):
        made = {
            name: value
            for name, schema in properties.items()
            if name in required and (value := _guess(schema, turn, rng)) is not None
        }
        if made not in seen:
            seen.append(made)
            yield made


def _guess(schema: object, turn: int, rng: random.Random) -> object:
    if not isinstance(schema, Mapping):
        return None
    given = [
        *(schema.get("examples") or ()),
        *([schema["default"]] if schema.get("default") is not None else ()),
        *([schema["const"]] if "const" in schema else ()),
    ]
    choices = given or [one for one in schema.get("enum") or () if one is not None]
    if choices:
        return choices[turn % len(choices)]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        most = schema.get("maximum", low + 9)
        return min(low + turn * rng.randint(1, 3), most)
    return _SCALARS.get(str(kind))
