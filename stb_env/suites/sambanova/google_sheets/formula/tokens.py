"""Cuts formulas into tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

MAX_FORMULA = 2_000
"""Characters of a formula."""


class Token(NamedTuple):
    """A piece of a formula.

    Attributes:
        kind: ``number``, ``text``, ``area``, ``name``, ``error`` or ``sign``.
        text: As it is written.
    """

    kind: str
    text: str


class FormulaError(Exception):
    """A text is no formula."""


_SHEET = r"(?:'[^']{1,100}'|[A-Za-z_][A-Za-z0-9_]{0,99})!"
_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}"
_COLUMN = r"\$?[A-Za-z]{1,3}"
_ROW = r"\$?[1-9][0-9]{0,6}"
_AREA = rf"(?:{_SHEET})?(?:{_CELL}(?::(?:{_CELL}|{_COLUMN}))?|{_COLUMN}:{_COLUMN}|{_ROW}:{_ROW})"
_TOKEN = re.compile(
    rf"""
      (?P<space>\s+)
    | (?P<text>"(?:[^"]|"")*")
    | (?P<error>\#(?:DIV/0!|N/A|REF!|VALUE!|NAME\?|NUM!))
    | (?P<area>{_AREA}(?![A-Za-z0-9_(.]))
    | (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<name>[A-Za-z_][A-Za-z0-9_.]*)
    | (?P<sign><>|<=|>=|[-+*/^&=<>(),;%{{}}])
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=4_096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a formula, its equals sign left out.

    Raises:
        FormulaError: There is something in it that is none.

    Examples:
        >>> [token.text for token in tokens_of('=SUM(B2:B)*2')]
        ['SUM', '(', 'B2:B', ')', '*', '2']
    """
    if len(text) > MAX_FORMULA:
        raise FormulaError(f"a formula has at most {MAX_FORMULA} characters")
    found, at = [], 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"{text[at : at + 10]!r} is no part of a formula")
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match[0]))
        at = match.end()
    return tuple(found)


def with_areas(text: str, change: Callable[[str], str]) -> str:
    """Return a formula with every area replaced.

    Args:
        text: The formula.
        change: Gives the new text of an area.

    Examples:
        >>> with_areas('=SUM(A1:A3)&"A1"', str.lower)
        '=SUM(a1:a3)&"A1"'
    """
    try:
        tokens_of(text)
    except FormulaError:
        return text
    pieces, at = [text[:1]], 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            break
        pieces.append(change(match[0]) if match.lastgroup == "area" else match[0])
        at = match.end()
    return "".join(pieces)
