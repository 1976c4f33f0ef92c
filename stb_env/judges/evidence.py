"""What the calls of an episode are worth as evidence: which of them follow from the query, and what they told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from stb_env.judges.judge import Case
from stb_env.judges.terms import key_terms, numbers, terms
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
_NAMES = frozenset({"name", "title", "text", "word", "value", "label", "result", "results"})
_UNSAID = frozenset({"true", "fals", "null", "http", "https", "www", "com"})
# No response is worth more as evidence.
_MAX_RESPONSE = 65_536
_FREE = 4


@dataclass(frozen=True, slots=True)
class Leaf:
    """A member of a response.

    Attributes:
        key: Stems of its name.
        named: Whether it names what the response is about, as nearly any answer does.
        value: Terms of its value that neither the query nor the arguments have.
    """

    key: frozenset[str]
    named: bool
    value: frozenset[str]


@dataclass(frozen=True)
class Source:
    """An answered call.

    Attributes:
        api: Identity of what was called.
        record: The call with its result.
        guessed: Whether none of its arguments comes from the query or an earlier result.
        given: Terms of the query and of all arguments, which are nobody's findings.
    """

    api: ToolId | None
    record: CallRecord
    guessed: bool
    given: frozenset[str]

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Its members that say something new."""
        return tuple(_leaves(self.text, self.given))

    @cached_property
    def words(self) -> frozenset[str]:
        """The terms of all of it."""
        return terms(self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its numbers."""
        return numbers(self.text)

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
        given: Terms of the query and of all arguments.

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
        self.asked = terms(case.task.query)
        self.given = self.asked | terms("\n".join(arguments_text(call.arguments) for call in calls))
        self.tried = len(calls)
        self.answered = list(self._read(calls, tools))
        self.followed = [source for source in self.answered if not source.guessed]

    def _read(self, calls: Sequence[CallRecord], tools: dict[str, Tool]) -> Iterator[Source]:
        known = set(self.asked)
        for call in calls:
            if not _answered(call):
                continue
            tool = tools.get(call.name)
            guessed = _guessed(call, tool, known)
            source = Source(None if tool is None else tool.id, call, guessed, self.given)
            yield source
            if not guessed:
                known |= source.words


def _answered(call: CallRecord) -> bool:
    result = call.result
    return not result.error and result.status is Status.OK and _HOLLOW.fullmatch(result.text) is None


def _guessed(call: CallRecord, tool: Tool | None, known: set[str]) -> bool:
    free = list(_free_arguments(call, tool))
    return bool(free) and not any(words & known for words in free)


def _free_arguments(call: CallRecord, tool: Tool | None) -> Iterator[frozenset[str]]:
    """Yield the terms of each argument that only the task can say.

    Short codes, small numbers and members of an enumeration are chosen, not known.
    """
    if isinstance(call.arguments, str):
        yield terms(call.arguments)
        return
    properties = {} if tool is None else tool.parameters.get("properties", {})
    for name, value in call.arguments.items():
        text = str(value)
        if isinstance(value, bool) or len(text) < _FREE or "enum" in properties.get(name, {}):
            continue
        yield terms(text)


def _leaves(text: str, given: frozenset[str]) -> Iterator[Leaf]:
    parts = _KEY.split(text)
    for key, value in zip(parts[1::2], parts[2::2], strict=True):
        said = terms(value) - given - _UNSAID
        if said:
            name = key.lower()
            yield Leaf(key_terms([key]), name in _NAMES or name in _ENVELOPE, said)
