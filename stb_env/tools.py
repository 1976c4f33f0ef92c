"""Tools, calls and results, and the only place where names are standardised.

The rules of standardisation are those of the published code (Qin et al., 2023; Guo et al., 2024), character
for character, because its caches and answer files are keyed by them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError, did_you_mean
from stb_env.usage import Usage

Source = Literal["cache", "real", "simulator", "world", "fault", "env"]

MAX_NAME = 64
FINISH = "Finish"
PYTHON = "python"
"""Names the call that runs a program, where actions are programs."""
# No identity that `ToolId.of` makes has a blank in its category.
NO_CATEGORY = "no category"
RESERVED = frozenset({"from", "class", "return", "false", "true", "id", "and"})

# The caret is kept because the original wrote it inside its character class.
_FOREIGN = re.compile(r"[^\u4E00-\u9FA5a-zA-Z0-9_^]")
_RUNS = re.compile(r"_{2,}")
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_LEGAL = re.compile(rf"[a-zA-Z0-9_-]{{1,{MAX_NAME}}}").fullmatch
_CATEGORY = re.compile(r"[ ,/]")


class Status(IntEnum):
    """Outcome of a call; a step's status is the highest of its calls."""

    OK = 0
    TOOL_ERROR = 1
    INVALID_ARGUMENTS = 2
    UNKNOWN_TOOL = 3
    NO_CALL = 4
    GAVE_UP = 5
    FINISHED = 6
    FAILURE = 7


@lru_cache(maxsize=65_536)
def standardize(name: str) -> str:
    """Standardise a tool, API or parameter name as the published code does.

    Examples:
        >>> standardize("168predict VIP Football Predictions")
        'get_168predict_vip_football_predictions'
        >>> standardize("/shipping/{id}")
        'shipping_id'
    """
    name = _RUNS.sub("_", _FOREIGN.sub("_", name)).lower().strip("_")
    return f"get_{name}" if name[:1].isdigit() else name


def escape_reserved(name: str) -> str:
    """Put ``is_`` before the seven words that the original reserves.

    Examples:
        >>> escape_reserved("from"), escape_reserved("import")
        ('is_from', 'import')
    """
    return f"is_{name}" if name in RESERVED else name


@lru_cache(maxsize=65_536)
def pure_name(name: str) -> str:
    """Standardise an API or parameter name, reserved words escaped.

    Examples:
        >>> pure_name("ID")
        'is_id'
    """
    return escape_reserved(standardize(name))


def standardize_category(category: str) -> str:
    """Standardise a category name: blanks, commas and slashes become ``_``, once collapsed.

    Examples:
        >>> standardize_category("Artificial Intelligence/Machine Learning")
        'Artificial_Intelligence_Machine_Learning'
    """
    return _CATEGORY.sub("_", category).replace("__", "_")


class ToolId(NamedTuple):
    """Identity of an API: category, tool and api, each standardised.

    Examples:
        >>> ToolId.of("News, Media", "Daily News", "Top/Headlines")
        ToolId(category='News_Media', tool='daily_news', api='top_headlines')
    """

    category: str
    tool: str
    api: str

    @classmethod
    def of(cls, category: str, tool: str, api: str) -> ToolId:
        """Build an identity from raw names."""
        return cls(standardize_category(category), standardize(tool), pure_name(api))

    @classmethod
    def named(cls, name: str) -> ToolId:
        """Return the identity of a tool that has nothing but its name, which is kept as it is.

        It differs for every name, and from whatever `of` returns.

        Examples:
            >>> ToolId.named("get-Weather")
            ToolId(category='no category', tool='', api='get-Weather')
        """
        return cls(NO_CATEGORY, "", name)


NO_ID = ToolId("", "", "")
"""Says that none is given."""


def unique_names(ids: Iterable[ToolId]) -> dict[ToolId, str]:
    """Name APIs so that no two share a name and each name is a valid OpenAI function name.

    The plain ``api_for_tool`` is kept wherever it is unambiguous and at most 64 characters long; every
    other name ends in eight hex digits of its identity. Independent of order.

    Examples:
        >>> a, b = ToolId("Media", "demo", "get"), ToolId("Events", "demo", "get")
        >>> sorted(unique_names([a, b]).values())
        ['get_for_demo_97279355', 'get_for_demo_f194787a']
        >>> unique_names([a])
        {ToolId(category='Media', tool='demo', api='get'): 'get_for_demo'}
    """
    distinct = list(dict.fromkeys(ids))
    plain = {i: f"{i.api}_for_{i.tool}" for i in distinct}
    shared = Counter(plain.values())
    return {
        i: name if shared[name] == 1 and _is_plain(i, name) else _hashed(i, name) for i, name in plain.items()
    }


