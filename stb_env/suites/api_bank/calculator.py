"""Arithmetic read by a parser of its own: nothing is evaluated, and work is bounded.

The released code computes in floats, left to right; so does this. Where that code breaks (nested brackets,
signs, decimals) this one computes, and where a formula is none it says so.
"""

from __future__ import annotations

import math
import re

from stb_env.suites.api_bank.api_error import ApiError

MAX_LENGTH = 1000
"""Longest formula, in characters without blanks."""
MAX_DEPTH = 50
"""Deepest nesting of brackets and signs."""

_TOKEN = re.compile(r"\d+(?:\.\d+)?|\.\d+|[-+*/()]", re.ASCII)


def calculate(formula: str) -> float:
    """Compute a formula of numbers, ``+ - * /`` and brackets; it must hold at least one operation.

    Raises:
        ApiError: It is no formula, divides by zero, or is too long, too deep or too large.

    Examples:
        >>> calculate("(5+10)*3"), calculate("((1 + 2) * -3) / 0.5")
        (45.0, -18.0)
        >>> calculate("2 +")
        Traceback (most recent call last):
        ...
        stb_env.suites.api_bank.api_error.ApiError: invalid formula
    """
    compact = formula.replace(" ", "")
    if len(compact) > MAX_LENGTH:
        raise ApiError("invalid formula")
    tokens = _TOKEN.findall(compact)
    if "".join(tokens) != compact:
        raise ApiError("invalid formula")
    parser = _Parser(tokens)
    value = parser.sum(0)
    if parser.next is not None or not parser.operations:
        raise ApiError("invalid formula")
    if not math.isfinite(value):
        raise ApiError("the result is too large")
    return value


class _Parser:
    """Recursive descent over tokens; computes as it goes."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._position = 0
        self.operations = 0

    @property
    def next(self) -> str | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self, *wanted: str) -> str | None:
        token = self.next
        if token not in wanted:
            return None
        self._position += 1
        return token

    def sum(self, depth: int) -> float:
        value = self._product(depth)
        while operator := self._take("+", "-"):
            self.operations += 1
            operand = self._product(depth)
            value = value + operand if operator == "+" else value - operand
        return value

    def _product(self, depth: int) -> float:
        value = self._signed(depth)
        while operator := self._take("*", "/"):
            self.operations += 1
            operand = self._signed(depth)
            if operator == "/" and operand == 0:
                raise ApiError("float division by zero")
            value = value * operand if operator == "*" else value / operand
        return value

    def _signed(self, depth: int) -> float:
        if depth > MAX_DEPTH:
            raise ApiError("invalid formula")
        if sign := self._take("+", "-"):
            value = self._signed(depth + 1)
            return -value if sign == "-" else value
        if self._take("("):
            value = self.sum(depth + 1)
            if not self._take(")"):
                raise ApiError("invalid formula")
            return value
        return self._number()

    def _number(self) -> float:
        token = self.next
        if token is None or not (token[0].isdigit() or token[0] == "."):
            raise ApiError("invalid formula")
        self._position += 1
        return float(token)
