"""Anything made plain: JSON data and text of bounded size that can be written and read back unchanged."""

from __future__ import annotations

import json
import math
import numbers
import operator
from collections.abc import Mapping

from stb_env.core.jsontext import CUT_MARK
from stb_env.core.jsontypes import Json

MAX_TEXT = 250_000
MAX_DEPTH = 64
MAX_NODES = 100_000
MAX_VALUES = 10_000
"""Values of the arguments of an action; those that are reached twice count twice."""

# jsontext reads a number of 299 characters and more as text; one place is the sign's.
_MAX_INT = 10**298
# Plain types stand first: a check against an abstract class costs several times as much.
_CONTAINERS = (dict, list, tuple, Mapping)
_NUMBERS = (int, float)
_INTEGERS = (int, numbers.Integral)
_REALS = (float, numbers.Real)
_ATOMS = frozenset((int, float, bool, type(None)))

# Longer integers may exceed the interpreter's own limit on decimal digits.
_MAX_DECIMAL_BITS = 2_000


def clean(text: str) -> str:
    r"""Return text in which surrogates that form a pair are one character; lone ones stay.

    JSON cannot tell a pair of surrogates from the character that they encode, so text with a pair would
    not survive being written and read.

    Examples:
        >>> clean("\ud83d\ude00") == "\U0001f600", clean("\ud83d!") == "\ud83d!"
        (True, True)
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def plain(value: object) -> Json:
    """Copy a value as JSON data, whatever it is; nothing of it is shared with the original.

    Tuples become lists, keys text, infinities, NaN and enormous integers text; what JSON has no word for
    becomes None. Beyond `MAX_DEPTH` levels or `MAX_NODES` values, `CUT_MARK` stands for the rest, so a
    structure that contains itself ends too.

    Examples:
        >>> plain({"a": (1, float("nan")), 2: {3}, "c": b"raw"})
        {'a': [1, 'NaN'], '2': None, 'c': None}
        >>> loop = []; loop.append(loop); str(plain(loop)).count("[")
        65
    """
    return _Copier().copy(value, MAX_DEPTH)


def exceeds(value: object, values: int = MAX_VALUES, characters: int = MAX_TEXT) -> bool:
    """Return whether there are more values or characters in a value; reads no more of it, and copies nothing.

    Examples:
        >>> exceeds({"a": [1, 2]}, values=3), exceeds({"a": [1, 2]}, values=2), exceeds("ab", characters=1)
        (False, True, True)
        >>> shared = [1]
        >>> for _ in range(60): shared = [shared, shared]
        >>> exceeds(shared)
        True
    """
    waiting = [value]
    for item in waiting:
        kind = type(item)
        if kind in _ATOMS:
            continue
        if kind is str or isinstance(item, str | bytes | bytearray):
            characters -= len(item)  # type: ignore[arg-type] # it is a text
        elif kind is dict or kind is list or isinstance(item, _CONTAINERS):
            values -= len(item)  # type: ignore[arg-type] # it is a collection
            if values < 0:
                return True
            if kind is dict or isinstance(item, Mapping):
                waiting.extend(item)  # type: ignore[arg-type] # as above
                waiting.extend(item.values())  # type: ignore[attr-defined] # as above
            else:
                waiting.extend(item)  # type: ignore[arg-type] # as above
        if characters < 0:
            return True
    return False


class _Copier:
    def __init__(self) -> None:
        self._left = MAX_NODES

    def copy(self, value: object, depth: int) -> object:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, _NUMBERS) or not isinstance(value, _CONTAINERS):
            return _scalar(value)
        self._left -= len(value) + 1
        if depth == 0 or self._left <= 0:
            return CUT_MARK
        if isinstance(value, (list, tuple)):
            return [self.copy(item, depth - 1) for item in value]
        return {_key(key): self.copy(item, depth - 1) for key, item in value.items()}


def _key(key: object) -> str:
    if isinstance(key, str):
        return clean(key)
    scalar = _scalar(key)
    if isinstance(scalar, bool) or scalar is None:
        return {True: "true", False: "false", None: "null"}[scalar]
    return str(scalar)


def _scalar(value: object) -> bool | int | float | str | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, _INTEGERS):
        return _integer(operator.index(value))
    if isinstance(value, _REALS):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else json.dumps(number)
    return None


def _integer(value: int) -> int | str:
    if -_MAX_INT < value < _MAX_INT:
        return value
    return str(value) if value.bit_length() < _MAX_DECIMAL_BITS else hex(value)
