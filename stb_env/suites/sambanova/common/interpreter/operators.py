"""Python's operators, on values of bounded size."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from stb_env.suites.sambanova.common.interpreter.budget import MAX_BITS, MAX_ITEMS, MAX_TEXT, bounded, weigh
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}

_SEQUENCES = (str, list, tuple)
_WIDE = re.compile(r"\d{4}")
_GIVEN_WIDTH = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\*|\d*\.\*)")


def compute(kind: type[ast.operator], left: object, right: object) -> object:
    """Apply a binary operator to plain values.

    Raises:
        CrashError: The result is too large, or the operator is none that programs have.

    Examples:
        >>> compute(ast.Mult, "ab", 2), compute(ast.Pow, 2, 10)
        ('abab', 1024)
        >>> compute(ast.Pow, 9, 9**9)
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: a number has more than 1024 bits
    """
    apply = BINARY.get(kind)
    if apply is None:
        raise UnsupportedError(f"the operator {kind.__name__} is not read here")
    if kind is ast.Mult:
        _check_repeat(left, right)
    elif kind is ast.Pow:
        _check_power(left, right)
    elif kind is ast.Mod and isinstance(left, str):
        if _GIVEN_WIDTH.search(left):
            raise UnsupportedError("a width that is a value (%*d) is not read here; write it as in %5d")
        check_spec(left)
        weigh(right)
    return bounded(apply(left, right))


def compare(kind: type[ast.cmpop], left: object, right: object) -> object:
    """Apply a comparison to values that were weighed.

    Examples:
        >>> compare(ast.In, 2, [1, 2]), compare(ast.LtE, "a", "b")
        (True, True)
    """
    return COMPARE[kind](left, right)


def check_spec(spec: str) -> str:
    """Return a format specification or a template.

    Raises:
        CrashError: It asks for a width or a precision of four digits or more.
    """
    if _WIDE.search(spec):
        raise CrashError("a format asks for 1000 places or more")
    return spec


def _check_repeat(left: object, right: object) -> None:
    for items, times in ((left, right), (right, left)):
        if isinstance(items, _SEQUENCES) and isinstance(times, int):
            most = MAX_TEXT if isinstance(items, str) else MAX_ITEMS
            if len(items) * times > most:
                raise CrashError(f"a sequence would have more than {most} members")


def _check_power(left: Any, right: Any) -> None:
    whole = isinstance(left, int) and isinstance(right, int)
    if whole and abs(left) > 1 and left.bit_length() * right > 2 * MAX_BITS:
        raise CrashError(f"a number has more than {MAX_BITS} bits")
