"""Kinds of value that an annotation allows, in words and as tests."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

_PLAIN = (str, bytes, int, float, list, tuple, dict, type(None))
_LISTS = (list, tuple, set, frozenset)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Bound of a number, for annotations: ``Annotated[int, AtLeast(0)]``."""

    least: int


@dataclass(frozen=True, slots=True)
class Named:
    """What the values of an annotation are called: ``Annotated[str | int, Named("a name or number")]``."""

    words: str


Count = Annotated[int, AtLeast(1)]
"""A number of things, from 1."""


class Kind(NamedTuple):
    """One kind of value.

    Attributes:
        words: What it is called.
        accepts: Whether a value is of this kind.
        text: The value itself, where it is one text.
        least: The smallest number.
    """

    words: str
    accepts: Callable[[Any], bool]
    text: str = ""
    least: int | None = None


def kinds_of(hint: object) -> tuple[Kind, ...]:
    """Return the kinds of value that an annotation allows; none where it cannot be told.

    Examples:
        >>> [kind.words for kind in kinds_of(Literal["own", "all"] | Count | None)]
        ["'own'", "'all'", 'a whole number', 'None']
        >>> kinds_of(Any)
        ()
    """
    found = [_kind(part) for part in _parts(hint)]
    known = tuple(kind for kind in found if kind is not None)
    return known if len(known) == len(found) else ()


def either(kinds: Iterable[Kind]) -> str:
    """Return what kinds of value are called together, None first.

    Examples:
        >>> either(kinds_of(str | Path | int | None)), either(kinds_of(tuple[int, int]))
        ('None, a path or a whole number', 'a list of 2 values')
    """
    words = list(dict.fromkeys(kind.words for kind in kinds))
    if "text" in words and "a path" in words:
        words.remove("text")
    *most, last = sorted(words, key=lambda word: word != "None")
    return f"{', '.join(most)} or {last}" if most else last


def _parts(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, types.UnionType):
        for part in get_args(hint):
            yield from _parts(part)
    elif get_origin(hint) is Literal:
        yield from (Literal[value] for value in get_args(hint))
    else:
        yield hint


def _kind(hint: object) -> Kind | None:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        bound = next((mark.least for mark in args[1:] if isinstance(mark, AtLeast)), None)
        words = next((mark.words for mark in args[1:] if isinstance(mark, Named)), "")
        if words:
            kinds = kinds_of(args[0])
            return Kind(words, lambda got: any(kind.accepts(got) for kind in kinds))
        plain = _kind(args[0])
        return plain and plain._replace(least=bound)
    if origin is Literal:
        return _literal(args[0])
    if origin is tuple and args and Ellipsis not in args:
        return _tuple(args)
    kind = origin or hint
    return _SIMPLE[kind] if kind in _SIMPLE else _class(kind)


def _literal(value: object) -> Kind:
    return Kind(
        repr(value),
        lambda got: type(got) is type(value) and bool(got == value),
        value if isinstance(value, str) else "",
    )


def _tuple(parts: tuple[object, ...]) -> Kind:
    each = [kinds_of(part) for part in parts]

    def accepts(got: object) -> bool:
        # JSON has lists where Python has tuples.
        return (
            isinstance(got, tuple | list)
            and len(got) == len(each)
            and all(
                not kinds or any(kind.accepts(item) for kind in kinds)
                for kinds, item in zip(each, got, strict=True)
            )
        )

    return Kind(f"a list of {len(each)} values", accepts)


def _class(kind: object) -> Kind | None:
    if not isinstance(kind, type) or kind in (Any, object):
        return None
    if issubclass(kind, Mapping):
        return Kind("a table", lambda got: isinstance(got, Mapping))
    if kind in _LISTS or kind.__module__ == "collections.abc":
        return Kind("a list", lambda got: isinstance(got, Iterable) and not isinstance(got, str | Mapping))
    words = f"{'an' if kind.__name__[0] in 'AEIO' else 'a'} {kind.__name__}"
    if getattr(kind, "_is_protocol", False):
        # Nothing tells cheaply whether an object follows a protocol, but plain data never does.
        return Kind(words, lambda got: not isinstance(got, _PLAIN))
    return Kind(words, lambda got: isinstance(got, kind))


_SIMPLE: Mapping[Any, Kind] = {
    type(None): Kind("None", lambda got: got is None),
    bool: Kind("true or false", lambda got: isinstance(got, bool)),
    int: Kind("a whole number", lambda got: isinstance(got, Integral) and not isinstance(got, bool)),
    float: Kind("a number", lambda got: isinstance(got, Real) and not isinstance(got, bool)),
    str: Kind("text", lambda got: isinstance(got, str)),
    Path: Kind("a path", lambda got: isinstance(got, PathLike)),
    Callable: Kind("a function", callable),
}