def _is_plain(identity: ToolId, name: str) -> bool:
    return bool(identity.api) and len(name) <= MAX_NAME and not _UNSAFE.search(name)


def _hashed(identity: ToolId, name: str) -> str:
    digest = hashlib.sha256("\0".join(identity).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_UNSAFE.sub('_', name)[: MAX_NAME - 9].strip('_')}_{digest}"


def naming_problem(name: str) -> str:
    """Return why no tool can have a name, or nothing.

    Examples:
        >>> naming_problem("get_weather"), naming_problem("get weather")
        ('', 'a name has 1 to 64 of the characters a-z, A-Z, 0-9, _ and -')
    """
    if not name or len(name) > MAX_NAME or _UNSAFE.search(name):
        return f"a name has 1 to {MAX_NAME} of the characters a-z, A-Z, 0-9, _ and -"
    return "Finish is the call that ends an episode" if name == FINISH else ""


def naming_problems(tools: Iterable[Tool]) -> list[str]:
    """Return why tools cannot be offered together: bad names, names or identities that two of them share.

    Examples:
        >>> one = ToolId("Net", "icmp", "ping")
        >>> naming_problems([Tool("ping", "", {}, one), Tool("Ping", "", {}, one), Tool("Finish", "", {})])
        ["'Finish': Finish is the call that ends an episode", "'ping' and 'Ping' share a cache key"]
        >>> naming_problems([])
        ['there are no tools']
    """
    tools = list(tools)
    named: dict[str, Tool] = {}
    known: dict[ToolId, Tool] = {}
    problems = [] if tools else ["there are no tools"]
    problems += [f"{tool.name!r}: {naming_problem(tool.name)}" for tool in tools if naming_problem(tool.name)]
    for tool in tools:
        if named.setdefault(tool.name, tool) is not tool:
            problems.append(f"two tools are named {tool.name!r}")
        elif known.setdefault(tool.id, tool) is not tool:
            problems.append(f"{known[tool.id].name!r} and {tool.name!r} share a cache key")
    return problems


