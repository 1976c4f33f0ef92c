"""What the calls of an episode are worth as evidence: which follow from the query, and what they told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache

from stb_env.judges.facts import Facts
from stb_env.judges.judge import Case
from stb_env.judges.knowledge import Knowledge, meaning
from stb_env.judges.terms import key_terms, terms, terms_of, tokens
from stb_env.tools import FINISH, Status, Tool, ToolId
from stb_env.trajectory import CallRecord, arguments_text

# An answer without an error that is empty, or only says that there was one.
_HOLLOW = re.compile(
    r'\{"error": "", "response": (?:""|\{\}|\[\]|null|\{"(?:error|errors|detail)": "(?:[^"\\]|\\.)*"\})\}',
    re.DOTALL,
)
# Members of JSON, of JSON inside a text, and of what Python prints of a dictionary.
_KEY = re.compile(r"""\\?["']([\w .@/-]{1,40})\\?["']\s*:""")
_ENVELOPE = frozenset({"error", "response"})
# What a thing is called, and when it was.
_NAMES = frozenset(
    {"name", "title", "text", "word", "value", "label", "result", "results", "year", "month", "day"}
)
_UNSAID = frozenset({"true", "fals", "null", "http", "https", "www", "com"})
_LAST = re.compile(r"[A-Z]?[a-z]+\Z|[A-Z]+\Z")
_GIST, _FEW, _LISTED = 5, 2, 6
_WHOLE = 0.6
# No response is worth more as evidence.
_MAX_RESPONSE = 65_536


@dataclass(frozen=True, slots=True)
class Leaf:
    """A member of a response.

    Attributes:
        key: Stems of its name.
        named: Whether it names what the response is about, as nearly any answer does.
        news: Terms of its value that neither the query nor the arguments have.
        gist: How many of them an answer has that tells it: of a long text the gist, of a long list a few.
    """

    key: frozenset[str]
    named: bool
    news: frozenset[str]
    gist: float


@dataclass(frozen=True)
class Source:
    """An answered call.

    Attributes:
        api: Identity of what was called.
        record: The call with its result.
        guessed: Whether it does not follow from the query and earlier results (`Knowledge.follows`).
        given: Terms of the query and of all arguments, which are nobody's findings.
        needed: What later calls were made with that the query does not say.
    """

    api: ToolId | None
    record: CallRecord
    guessed: bool
    given: frozenset[str]
    needed: frozenset[str]

    @property
    def fed(self) -> bool:
        """Whether a later call has something from it."""
        return bool(self.needed) and not self.needed.isdisjoint(self.tokens)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Its members that say something new."""
        return tuple(_leaves(self.members, self.given))

    @cached_property
    def members(self) -> list[tuple[str, frozenset[str], bool]]:
        """Name, tokens of the value, and whether it is a list, of each member."""
        parts = _KEY.split(self.text)
        return [
            (key, tokens(value), value.count("'") + value.count('"') >= _LISTED)
            for key, value in zip(parts[1::2], parts[2::2], strict=True)
        ]

    @cached_property
    def tokens(self) -> frozenset[str]:
        """All of its words and numbers."""
        keys = tokens(" ".join({key for key, _, _ in self.members}))
        return keys.union(*(value for _, value, _ in self.members))

    @property
    def text(self) -> str:
        """As much of it as is evidence."""
        return self.record.result.text[:_MAX_RESPONSE]


class Evidence:
    """The calls of a case, as far as they bear on its answer.

    Args:
        case: The case.

    Attributes:
        tried: How many calls there were.
        answered: Those that were answered without an error and with something.
        followed: Those of them that follow from the query: what a guess returns says nothing about it.
        asked: Terms of the query.
        argued: Terms of all arguments.
        given: Terms of both.

    Examples:
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import ToolResult
        >>> schema = {"type": "object", "properties": {"city": {"type": "string"}}}
        >>> task = Task("1", "How is the weather in Oslo?", (Tool("weather", "", schema),))
        >>> answer = ToolResult.of({"sky": "drizzle"}, source="world")
        >>> calls = [CallRecord("", "weather", {"city": city}, answer) for city in ("Oslo", "Springfield")]
        >>> [source.guessed for source in Evidence(Case(task, "", tuple(calls))).answered]
        [False, True]
    """

    def __init__(self, case: Case) -> None:
        calls = [call for call in case.calls if call.name != FINISH]
        tools = {tool.name: tool for tool in case.task.tools}
        self._task = case.task
        self._arguments = [call.arguments for call in calls]
        self.asked = terms(case.task.query)
        self.argued = terms("\n".join(arguments_text(call.arguments) for call in calls))
        self.given = self.asked | self.argued
        self.tried = len(calls)
        self.answered = list(self._read(case.task.query, calls, tools))
        self.followed = [source for source in self.answered if not source.guessed]

    @cached_property
    def tokens(self) -> frozenset[str]:
        """All words and numbers of what follows from the query."""
        return frozenset().union(*(source.tokens for source in self.followed))

    @cached_property
    def words(self) -> frozenset[str]:
        """The terms among them."""
        return terms_of(self.tokens)

    @cached_property
    def values(self) -> frozenset[str]:
        """The terms of the values in it."""
        return terms_of(frozenset[str]().union(*(fact.words for fact in self.facts.all)))

    @cached_property
    def facts(self) -> Facts:
        """The values of what follows from the query."""
        given = "\n".join((self._task.query, *map(arguments_text, self._arguments)))
        vocabulary = "\n".join(f"{tool.name} {tool.description}" for tool in self._task.tools)
        responses = [source.record.result.response for source in self.followed]
        return Facts(responses, given, vocabulary, self._task.query)

    def _read(self, query: str, calls: Sequence[CallRecord], tools: dict[str, Tool]) -> Iterator[Source]:
        known = Knowledge(query)
        later = _needed_later(calls, known.words)
        for call, needed in zip(calls, later, strict=True):
            if not _answered(call):
                continue
            tool = tools.get(call.name)
            guessed = not known.follows(call, tool)
            source = Source(None if tool is None else tool.id, call, guessed, self.given, needed)
            yield source
            if not guessed:
                known.learn(source.text, source.tokens)


def _answered(call: CallRecord) -> bool:
    result = call.result
    return not result.error and result.status is Status.OK and _HOLLOW.fullmatch(result.text) is None


def _needed_later(calls: Sequence[CallRecord], known: AbstractSet[str]) -> list[frozenset[str]]:
    """Return, for each call, what the arguments of later ones have that the query does not say."""
    needed: list[frozenset[str]] = []
    after: frozenset[str] = frozenset()
    for call in reversed(calls):
        needed.append(after)
        after |= meaning(arguments_text(call.arguments)) - known
    return needed[::-1]


def _leaves(members: Iterable[tuple[str, frozenset[str], bool]], given: frozenset[str]) -> Iterator[Leaf]:
    for key, value, listed in members:
        news = terms_of(value) - given - _UNSAID
        if news:
            words, named = _read_key(key)
            yield Leaf(words, named, news, min(_FEW if listed else _GIST, _WHOLE * len(news)))


@lru_cache(maxsize=20_000)
def _read_key(key: str) -> tuple[frozenset[str], bool]:
    last = _LAST.search(key)
    return key_terms([key]), key in _ENVELOPE or (last is not None and last[0].lower() in _NAMES)
