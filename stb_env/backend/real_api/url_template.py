"""Puts arguments into the places of an HTTP template, such that none leaves its place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import ActionError
from stb_env.http.credentials import quoted

PLACE = re.compile(r"\{([^{}\"]+)\}")
HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
REST = "*"

_HEADER_VALUE = re.compile(r"[\t -~]*")


@dataclass(frozen=True, slots=True)
class Substitution:
    r"""One call's values for the places of a template.

    Attributes:
        arguments: The call's arguments by name; null counts as missing.
        fixed: Values of the names that begin with ``$``, which no argument can replace.
        named: Every name that has a place of its own.

    Examples:
        >>> arguments = {"city": "a/b?", "days": [1, 2], "x": None}
        >>> filling = Substitution(arguments, {"$key": "k"}, frozenset({"city"}))
        >>> filling.path("/v1/{city}"), filling.query("*"), filling.query({"x": "{x}", "u": "c {city}"})
        ('/v1/a%2Fb%3F', '?days=1&days=2', '?u=c%20a%2Fb%3F')
        >>> filling.body({"d": "{days}", "x": "{x}", "t": ["{city}!"]})
        {'d': [1, 2], 't': ['a/b?!']}
        >>> Substitution({"city": "a\r\nHost: b"}, {}, frozenset()).headers({"City": "{city}"})
        Traceback (most recent call last):
        ...
        stb_env.errors.ActionError: 'city' has characters that no HTTP header can carry
    """

    arguments: JsonMapping
    fixed: Mapping[str, str]
    named: frozenset[str]

    def path(self, path: str) -> str:
        """Return a URL path; each value stays inside its segment.

        Raises:
            ActionError: A value is missing or empty, or would lead to another folder.
        """
        return "/".join(self._segment(segment) for segment in path.split("/"))

    def query(self, query: Mapping[str, object] | str) -> str:
        """Return a query text with its question mark, or nothing; a list is repeated."""
        pairs = [
            f"{quoted(name)}={quoted(_text(item))}"
            for name, value in self._entries(query)
            for item in (value if isinstance(value, list) else [value])
        ]
        return f"?{'&'.join(pairs)}" if pairs else ""

    def headers(self, headers: Mapping[str, object]) -> dict[str, str]:
        """Return header values.

        Raises:
            ActionError: A value could end its line, or is not ASCII.
        """
        filled = {name: _text(value) for name, value in self._entries(headers)}
        for name, value in filled.items():
            if not _HEADER_VALUE.fullmatch(value):
                places = ", ".join(map(repr, PLACE.findall(str(headers[name]))))
                raise ActionError(f"{places} has characters that no HTTP header can carry")
        return filled

    def body(self, body: Json) -> Json:
        """Return a JSON body."""
        if body == REST:
            return dict(self._entries(REST))
        if isinstance(body, Mapping):
            return dict(self._entries(body))
        if isinstance(body, list):
            return [value for item in body if (value := self._fill(item)) is not None]
        return self._fill(body)

    def _entries(self, entries: Mapping[str, object] | str) -> Iterator[tuple[str, object]]:
        """Yield what is there of a table; an entry whose argument is missing is not."""
        if isinstance(entries, str):
            rest = ((name, value) for name, value in self.arguments.items() if name not in self.named)
            yield from ((name, value) for name, value in rest if value is not None)
            return
        for name, entry in entries.items():
            value = self._fill(entry)
            if value is not None:
                yield name, value

    def _fill(self, entry: object) -> object:
        """Return an entry with its places filled, or None where an argument is missing."""
        if isinstance(entry, Mapping | list):
            return self.body(entry)
        if not isinstance(entry, str):
            return entry
        alone = PLACE.fullmatch(entry)
        if alone:
            return self._value(alone[1])
        values = {name: self._value(name) for name in PLACE.findall(entry)}
        if any(value is None for value in values.values()):
            return None
        return PLACE.sub(lambda place: _text(values[place[1]]), entry)

    def _value(self, name: str) -> object:
        return self.fixed.get(name) if name.startswith("$") else self.arguments.get(name)

    def _segment(self, segment: str) -> str:
        names = PLACE.findall(segment)
        if not names:
            return segment
        for name in names:
            if self._value(name) in (None, ""):
                raise ActionError(f"{name!r} is missing, and it is a part of the URL")
        filled = PLACE.sub(lambda place: quoted(_text(self._value(place[1]))), segment)
        # Dots are not escaped by quoting, and servers and clients drop the folder before them.
        if unquote(filled) in (".", ".."):
            raise ActionError(
                f"{', '.join(map(repr, names))} cannot be {unquote(filled)!r} in the path of a URL"
            )
        return filled


def _text(value: object) -> str:
    return value if isinstance(value, str) else jsontext.dumps(value)