@dataclass(frozen=True, slots=True)
class Tool:
    """One callable API as an agent sees it.

    Attributes:
        name: What the agent calls it; at most 64 characters of ``[a-zA-Z0-9_-]``.
        description: What it does, for the agent.
        parameters: JSON Schema of its arguments, an object schema.
        id: Its identity, which keys the response cache; follows from the name where none is given.
        record: The API entry as the data set gives it (raw names, parameter list, template response).
        checked: Whether the name must be legal; False takes the one that another program gave, for the
            functions of an original and the tools of a saved run.
        spec: OpenAI function spec as JSON text, made once.

    Raises:
        DataError: The name is not legal.

    Examples:
        >>> from stb_env import Tool
        >>> tool = Tool("ping", "Answers pong.", {"type": "object", "properties": {}})
        >>> tool.spec[:44], tool.id.api
        ('{"type": "function", "function": {"name": "p', 'ping')
        >>> Tool("send ping", "Answers pong.", {})
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: a tool's name is 1 to 64 of [a-zA-Z0-9_-], got 'send ping'; rename it
    """

    name: str
    description: str
    parameters: JsonMapping
    id: ToolId = NO_ID
    record: JsonMapping = field(default_factory=dict, repr=False, compare=False)
    checked: bool = field(default=True, repr=False, compare=False, kw_only=True)
    spec: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.checked and not _LEGAL(self.name):
            raise DataError(
                f"a tool's name is 1 to {MAX_NAME} of [a-zA-Z0-9_-], got {self.name!r:.100}; rename it"
            )
        if self.id == NO_ID:
            object.__setattr__(self, "id", ToolId.named(self.name))
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        object.__setattr__(self, "spec", jsontext.dumps({"type": "function", "function": function}))

    def __hash__(self) -> int:
        return hash((self.name, self.id))

    def renamed(self, name: str) -> Tool:
        """Return the same tool, with the same identity, under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A name with arguments, as an agent wrote them.

    Attributes:
        name: The tool's name as written.
        arguments: An object, or the raw text where what was written is no object.
        id: Identifies the call among those of one step.

    Examples:
        >>> from stb_env import ToolCall
        >>> ToolCall("forecast", {"city": "Oslo"})
        ToolCall(name='forecast', arguments={'city': 'Oslo'}, id='')
    """

    name: str
    arguments: JsonMapping | str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """Result of a call, held as the JSON text of ``{"error", "response"}``.

    The response is decoded anew at each access, so no caller can change another's. ``usage`` is what a
    model that made the answer cost. ``origin`` says who gave a recorded answer when it was recorded, and
    ``api_class`` the class after Appendix D of Guo et al., 2024, of an answer that was observed as it came;
    both are empty elsewhere. ``key`` says which key found a recorded answer: ``exact`` where exactly the call
    was recorded, ``canonical`` where one was that the API could not tell from it.

    Examples:
        >>> result = ToolResult.of({"pong": True}, source="world")
        >>> result.text, result.response, result.status.name
        ('{"error": "", "response": {"pong": true}}', {'pong': True}, 'OK')
        >>> ToolResult.of("", error="no such city", source="world").status.name
        'TOOL_ERROR'
    """

    text: str
    error: str
    source: Source
    status: Status
    usage: Usage | None = None
    origin: str = ""
    api_class: str = ""
    key: str = ""

    @classmethod
    def of(
        cls,
        response: object,
        *,
        error: str = "",
        source: Source,
        status: Status | None = None,
        usage: Usage | None = None,
    ) -> ToolResult:
        """Build a result from a JSON value; the status follows from the error unless given."""
        text = jsontext.dumps({"error": error, "response": response})
        if status is None:
            status = Status.TOOL_ERROR if error else Status.OK
        return cls(text, error, source, status, usage)

    @property
    def response(self) -> Any:
        """The response value, a new object each time."""
        return jsontext.read_back(self.text)["response"]

    def noted(self, *, origin: str = "", api_class: str = "", key: str = "") -> ToolResult:
        """Return the same result with what is known of where it comes from."""
        return replace(self, origin=origin, api_class=api_class, key=key)


FINISH_TAKEN = f"a tool is named {FINISH!r}, which ends every episode; give it another name"


def shared_identity(one: Tool, other: Tool) -> str:
    """Say what is wrong with two different tools of one identity."""
    if one.name == other.name:
        return f"two tools named {one.name!r} differ and share {one.id}; give each its own name and identity"
    return (
        f"tools {one.name!r} and {other.name!r} share {one.id}, and with it their recorded responses; "
        "give each its own identity"
    )


class ToolCatalog:
    """All tools of a data set, by exact name and by identity.

    Args:
        tools: The tools; one that occurs again with the same identity is taken once.

    Raises:
        DataError: Two of them share a name but no identity, or an identity but not name and schema; or one
            is named Finish.

    Examples:
        >>> catalog = ToolCatalog([Tool("ping", "", {}, ToolId("Net", "icmp", "ping"))])
        >>> len(catalog), catalog.get("ping").id.tool, catalog.get("pong") is None
        (1, 'icmp', True)
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._by_name: dict[str, Tool] = {}
        self._by_id: dict[ToolId, Tool] = {}
        for tool in tools:
            known = self._by_name.setdefault(tool.name, tool)
            if known.id != tool.id:
                raise DataError(
                    f"two APIs are named {tool.name!r}: {known.id} and {tool.id}; use unique_names"
                )
            known = self._by_id.setdefault(tool.id, tool)
            if known is not tool and (known.name != tool.name or known.parameters != tool.parameters):
                raise DataError(shared_identity(known, tool))
        if FINISH in self._by_name:
            raise DataError(FINISH_TAKEN)

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._by_name.values())

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> Tool | None:
        """Return the tool of exactly this name, or None."""
        return self._by_name.get(name)

    def by_id(self, identity: ToolId) -> Tool | None:
        """Return the tool of this identity, or None."""
        return self._by_id.get(identity)

    def nearest(self, name: str) -> str:
        """Return a hint naming the closest tool, or an empty text."""
        return did_you_mean(name, self._by_name)
