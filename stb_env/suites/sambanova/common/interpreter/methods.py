"""The methods of Python's plain types that programs may call, arguments bounded."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping, Set

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.budget import (
    MAX_ITEMS,
    MAX_TEXT,
    bounded,
    joined,
    weigh,
)
from stb_env.suites.sambanova.common.interpreter.costs import METHODS, spent
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Native, words
from stb_env.suites.sambanova.common.interpreter.operators import check_spec
from stb_env.suites.sambanova.common.interpreter.ordered import OrderedSet

_PADDED = words("center ljust rjust zfill")
_ADDRESS = re.compile(r" at 0x[0-9a-f]{8,}(?=>)")
_MOST_ROWS = 60
"""Rows of a table that are written out."""

Sort = Callable[..., list[object]]


def method_of(value: object, name: str, sort: Sort) -> Native:
    """Return a method of a plain value.

    Args:
        value: A text, a number or a collection.
        name: The method.
        sort: Sorts a list, since that may call functions of the program.

    Raises:
        CrashError: There is no such method, or none that programs may call.

    Examples:
        >>> method_of("a,b", "split", sorted).function(",")
        ['a', 'b']
        >>> method_of("a", "spilt", sorted)
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: str has no attribute 'spilt' here. Did you mean 'split'?
    """  # noqa: E501 # the line is what Python prints
    kind, plain = next(
        ((what, names) for type_, what, names in PLAIN if isinstance(value, type_)), ("", _NONE)
    )
    methods = _methods(value, name, sort)
    if name not in plain and name not in methods:
        near = did_you_mean(name, [*plain, *methods])
        raise CrashError(f"{type(value).__name__} has no attribute {name!r} here.{near}")
    function = methods[name] if name in methods else _guarded(value, name)
    return Native(name, function, spent(METHODS[kind][name], value))


_NONE = frozenset[str]()
OURS = {
    "str": _PADDED | words("format join replace"),
    "list": words("sort"),
    "dict": words("items keys values"),
}
"""The methods that are ours, by the names of the types."""
PLAIN: tuple[tuple[type, str, Set[str]], ...] = tuple(
    (type_, name, METHODS[name].keys() - OURS.get(name, frozenset()))
    for type_, name in (
        (str, "str"),
        (list, "list"),
        (tuple, "tuple"),
        (dict, "dict"),
        (OrderedSet, "set"),
        (float, "float"),
    )
)
"""Types, what programs call them, and the methods of Python's own that programs may call."""


def _guarded(value: object, name: str) -> Callable[..., object]:
    method = getattr(value, name)

    def call(*args: object, **kwargs: object) -> object:
        result = method(*args, **kwargs)
        if not isinstance(value, float):
            bounded(value)
        return bounded(result)

    return call


def _methods(value: object, name: str, sort: Sort) -> Mapping[str, Callable[..., object]]:
    """Return the methods that are ours, since Python's own have no bound or return what no program has."""
    match value:
        case str():
            ours: dict[str, Callable[..., object]] = {
                "format": lambda *args, **kwargs: format_text(value, args, kwargs),
                "join": lambda items: _join(value, items),
                "replace": lambda old, new, count=-1: _replace(value, old, new, count),
            }
            if name in _PADDED:
                ours[name] = lambda width, *fill: _pad(getattr(value, name), width, *fill)
            return ours
        case list():
            return {"sort": lambda **kwargs: value.__setitem__(slice(None), sort(value, **kwargs))}
        case dict():
            return {
                "keys": lambda: list(value),
                "values": lambda: list(value.values()),
                "items": lambda: list(value.items()),
            }
    return {}


def _join(separator: str, items: Iterable[str]) -> str:
    parts = list(items)
    for part in parts:
        if not isinstance(part, str):
            raise TypeError(f"join takes texts, got {type(part).__name__}")
    return joined(parts, separator)


def _replace(text: str, old: str, new: str, count: int) -> str:
    if (text.count(old) + 1) * max(1, len(new)) > 2 * MAX_TEXT:
        raise CrashError(f"a text has more than {MAX_TEXT} characters")
    return text.replace(old, new, count)


def _pad(pad: Callable[..., str], width: int, *fill: str) -> str:
    if width > MAX_ITEMS:
        raise CrashError(f"a text would have more than {MAX_ITEMS} characters")
    return pad(width, *fill)


def format_text(template: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> str:
    """Fill a template; fields are names and numbers alone, so that nothing is reached through them.

    Raises:
        CrashError: A field is missing, reaches into a value, or is too wide.

    Examples:
        >>> format_text("{} has {n:.1f}", ("Ada",), {"n": 2})
        'Ada has 2.0'
    """
    parts: list[str] = []
    position = 0
    for literal, field, spec, conversion in string.Formatter().parse(template):
        parts.append(literal)
        if field is None:
            continue
        if not field:
            field, position = str(position), position + 1
        if not field.isidentifier() and not field.isdecimal():
            raise UnsupportedError(f"the field {field!r} of a template is no plain name")
        if field.isdecimal() and int(field) >= len(args):
            raise CrashError(f"a template has no value for the field {field}")
        if not field.isdecimal() and field not in kwargs:
            raise CrashError(f"a template has no value for the field {field!r}")
        value = args[int(field)] if field.isdecimal() else kwargs[field]
        parts.append(written(value, spec or "", conversion))
    return joined(parts)


def without_addresses(text: str) -> str:
    """Return a text without places in memory, which differ from process to process.

    Examples:
        >>> without_addresses("<function f at 0x7fa7ee8502c0>")
        '<function f>'
    """
    return _ADDRESS.sub("", text) if " at 0x" in text else text


def written(value: object, spec: str = "", conversion: str | None = None) -> str:
    """Return a value as text.

    Raises:
        CrashError: It is too large, or the specification too wide.

    Examples:
        >>> written(3.14159, ".2f"), written("a", conversion="r")
        ('3.14', "'a'")
    """
    weigh(value)
    if hasattr(value, "to_string"):
        # A table is written the same, however wide the terminal is.
        value = without_addresses(value.to_string(max_rows=_MOST_ROWS))
    if conversion in ("r", "s"):
        value = without_addresses(repr(value) if conversion == "r" else str(value))
    if isinstance(value, list | tuple | dict | OrderedSet) or not spec:
        return bounded(value if isinstance(value, str) else without_addresses(str(value)))
    return bounded(format(value, check_spec(spec)))
