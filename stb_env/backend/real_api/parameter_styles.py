"""OpenAPI's styles of parameters in paths, queries, headers and cookies, exploded or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypedDict
from urllib.parse import unquote

from stb_env.core import jsontext
from stb_env.errors import ActionError
from stb_env.http.credentials import quoted

Parameter = TypedDict(
    "Parameter",
    {"argument": str, "name": str, "in": str, "style": str, "explode": bool, "content": str},
    total=False,
)
"""A parameter of an operation as a catalogue has it: the argument, and where and how it is written."""

Pairs = list[tuple[str, str]]
"""Names and values, escaped as a URL wants them."""

_SEPARATORS: Mapping[str, str] = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def plain(value: object) -> str:
    """Return a single value as text.

    Examples:
        >>> plain(True), plain(1.5), plain("a b"), plain({"a": 1})
        ('true', '1.5', 'a b', '{"a": 1}')
    """
    return value if isinstance(value, str) else jsontext.dumps(value)


def in_query(place: Parameter, value: object) -> Pairs:
    """Return a parameter of a query or a cookie.

    Args:
        place: ``name``, ``style`` and ``explode``, or ``content``: its media type.
        value: The argument.

    Examples:
        >>> in_query({"name": "id", "style": "form", "explode": True}, [3, 4])
        [('id', '3'), ('id', '4')]
        >>> in_query({"name": "id", "style": "pipeDelimited", "explode": False}, ["a", "b|c"])
        [('id', 'a%7Cb%7Cc')]
        >>> in_query({"name": "at", "style": "deepObject", "explode": True}, {"x": 1})
        [('at%5Bx%5D', '1')]
    """
    name, style, explode = quoted(place["name"]), place.get("style", "form"), place.get("explode", True)
    if "content" in place:
        return [(name, quoted(plain(value)))]
    separator = _SEPARATORS.get(style, ",")
    if isinstance(value, Mapping):
        items = [(quoted(str(key)), quoted(plain(one))) for key, one in value.items()]
        if style == "deepObject":
            return [(f"{name}%5B{key}%5D", one) for key, one in items]
        return items if explode else [(name, separator.join(part for item in items for part in item))]
    if isinstance(value, list):
        texts = [quoted(plain(one)) for one in value]
        return [(name, text) for text in texts] if explode else [(name, separator.join(texts))]
    return [(name, quoted(plain(value)))]


def in_path(place: Parameter, value: object) -> str:
    """Return a parameter of a path; it stays inside its segment.

    Args:
        place: ``name``, ``style`` and ``explode``, or ``content``.
        value: The argument.

    Raises:
        ActionError: It is empty, or would lead to another folder.

    Examples:
        >>> in_path({"name": "id", "style": "simple", "explode": False}, ["a/b", 2])
        'a%2Fb,2'
        >>> in_path({"name": "id", "style": "matrix", "explode": True}, ["a", "b"])
        ';id=a;id=b'
        >>> in_path({"name": "id", "style": "simple", "explode": False}, "..")
        Traceback (most recent call last):
        ...
        stb_env.errors.ActionError: 'id' cannot be '..' in the path of a URL
    """
    name = place["name"]
    text = _styled(quoted(name), place, value, quoted)
    # Dots are not escaped by quoting, and servers and clients drop the folder before them.
    if unquote(text) in ("", ".", ".."):
        raise ActionError(f"{name!r} cannot be {unquote(text)!r} in the path of a URL")
    return text


def in_header(place: Parameter, value: object) -> str:
    """Return the value of a header.

    Raises:
        ActionError: It could end its line, or is not ASCII.

    Examples:
        >>> in_header({"name": "X-Ids", "style": "simple", "explode": False}, [1, 2])
        '1,2'
        >>> in_header({"name": "X-Id", "style": "simple"}, "a" + chr(10) + "Host: b")
        Traceback (most recent call last):
        ...
        stb_env.errors.ActionError: 'X-Id' has characters that no HTTP header can carry
    """
    text = _styled(place["name"], place, value, str)
    if not (text.isascii() and text.replace("\t", " ").isprintable()):
        raise ActionError(f"{place['name']!r} has characters that no HTTP header can carry")
    return text


def _styled(name: str, place: Parameter, value: object, written: Callable[[str], str]) -> str:
    if "content" in place:
        return written(plain(value))
    style, explode = place.get("style", "simple"), place.get("explode", False)
    if isinstance(value, Mapping):
        joint = "=" if explode else ","
        parts = [f"{written(str(key))}{joint}{written(plain(one))}" for key, one in value.items()]
    else:
        parts = [written(plain(one)) for one in (value if isinstance(value, list) else [value])]
    if style == "label":
        return "." + ("." if explode else ",").join(parts)
    if style != "matrix":
        return ",".join(parts)
    if explode:
        return "".join(f";{part}" if isinstance(value, Mapping) else f";{name}={part}" for part in parts)
    return f";{name}={','.join(parts)}"
