"""A curl command as the HTTP request that it would send; nothing is ever run.

Words are split by the part of the shell's grammar that only quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, quote_plus, unquote, urlsplit

MAX_COMMAND = 8_192
"""Longest command, in characters, that is read."""

# One piece of a word: between single quotes, between double quotes, after a backslash, or plain. What a shell
# would expand, substitute, redirect or chain is in none of them.
_PIECE = re.compile(
    r"""'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\$`;&|<>()#][^\s'"\\$`;&|<>()]*)"""
)
_DOUBLE = 2
_ESCAPED = re.compile(r'\\(?:(["\\$`])|\n)')
_JOINED_LINE = "\\\n"
_BLANKS = re.compile(r"[ \t\r\n]+")

MAX_PARAMETERS = 64

_FLAGS = frozenset("sSLkgvf")
_LONG_FLAGS = frozenset(
    {
        "--silent",
        "--show-error",
        "--location",
        "--insecure",
        "--globoff",
        "--verbose",
        "--fail",
        "--compressed",
    }
)
_VALUED = {"X": "method", "d": "data", "H": "header", "A": "ignored", "m": "ignored"}
_LONG_VALUED = {
    "--request": "method",
    "--data": "data",
    "--data-raw": "data",
    "--data-ascii": "data",
    "--data-binary": "data",
    "--data-urlencode": "encoded",
    "--header": "header",
    "--user-agent": "ignored",
    "--max-time": "ignored",
    "--connect-timeout": "ignored",
    "--url": "url",
}


class CurlError(ValueError):
    """A command that curl, or the shell before it, would turn down.

    Args:
        message: What is wrong with it.
        code: The exit code that the program would have ended with.

    Examples:
        >>> CurlError("no such host", 6).code
        6
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request.

    Attributes:
        method: As written; methods are case-sensitive.
        host: In lower case, without a port.
        path: Decoded.
        params: Decoded query parameters; the first value of one that occurs again.
        body: What is posted, or None.
    """

    method: str
    host: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


class Answer(NamedTuple):
    """The answer of a service.

    Attributes:
        code: HTTP status.
        body: A JSON value, or text where the medium is another.
        medium: How the body is written.
    """

    code: int
    body: Any
    medium: Literal["json", "xml", "text"] = "json"


# Labels are read again with every verdict. The bound keeps what is remembered under ten megabytes.
@lru_cache(maxsize=1_024)
def read_request(command: str) -> Request:
    r"""Read a curl command; nothing is sent.

    Raises:
        CurlError: It is no curl command, or one that curl would turn down or that does more than this.

    Examples:
        >>> read_request("curl -X GET 'https://a.example/v1/x?q=palo+alto&n=1'")
        Request(method='GET', host='a.example', path='/v1/x', params={'q': 'palo alto', 'n': '1'}, body=None)
        >>> read_request("curl https://a.example/v1 -d '{}'").method
        'POST'
        >>> read_request("wget https://a.example")
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.rest.curl.CurlError: 'wget' is no command here; only curl is
    """
    words = split_words(command)
    if not words or words[0] != "curl":
        raise CurlError(f"{words[0][:40] if words else ''!r} is no command here; only curl is", 127)
    given: dict[str, list[str]] = {}
    for name, value in _options(words[1:]):
        given.setdefault(name, []).append(value)
    urls = given.get("url", [])
    if len(urls) != 1:
        raise CurlError(f"one address is needed, got {len(urls)}", 2)
    url, body = urls[0], "&".join(given["data"]) if "data" in given else None
    if "get" in given:
        # curl moves the data to the end of the address.
        query = "" if body is None else ("&" if "?" in url else "?") + body
        url, body = url + query, None
    host, path, params = _read_url(url)
    methods = given.get("method", ["GET" if body is None else "POST"])
    return Request(methods[-1], host, path, params, body)


def _options(words: list[str]) -> Iterator[tuple[str, str]]:
    rest = iter(words)
    for word in rest:
        if word in _LONG_FLAGS or word == "--":
            continue
        if word == "--get":
            yield "get", word
            continue
        if word in _LONG_VALUED:
            yield _given(_LONG_VALUED[word], _value(word, rest))
        elif word.startswith("-") and len(word) > 1:
            yield from _short_options(word, rest)
        else:
            yield "url", word


