"""What an agent can know when it makes a call: the query, and what earlier calls returned."""

from __future__ import annotations

import re

from stb_env.jsontypes import JsonMapping
from stb_env.judges.terms import terms, terms_of, tokens
from stb_env.tools import Tool
from stb_env.trajectory import CallRecord

# What a query names: quoted, with digits, or in capitals inside a sentence.
_NAMED = re.compile(r"(?<!\w)['\"‘“][^'\"‘’“”]{2,}['\"’”]|\d|(?<=[a-z,] )(?!I\b|API\b)[A-Z]\w+")
_FREE = 4

_ENDINGS = "jpe?g|png|gif|bmp|webp|svg|tiff?|pdf|docx?|xlsx?|csv|zip|mp[34]|wav|avi|mov"
# Quantities and days are not copied as they stand: who speaks of next week has its last day reckoned.
_RECKONED = r"\d+[^\W\d_]{1,5}\Z|\d{4}-\d\d-\d\d|(?:19|20)\d{6}\Z"
_KINDS = {
    "mail": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "address": re.compile(r"(?:https?://|www\.)\S+"),
    "file": re.compile(rf"[\w-]+\.(?:{_ENDINGS})"),
    "number": re.compile(rf"(?!{_RECKONED})\d{{5,}}"),
    "code": re.compile(rf"(?!{_RECKONED})(?=.*[^\W\d_])(?=.*\d.*\d)[^\W_][\w-]{{3,}}[^\W_]"),
}
_ENDS = {"address": ("url", "uri", "link"), "mail": ("mail",)}
_WORD = re.compile(r"[^\s'\"‘’“”<>()\[\]{}|,;]+")
_AROUND = ".,:;!?*`"
_RUN = re.compile(r"\d+|[^\W\d_]+")
_SCHEME = re.compile(r"(?:https?://)?(?:www\.)?")
_SENTENCES = re.compile(r"[.!?]\s+\w")
_TEXT = 8


class Knowledge:
    """What an agent can know when it makes a call.

    Args:
        query: What the user asks.

    Attributes:
        words: The words and numbers of it all, and the stems of the query's.

    Examples:
        >>> from stb_env.tools import ToolResult
        >>> nothing = ToolResult.of({}, source="world")
        >>> mine, other = (CallRecord("", "track", {"id": one}, nothing) for one in ("NO552917", "NO104422"))
        >>> known = Knowledge("Where is parcel NO552917?")
        >>> known.follows(mine, None), known.follows(other, None)
        (True, False)
        >>> known.learn("Both are on their way: NO104422, NO552917.", frozenset({"no", "104422"}))
        >>> known.follows(other, None)
        True
    """

    def __init__(self, query: str) -> None:
        self.words = set(tokens(query) | terms(query))
        self._named = _NAMED.search(query) is not None
        self._query = query.lower()
        self._returned = ""
        self._marked: dict[str, set[str]] = {}
        for word in _WORD.findall(self._query):
            value = word.strip(_AROUND)
            if kind := _kind(value):
                self._marked.setdefault(kind, set()).add(value)

    def learn(self, text: str, words: frozenset[str]) -> None:
        """Take in what a call returned."""
        self._returned += "\n" + text.lower()
        self.words |= words

    def follows(self, call: CallRecord, tool: Tool | None) -> bool:
        """Return whether an argument of a call comes from here, and none from elsewhere.

        Short codes, small numbers and members of an enumeration are chosen, not known. A query that names
        nothing leaves an agent no more than the documented default.
        """
        if isinstance(call.arguments, str):
            return not meaning(call.arguments).isdisjoint(self.words)
        properties = {} if tool is None else tool.parameters.get("properties", {})
        free = known = False
        for name, value in call.arguments.items():
            schema = properties.get(name, {})
            if isinstance(value, bool) or "enum" in schema:
                continue
            if isinstance(value, str) and self._foreign(name, value.strip().lower(), schema):
                return False
            if len(str(value)) >= _FREE:
                known = known or not meaning(str(value)).isdisjoint(self.words)
                free = free or self._named or value != schema.get("default")
        return known or not free

    def _foreign(self, name: str, value: str, schema: JsonMapping) -> bool:
        """Return whether an argument comes from elsewhere.

        An address, a code, a long number or the name of a file is copied, never made up: where the query has
        one of the sort, another is not what it is about. A parameter for addresses takes the one
        address of the query where there is one, and no word that is not even there. A text of sentences is
        for the most part made of what is known. What was returned or documented is no invention.
        """
        if value in _documented(schema) or _bare(value) in self._returned:
            return False
        if _SENTENCES.search(value):
            words = terms(value)
            return len(words) >= _TEXT and 2 * len(words & terms_of(self.words)) < len(words)
        kind = _kind(value)
        if any(_alike(kind, one, value) for one in self._marked.get(kind, ())):
            return _bare(value) not in self._query and not any(one in value for one in self._marked[kind])
        wanted = next((kind for kind, ends in _ENDS.items() if name.lower().endswith(ends)), kind)
        if kind == wanted or "." in value:
            return False
        there = self._marked.get(wanted, set())
        return value not in (next(iter(there)) if len(there) == 1 else self._query)


def meaning(text: str) -> frozenset[str]:
    """Return the words of an argument and their stems, those aside that join others.

    Examples:
        >>> sorted(meaning("The ferries of 2024"))
        ['2024', 'ferri', 'ferries']
    """
    words = tokens(text)
    long = frozenset(word for word in words if len(word) >= _FREE or word[0].isdigit())
    return (long or words) | terms_of(words)


def _documented(schema: JsonMapping) -> set[str]:
    return {str(schema.get(name, "")).strip().lower() for name in ("default", "example")}


def _kind(value: str) -> str:
    return next((kind for kind, pattern in _KINDS.items() if pattern.fullmatch(value)), "")


def _alike(kind: str, one: str, other: str) -> bool:
    """Return whether two values of a kind look like the same sort of thing."""
    if kind not in ("number", "code") or len(one) == len(other):
        return True
    return kind == "code" and _form(one) == _form(other)


def _form(code: str) -> str:
    return _RUN.sub(lambda run: "9" if run[0].isdigit() else "a", code)


def _bare(address: str) -> str:
    return _SCHEME.sub("", address, count=1).rstrip("/")
