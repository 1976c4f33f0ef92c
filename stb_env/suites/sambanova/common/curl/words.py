"""A command line as words, by the part of the shell's grammar that only quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_COMMAND = 8_192
"""Longest command, in characters, that is read."""

# One piece of a word: between single quotes, between double quotes, after a backslash, or plain. What a shell
# would expand, substitute, redirect or chain is in none of them.
_PIECE = re.compile(
    r"""'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\$`;&|<>()#][^\s'"\\$`;&|<>()]*)"""
)
_DOUBLE = 2
_ESCAPED = re.compile(r'\\(?:(["\\$`])|\n)')
_CONTINUED = "\\\n"
_BLANKS = re.compile(r"[ \t\r\n]+")


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
        stb_env.suites.sambanova.common.curl.words.CurlError: '$HOME' is more than a plain command; quote texts with '...'
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
        elif text.startswith(_CONTINUED, position):
            position += len(_CONTINUED)
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
