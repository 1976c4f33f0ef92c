"""A program's honest way through an open query: arguments that the query names, an answer in sentences."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Mapping

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.judges.terms import key_terms, terms
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall, ToolResult

_SENTENCES = re.compile(r"(?<=[.!?])\s+")
_ASKING = re.compile(
    r"^.*\b(?:tell me|give me|provide me with|find|get|fetch|list|show me|how is|what is)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"(?<!\w)['\"‘“]([^'\"‘’“”]{2,80})['\"’”](?!\w)")
_MARKED = re.compile(r"\S*\d\S*|\S+@\S+|https?://\S+|\S+\.[a-z]{2,}\S*")
_NAMED = re.compile(r"(?<=[a-z,] )[A-Z][\w'-]+(?: (?:of |de |van )?[A-Z][\w'-]+)*")
PLACEHOLDERS: JsonMapping = {
    "number": 1,
    "integer": 1,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}
# A report tells the first few of a list, and of each what was asked for, as people do.
_MEMBERS = 3
_FACTS = 4
_LONGEST = 160
_BARE = terms("true false none null")
_NAMES = frozenset({"name", "title", "text", "result", "word", "quote", "label"})


def plain_answer(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Call each relevant API with what the query says, and answer in sentences with what was asked for.

    Where the query has no value for a parameter, an earlier result or the documented default gives it. It is
    a reference for plumbing and judges, not a solution: it picks values by words, and understands nothing.

    Examples:
        >>> schema = {"type": "object", "properties": {"city": {"type": "string", "default": "Rome"}},
        ...           "required": ["city"]}
        >>> task = Task("1", "How is the weather in Oslo?", (Tool("weather", "Tells it.", schema),))
        >>> plan = plain_answer(task)
        >>> next(plan).arguments
        {'city': 'Oslo'}
        >>> try:
        ...     plan.send(ToolResult.of({"weather": "drizzle", "station": 4}, source="world"))
        ... except StopIteration as stop:
        ...     stop.value
        'On the weather in Oslo, I found this: the weather is drizzle.'
    """
    by_id = {tool.id: tool for tool in task.tools}
    wanted = [by_id[identity] for identity in task.relevant if identity in by_id] or list(task.tools)
    read: list[Json] = []
    said = []
    for tool in wanted:
        result = yield ToolCall(tool.name, stated_arguments(tool, task.query, read))
        if not result.error:
            read.append(result.response)
            said.append(report(task.query, tool, result.response))
    return " ".join(filter(None, said)) or "The tools had no answer to this."


def stated_arguments(tool: Tool, query: str, read: Iterable[object] = ()) -> dict[str, object]:
    """Return required arguments from the query, else from earlier results, else the documented defaults.

    Examples:
        >>> schema = {"type": "object", "properties": {"day": {"type": "string", "enum": ["mon", "tue"]}},
        ...           "required": ["day"]}
        >>> stated_arguments(Tool("opening", "", schema), "Is it open on Tue?")
        {'day': 'tue'}
    """
    known = {path[-1]: value for response in read for path, value in _leaves(response) if path}
    values = list(dict.fromkeys(_values(query)))
    properties = tool.parameters.get("properties", {})
    return {
        name: _stated(name, properties.get(name, {}), query, values, known)
        for name in tool.parameters.get("required", ())
    }


def _stated(
    name: str, schema: JsonMapping, query: str, values: list[str], known: Mapping[str, object]
) -> object:
    default, kinds = schema.get("default"), schema.get("type", "string")
    kind = kinds[0] if isinstance(kinds, list) else kinds
    if default not in (None, "") and terms(str(default)) and terms(str(default)) <= terms(query):
        return default
    for member in schema.get("enum", ()):
        if str(member).lower() in query.lower():
            return member
    if name not in known and name.endswith("id"):
        name = next((key for key in known if key.lower().endswith("id")), name)
    if name in known and (kind == "string") == isinstance(known[name], str):
        return known[name]
    if kind == "string" and "enum" not in schema and values:
        # Values are written in the order of the query, and taken by what they look like.
        return max(values, key=lambda value: (_alike(value, str(default or "")), -values.index(value)))
    if default is not None:
        return default
    return schema["enum"][0] if schema.get("enum") else PLACEHOLDERS.get(kind, query)


def _values(query: str) -> Iterator[str]:
    yield from _QUOTED.findall(query)
    for found in (*_MARKED.findall(query), *_NAMED.findall(query)):
        yield found.strip(".,;:!?()'\"")


def _alike(value: str, default: str) -> int:
    shapes = (str.isdigit, str.isalpha, str.isupper, lambda text: " " in text, lambda text: "." in text)
    return sum(shape(value) == shape(default) for shape in shapes) if default else 0


def report(query: str, tool: Tool, response: object) -> str:
    """Say in one sentence what a response has of what the query asks.

    Examples:
        >>> report("Which ferry goes to Harwich, at what price?", Tool("ferries", "Ferry search.", {}),
        ...        [{"ferry": "Stena", "code": "x9", "price": 49.5}])
        'On which ferry goes to Harwich, at what price, I found this: the ferry is Stena; the price is 49.5.'
    """
    leaves = [(path, value) for path, value in _leaves(response) if 0 < len(str(value)) <= _LONGEST]
    asked = terms(query)
    # What the query said itself is no news.
    leaves = [(path, value) for path, value in leaves if terms(str(value)) - asked - _BARE] or leaves
    found = [(path, value) for path, value in leaves if key_terms(path[-1:]) & asked]
    found += [(path, value) for path, value in leaves if path and path[-1].lower() in _NAMES]
    chosen = list(dict.fromkeys(found))[:_FACTS] or leaves[:2]
    if not chosen:
        return ""
    facts = "; ".join(f"the {_spoken(path)} is {value}" for path, value in chosen)
    return f"On {_topic(query, tool)}, I found this: {facts}."


def _topic(query: str, tool: Tool) -> str:
    """Return the part of the query that a tool is for, without what makes it a question."""
    wanted = terms(f"{tool.name.replace('_', ' ')} {tool.description}")
    part = max(_SENTENCES.split(query), key=lambda text: len(terms(text) & wanted))
    part = _ASKING.sub("", part).strip()
    part = part[:1].lower() + part[1:]
    return part.strip(" .?!")[:200].replace("my ", "your ") or "your question"


def _spoken(path: tuple[str, ...]) -> str:
    return " ".join(re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", path[-1])).lower() if path else "answer"


def _leaves(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from _leaves(member, (*path, str(name)))
    elif isinstance(value, list):
        for member in value[:_MEMBERS]:
            yield from _leaves(member, path)
    elif value is not None:
        yield path, value
