"""Values of programs: as arguments of calls, and as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from stb_env.actions import MAX_TEXT, MAX_VALUES
from stb_env.core.jsontext import CUT_MARK
from stb_env.core.jsontypes import Json

MAX_DEPTH = 64
# Longer integers are text to whoever reads them back.
_MOST_BITS = 990
_SHOWN_ARGUMENT = 200
# Python itself writes no longer ones as text.
_MOST_SHOWN_BITS = 14_000


class NotJSONError(ValueError):
    """A value that JSON has no word for, or one without end."""


def as_json(value: Any) -> Json:
    """Copy a value of a program as JSON data; tuples become lists.

    Raises:
        NotJSONError: It is something else, or too large.

    Examples:
        >>> as_json({"a": (1, None)})
        {'a': [1, None]}
        >>> as_json([{1, 2}])
        Traceback (most recent call last):
        ...
        stb_env.envs.program_value.NotJSONError: a set, which is no JSON data
    """
    return _Copier().copy(value, MAX_DEPTH)


class Given(NamedTuple):
    """An argument of a program's call.

    Attributes:
        value: It as JSON data, or as text where it is none.
        problem: What it is instead; empty where it is JSON data.
    """

    value: Json
    problem: str = ""


def given(value: object, *, data: bool = True) -> Given:
    """Return a value of a program as an argument.

    Args:
        value: The value.
        data: Whether it is wanted as data: what no tool gets is shown as text.

    Examples:
        >>> given((1, 2)), given("x", data=False)
        (Given(value=[1, 2], problem=''), Given(value="'x'", problem=''))
        >>> given({3})
        Given(value='{3}', problem='a set, which is no JSON data')
    """
    problem = ""
    if data:
        try:
            return Given(as_json(value))
        except NotJSONError as error:
            problem = str(error)
    return Given(shown(value, _SHOWN_ARGUMENT), problem)


class _Copier:
    def __init__(self) -> None:
        # Values may share their parts, so that a copy is longer than they are.
        self._values, self._characters = MAX_VALUES, MAX_TEXT

    def copy(self, value: Any, depth: int) -> Json:
        self._values -= 1
        if depth < 0 or self._values < 0:
            raise NotJSONError("a value that is too large or nests too deep")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int):
            if value.bit_length() > _MOST_BITS:
                raise NotJSONError("a number that is too large")
            return int(value)
        if isinstance(value, float):
            if not math.isfinite(value):
                raise NotJSONError(f"{value}, which is no JSON data")
            return float(value)
        if isinstance(value, list | tuple):
            return [self.copy(item, depth - 1) for item in value]
        if isinstance(value, dict):
            return {self._key(key): self.copy(item, depth - 1) for key, item in value.items()}
        raise NotJSONError(f"{kind_of(value)}, which is no JSON data")

    def _text(self, text: str) -> str:
        self._characters -= len(text)
        if self._characters < 0:
            raise NotJSONError("a text that is too long")
        return text

    def _key(self, key: object) -> str:
        if not isinstance(key, str):
            raise NotJSONError("a dict with a key that is no text")
        return self._text(key)


def encodable(text: str) -> str:
    """Return a text without lone halves of characters, which no program can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def kind_of(value: object) -> str:
    """Return the kind of a value with its article.

    Examples:
        >>> kind_of({1}), kind_of(0j)
        ('a set', 'a complex')
    """
    name = type(value).__name__
    # Objects and functions of a program are stand-ins here.
    if name.startswith("Monty"):
        name = f"{value.name} object" if hasattr(value, "name") else "object"
    return f"{'an' if name[:1].lower() in 'aeio' else 'a'} {name}"


def shown(value: object, room: int) -> str:
    r"""Return a value as Python shows it, up to so many characters; sets in the order of their texts.

    Examples:
        >>> shown({"a": (1, "b")}, 100), shown({"b", "a"}, 100), shown([[1] * 9] * 9, 12)
        ("{'a': (1, 'b')}", "{'a', 'b'}", '[[1, 1, 1, 1...[cut]')
    """
    parts: list[str] = []
    left = room
    for part in _parts(value, MAX_DEPTH, room):
        parts.append(part)
        left -= len(part)
        if left < 0:
            return "".join(parts)[:room] + CUT_MARK
    return "".join(parts)


def _parts(value: object, depth: int, room: int) -> Iterator[str]:
    """Yield the texts that a value is made of, so that whoever joins them can stop."""
    if isinstance(value, str | bytes):
        yield repr(value[: room + 1])
    elif isinstance(value, int) and value.bit_length() > _MOST_SHOWN_BITS:
        yield f"<int of {value.bit_length()} bits>"
    elif depth < 0:
        yield "..."
    elif isinstance(value, dict):
        yield "{"
        yield from _joined(_items(value, depth - 1, room))
        yield "}"
    elif isinstance(value, list):
        yield "["
        yield from _joined(_parts(item, depth - 1, room) for item in value)
        yield "]"
    elif isinstance(value, tuple):
        yield "("
        yield from _joined(_parts(item, depth - 1, room) for item in value)
        yield ",)" if len(value) == 1 else ")"
    elif isinstance(value, set | frozenset):
        # Members of sets are no containers of others but tuples, which are short where there are many.
        yield "{" if value else "set("
        yield from _joined([text] for text in sorted(shown(item, min(room, 1_000)) for item in value))
        yield "}" if value else ")"
    elif value is None or isinstance(value, int | float) or not type(value).__name__.startswith("Monty"):
        yield repr(value)
    else:
        yield f"<{kind_of(value).partition(' ')[2]}>"


def _items(value: Mapping[object, object], depth: int, room: int) -> Iterator[Iterator[str]]:
    for key, item in value.items():
        yield _pair(key, item, depth, room)


def _pair(key: object, item: object, depth: int, room: int) -> Iterator[str]:
    yield from _parts(key, depth, room)
    yield ": "
    yield from _parts(item, depth, room)


def _joined(texts: Iterable[Iterable[str]]) -> Iterator[str]:
    for number, parts in enumerate(texts):
        if number:
            yield ", "
        yield from parts
