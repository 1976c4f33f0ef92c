"""Reads formulas into trees."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

MAX_FORMULA = 2_000
"""Characters of a formula."""

MAX_DEPTH = 40
"""Deepest nesting of a formula."""


class FormulaError(Exception):
    """A text is no formula."""


class Token(NamedTuple):
    """A piece of a formula.

    Attributes:
        kind: ``number``, ``text``, ``area``, ``name``, ``error`` or ``sign``.
        text: As it is written.
    """

    kind: str
    text: str


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
def _pieces(text: str) -> tuple[Token, ...]:
    """Return the pieces of a formula, its equals sign left out and its blanks kept."""
    if len(text) > MAX_FORMULA:
        raise FormulaError(f"a formula has at most {MAX_FORMULA} characters")
    found, at = [], 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"{text[at : at + 10]!r} is no part of a formula")
        found.append(Token(str(match.lastgroup), match[0]))
        at = match.end()
    return tuple(found)


def with_areas(text: str, change: Callable[[str], str]) -> str:
    """Return a formula with every area replaced; a text that is no formula stays as it is.

    Args:
        text: The formula.
        change: Gives the new text of an area.

    Examples:
        >>> with_areas('=SUM(A1:A3)&"A1"', str.lower)
        '=SUM(a1:a3)&"A1"'
    """
    try:
        pieces = _pieces(text)
    except FormulaError:
        return text
    return text[:1] + "".join(change(piece.text) if piece.kind == "area" else piece.text for piece in pieces)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, a text, a truth value or nothing."""

    value: bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Reference:
    """An area, the name of its sheet included where there is one."""

    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """A named area, an unknown word or an error."""

    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with one or two operands; ``%`` and signs have one."""

    operator: str
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments."""

    function: str
    arguments: tuple[Node, ...]


Node = Constant | Reference | Name | Operation | Call

_LEVELS = (("=", "<>", "<", "<=", ">", ">="), ("&",), ("+", "-"), ("*", "/"), ("^",))
_END = Token("end", "")


@lru_cache(maxsize=4_096)
def parse_formula(text: str) -> Node:
    """Read a formula.

    Raises:
        FormulaError: It is none.

    Examples:
        >>> parse_formula("=-A1*2").operator
        '*'
    """
    reader = _Reader(tuple(piece for piece in _pieces(text) if piece.kind != "space"))
    node = reader.expression()
    if reader.next is not _END:
        raise FormulaError(f"{reader.next.text!r} is left over at the end")
    return node


class _Reader:
    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def next(self) -> Token:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def expression(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FormulaError(f"a formula nests at most {MAX_DEPTH} deep")
        node = self._level(0)
        self._depth -= 1
        return node

    def _take(self) -> Token:
        token = self.next
        self._at += 1
        return token

    def _level(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._signed()
        node = self._level(level + 1)
        while self.next.kind == "sign" and self.next.text in _LEVELS[level]:
            operator = self._take().text
            node = Operation(operator, (node, self._level(level + 1)))
        return node

    def _signed(self) -> Node:
        signs = []
        while self.next.text in ("-", "+") and self.next.kind == "sign":
            signs.append(self._take().text)
        node = self._percent(self._single())
        for sign in reversed(signs):
            node = Operation(sign, (node,))
        return node

    def _percent(self, node: Node) -> Node:
        while self.next == Token("sign", "%"):
            self._take()
            node = Operation("%", (node,))
        return node

    def _single(self) -> Node:
        token = self._take()
        match token.kind:
            case "number":
                is_whole = token.text.isdecimal() and len(token.text) <= 15
                return Constant(int(token.text) if is_whole else float(token.text))
            case "text":
                return Constant(token.text[1:-1].replace('""', '"'))
            case "area":
                return Reference(token.text)
            case "error":
                return Name(token.text)
            case "name":
                return self._named(token.text.upper())
        if token.text == "(":
            node = self.expression()
            self._expect(")")
            return node
        raise FormulaError(f"{token.text or 'the end'!r} comes where a value should")

    def _named(self, name: str) -> Node:
        if self.next.text == "(":
            self._take()
            return Call(name, self._arguments())
        if name in ("TRUE", "FALSE"):
            return Constant(name == "TRUE")
        return Name(name)

    def _arguments(self) -> tuple[Node, ...]:
        arguments: list[Node] = []
        if self.next.text == ")":
            self._take()
            return ()
        while True:
            empty = self.next.text in (",", ";", ")") and self.next.kind == "sign"
            arguments.append(Constant(None) if empty else self.expression())
            if self.next.text not in (",", ";"):
                break
            self._take()
        self._expect(")")
        return tuple(arguments)

    def _expect(self, text: str) -> None:
        if self._take().text != text:
            raise FormulaError(f"{text!r} is missing")
