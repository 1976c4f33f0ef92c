"""The results of an episode's calls as data: the values that they hold, and which calls count as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json
from stb_env.judges.cues import COMMON
from stb_env.judges.judge import Case
from stb_env.judges.terms import Token, key_terms, plain_number, read
from stb_env.tools import FINISH, Status, Tool, ToolId
from stb_env.trajectory import CallRecord

# No more is read: of the calls, of the values and characters of each result, of those of all results, and of
# the characters of one argument.
_CALLS, _VALUES, _CHARACTERS, _ALL_CHARACTERS, _ARGUMENT = 64, 2_000, 20_000, 200_000, 2_000
_LONG_NUMBER = 15
_DECIMALS = 3
_ERRORS = frozenset({"error", "errors", "detail"})
_GIST, _MOST = 5, 0.6
_NAMES = frozenset({"name", "title", "text", "word", "result", "results", "quote", "label", "answer"})
_SHORTEST = 3
_BRIEF = 12
_LONGEST_NAME = 80
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)


class Vocabulary:
    """The tokens of some texts, with other forms in which an answer may write them.

    Attributes:
        words: The tokens, their pieces and other forms.
        pairs: Tokens that stand beside each other.

    Examples:
        >>> known = Vocabulary("On 2024-05-01 Martha of marthas-shop paid 17.349.")
        >>> [known.has(token) for token in read("x 2024-05-01 17.35 17.4 May Marthas 30-day")]
        [False, True, True, False, True, True, False]
    """

    def __init__(self, *texts: str) -> None:
        self.words: set[str] = set()
        self.pairs: set[tuple[str, str]] = set()
        self._compounds = ""
        for text in texts:
            self.add(read(text[:_CHARACTERS]))

    def add(self, told: Sequence[Token]) -> None:
        """Take in the tokens of a text."""
        self.pairs.update((first.text, second.text) for first, second in pairwise(told))
        for token in told:
            if token.text in self.words:
                continue
            self.words.update((token.text, *token.pieces))
            if token.numeric:
                self.words.update(_forms(token.text, token.pieces))
            elif token.pieces != (token.text,):
                self._compounds += f" {token.text}"

    def has(self, token: Token) -> bool:
        """Return whether a token occurs, also rounded, with a unit, or run together with others in a name."""
        if token.text in self.words:
            return True
        if not token.numeric:
            pieces = all(piece in self.words for piece in token.pieces)
            return pieces or (len(token.text) > _SHORTEST and token.text in self._compounds)
        digits = [piece for piece in token.pieces if piece[0].isdecimal()]
        return len(digits) < len(token.pieces) and all(piece in self.words for piece in digits)


def _forms(text: str, pieces: Sequence[str]) -> Iterator[str]:
    """Yield other forms of a number, a date or a time."""
    if len(text) > _LONG_NUMBER:
        return
    if text.count(".") == 1 and text.replace(".", "").isdecimal():
        yield from (plain_number(f"{float(text):.{places}f}") for places in range(_DECIMALS))
    yield from (text[:position] for position, mark in enumerate(text) if mark == ":")
    if (
        text.count("-") == len(pieces) - 1 == 2
        and pieces[1].isdecimal()
        and 0 < int(pieces[1]) <= len(_MONTHS)
    ):
        month = _MONTHS[int(pieces[1]) - 1]
        yield from (month, month[:_SHORTEST])


@dataclass(frozen=True, slots=True)
class Value:
    """A single value of a result.

    Attributes:
        key: Stems of its name.
        named: Whether it is what the thing is called, or the whole result.
        words: Its words and numbers.
        news: Those that neither the query nor an argument has so far.
    """

    key: frozenset[str]
    named: bool
    words: frozenset[str]
    news: frozenset[str]

    def is_told(self, words: AbstractSet[str]) -> bool:
        """Return whether a text of these words tells news of it: most of them, or five of a long text."""
        return bool(self.news) and len(self.news & words) >= min(_GIST, _MOST * len(self.news))

    def is_named(self, words: AbstractSet[str], terms: AbstractSet[str]) -> bool:
        """Return whether a text has it and its name, though it may be no news."""
        return bool(self.key) and self.key <= terms and self.words <= words

    def is_asked(self, terms: AbstractSet[str]) -> bool:
        """Return whether a query of these terms asks for it by its name."""
        return self.named or not self.key.isdisjoint(terms)


@dataclass(frozen=True, slots=True)
class Result:
    """A call that is evidence.

    Attributes:
        api: What was called.
        values: What it gave.
        needed: Whether a later call was made with something that it gave.
    """

    api: ToolId | None
    values: tuple[Value, ...]
    needed: bool


class Evidence:
    """The calls of a case that were answered and that follow from the query.

    A call follows where each argument is documented, or most of its words come from the query or an earlier
    result. What one that does not follow returns is no evidence.

    Attributes:
        given: Tokens of the query and of all arguments.
        found: Tokens of the results.
        names: Stems of the names of their values.
        brief: Words of their short values.
        results: What the calls gave.
        tried: How many calls there were.
        answered: How many of them were answered without an error.

    Examples:
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import ToolResult
        >>> task = Task("1", "How is the weather in Oslo?", (Tool("weather", "", {}),))
        >>> answer = ToolResult.of({"sky": "drizzle"}, source="world")
        >>> calls = [CallRecord("", "weather", {"city": city}, answer) for city in ("Oslo", "Springfield")]
        >>> evidence = Evidence(Case(task, "", tuple(calls)))
        >>> evidence.answered, [sorted(value.news) for result in evidence.results for value in result.values]
        (2, [['drizzle']])
    """

    def __init__(self, case: Case) -> None:
        calls = [call for call in case.calls if call.name != FINISH]
        tools = {tool.name: tool for tool in case.task.tools}
        self.given, self.found = Vocabulary(case.task.query), Vocabulary()
        self.names: set[str] = set()
        self.brief: set[str] = set()
        self.results: list[Result] = []
        self.tried, self.answered = len(calls), 0
        self._room = _ALL_CHARACTERS
        known = Vocabulary(case.task.query)
        arguments = [read(_spelt(call.arguments)[:_ARGUMENT]) for call in calls[:_CALLS]]
        for position, (call, told) in enumerate(zip(calls, arguments, strict=False), 1):
            self.given.add(told)
            if call.result.error or call.result.source == "fault" or call.result.status is not Status.OK:
                continue
            self.answered += 1
            tool = tools.get(call.name)
            if _follows(call, tool, known):
                self.names |= _key(call.name)
                values = tuple(self._values(call, known))
                later = {token.text for others in arguments[position:] for token in others}
                needed = any(value.is_told(later) for value in values)
                self.results.append(Result(None if tool is None else tool.id, values, needed))

    def _values(self, call: CallRecord, known: Vocabulary) -> Iterator[Value]:
        room = min(_CHARACTERS, self._room)
        for name, text in _leaves(call.result.response):
            told, key = read(text[:room]), _key(name)
            words = frozenset(word for token in told for word in _words(token))
            for vocabulary in (self.found, known):
                vocabulary.add(told)
                vocabulary.words |= key
            self.names |= key
            if len(told) <= _BRIEF:
                self.brief |= words
            yield Value(key, not name or name.lower() in _NAMES, words, words - self.given.words - COMMON)
            room -= len(text)
            self._room -= len(text)
            if room <= 0:
                return


def _words(token: Token) -> tuple[str, ...]:
    return (token.text,) if token.numeric else token.pieces


@lru_cache(maxsize=10_000)
def _key(name: str) -> frozenset[str]:
    return key_terms([name[:_LONGEST_NAME]])


def _follows(call: CallRecord, tool: Tool | None, known: Vocabulary) -> bool:
    """Return whether the arguments of a call come from what is known by then, or are documented."""
    if isinstance(call.arguments, str):
        return True
    properties = {} if tool is None else tool.parameters.get("properties", {})
    schemas = properties if isinstance(properties, Mapping) else {}
    return not any(_is_foreign(value, schemas.get(name), known) for name, value in call.arguments.items())


def _is_foreign(value: object, schema: object, known: Vocabulary) -> bool:
    text = _spelt(value)[:_ARGUMENT]
    told = [token for token in read(text) if len(token.text) >= _SHORTEST]
    if isinstance(value, bool) or not told or text in _spelt(schema):
        return False
    return 2 * sum(not known.has(token) for token in told) > len(told)


def _leaves(response: object) -> Iterator[tuple[str, str]]:
    """Yield the single values of a response with their names; none where it only says that it failed."""
    if isinstance(response, str) and response[:1] in ("{", "["):
        try:
            response = jsontext.loads(response)
        except ValueError:
            yield "", str(response)
            return
    if isinstance(response, Mapping) and _ERRORS.issuperset(response):
        return
    stack: list[tuple[str, Json]] = [("", response)]
    for _ in range(_VALUES):
        if not stack:
            return
        name, value = stack.pop()
        if isinstance(value, Mapping):
            stack += [(str(key), member) for key, member in reversed(list(value.items()))]
        elif isinstance(value, list):
            stack += [(name, member) for member in reversed(value)]
        elif value is not None and value != "" and not isinstance(value, bool):
            yield name, _spelt(value)


def _spelt(value: object) -> str:
    """Return a value as text; none of one that no JSON can hold."""
    try:
        return value if isinstance(value, str) else jsontext.dumps(value)
    except (ValueError, RecursionError, TypeError):
        return ""