def _short_options(word: str, rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    for at, letter in enumerate(word[1:], 2):
        if letter in _VALUED:
            yield _given(_VALUED[letter], word[at:] or _value(word, rest))
            return
        if letter == "G":
            yield "get", letter
        elif letter not in _FLAGS:
            raise CurlError(f"curl's option {word[:40]!r} is unknown here", 2)


def _value(option: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise CurlError(f"curl's option {option} needs a value", 2)
    return value


def _given(name: str, value: str) -> tuple[str, str]:
    """Return an option as it counts: data under one name, encoded where curl encodes it."""
    if name not in ("data", "encoded"):
        return name, value
    if value.startswith("@"):
        raise CurlError(f"{value[:40]!r} would read a file; write the data itself", 26)
    if name == "encoded":
        key, mark, text = value.partition("=")
        value = (
            f"{key}{mark if key else ''}{quote_plus(text, errors='replace')}"
            if mark
            else quote_plus(key, errors="replace")
        )
    return "data", value


def _read_url(url: str) -> tuple[str, str, dict[str, str]]:
    # Within a query the curl of the original's time sends blanks on as they are.
    url = url.rstrip(" ")
    if not url.isprintable() or " " in url.partition("?")[0]:
        raise CurlError("the address has blanks or control characters; write a blank as + or %20", 3)
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host = parts.hostname or ""
        fields = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError as error:
        raise CurlError(f"the address cannot be read: {error}", 3) from error
    if parts.scheme not in ("http", "https"):
        raise CurlError(f"only http and https are spoken here, got {parts.scheme[:40]!r}", 1)
    params: dict[str, str] = {}
    for name, value in fields:
        # Of a parameter that occurs again, the first value counts.
        params.setdefault(name, value)
    return host, unquote(parts.path), params


def split_words(text: str) -> list[str]:
    r"""Split a command into words; quotes and backslashes mean what they mean to a shell.

    A semicolon at the very end is passed over. Everything else that is more than one plain command is
    refused: pipes, lists, redirections, variables, substitutions.

    Raises:
        CurlError: The text is too long, a quote is open, or it is no plain command.

    Examples:
        >>> split_words("curl -d '{\"n\": 1}' \"a\\\"b\" c\\ d;")
        ['curl', '-d', '{"n": 1}', 'a"b', 'c d']
        >>> split_words("curl $HOME")
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.rest.curl.CurlError: '$HOME' is more than a plain command; quote texts with '...'
    """  # noqa: E501 # the line is what Python prints
    if len(text) > MAX_COMMAND:
        raise CurlError(f"a command of {len(text)} characters; at most {MAX_COMMAND} are read", 2)
    return list(_words(text.strip()))


def _words(text: str) -> Iterator[str]:
    position, word = 0, None
    while position < len(text):
        if blanks := _BLANKS.match(text, position):
            if word is not None:
                yield word
            position, word = blanks.end(), None
        elif text.startswith(_JOINED_LINE, position):
            position += len(_JOINED_LINE)
        elif piece := _PIECE.match(text, position):
            word = (word or "") + _unquoted(piece)
            position = piece.end()
        elif text[position:].strip() == ";":
            break
        elif text[position] == "#" and word is not None:
            position, word = position + 1, word + "#"
        else:
            raise _refusal(text[position:])
    if word is not None:
        yield word


def _unquoted(piece: re.Match[str]) -> str:
    text = piece[piece.lastindex or 0]
    return _ESCAPED.sub(r"\1", text) if piece.lastindex == _DOUBLE else text


def _refusal(rest: str) -> CurlError:
    if rest[0] in "'\"" and rest.count(rest[0]) == 1:
        return CurlError(f"the quote before {rest[1:41]!r} is never closed", 2)
    return CurlError(f"{rest[:40]!r} is more than a plain command; quote texts with '...'", 2)
