"""Python's built-in functions, as far as programs have them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from stb_env.suites.sambanova.common.interpreter import costs
from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS, bounded, joined, weigh
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Apply, Module, Native, TypeName, words
from stb_env.suites.sambanova.common.interpreter.methods import written
from stb_env.suites.sambanova.common.interpreter.operators import compute
from stb_env.suites.sambanova.common.interpreter.ordered import OrderedSet
from stb_env.suites.sambanova.common.interpreter.stream import Stream

Print = Callable[[str], None]


def builtins_for(show: Print) -> Mapping[str, object]:
    """Return the built-in names of a program.

    Args:
        show: Gets every printed line.

    Examples:
        >>> sorted(builtins_for(print))[:4]
        ['abs', 'all', 'any', 'bool']
    """

    def print_(*values: object, sep: str = " ", end: str = "\n") -> None:
        show(joined([joined(map(written, values), sep), "" if end == "\n" else end]))

    return {**BUILTINS, "print": Native("print", print_, costs.BUILTINS["print"])}


def take(items: Any) -> list[object]:
    """Return the members of anything that can be gone through.

    Raises:
        CrashError: There are more than `MAX_ITEMS`.
    """
    if isinstance(items, str | list | tuple | dict | OrderedSet | range):
        if len(items) > MAX_ITEMS:
            raise CrashError(f"more than {MAX_ITEMS} members are gone through")
        return list(items)
    weigh(items)
    return [_plain(item) for item in items]


def sort(
    apply: Apply, items: object, *, key: Callable[..., object] | None = None, reverse: bool = False
) -> list[object]:
    """Return the members in order.

    Args:
        apply: Makes functions of a program callable.
        items: The members.
        key: Gives what they are ordered by.
        reverse: Whether the greatest comes first.

    Raises:
        CrashError: There are too many.
    """
    weigh(items)
    members: list[Any] = take(items)
    if key is None:
        return sorted(members, reverse=bool(reverse))
    keys = _keys(members, apply(key))
    return [members[at] for at in sorted(range(len(members)), key=keys.__getitem__, reverse=bool(reverse))]


def _keys(members: Iterable[object], key: Callable[..., object]) -> list[Any]:
    """Return what members are ordered by, weighed before any two are compared."""
    keys = [key(member) for member in members]
    weigh(keys)
    return keys


def _plain(item: object) -> object:
    """Return a number of an array as Python's own."""
    return item.item() if hasattr(item, "item") and getattr(item, "ndim", None) == 0 else item


def _range(*bounds: int) -> range:
    made = range(*bounds)
    if len(made) > MAX_ITEMS:
        raise CrashError(f"a range has more than {MAX_ITEMS} members")
    return made


def _isinstance(value: object, types: object) -> bool:
    named = types if isinstance(types, tuple) else (types,)
    if not all(isinstance(each, TypeName) for each in named):
        raise CrashError("isinstance takes the names of types")
    return any(isinstance(value, each.types) for each in named)


def _extreme(choose: Callable[..., object]) -> Callable[..., object]:
    def extreme(apply: Apply, *values: object, **options: object) -> object:
        items = take(values[0]) if len(values) == 1 else list(values)
        weigh(items)
        key = options.pop("key", None)
        if key is None or not items:
            return choose(items, **options)
        keys = _keys(items, apply(key))
        at: Any = choose(range(len(items)), key=keys.__getitem__, **options)
        return items[at]

    return extreme


def _next(items: object, *default: object) -> object:
    if not isinstance(items, Stream):
        raise CrashError(f"next takes an iterator, got {type(items).__name__}")
    if not items and not default:
        raise CrashError("StopIteration: the iterator has no more members")
    return items.pop(0) if items else default[0]


def _pow(base: Any, exponent: Any, modulus: Any = None) -> object:
    if modulus is not None:
        return pow(base, exponent, modulus)
    return compute(ast.Pow, base, exponent)


def _sum(items: object, start: object = 0) -> object:
    total: Any = start
    for item in take(items):
        total = bounded(total + item)
    return total


def _round(number: float, digits: int | None = None) -> object:
    # Rounding to thousands of places would first write the number out.
    if digits is not None and abs(digits) > 400:
        raise CrashError("round takes up to 400 places")
    return round(number, digits)


def _int(value: str | float = 0) -> int:
    return int(value)


def _filter(apply: Apply, function: object, items: object) -> list[object]:
    test = bool if function is None else apply(function)
    return [item for item in take(items) if test(item)]


def _map(apply: Apply, function: object, *items: object) -> list[object]:
    call = apply(function)
    return [call(*each) for each in zip(*map(take, items), strict=False)]


def _of(name: str, types: tuple[type, ...], make: Callable[..., object]) -> TypeName:
    return TypeName(name, types, make, costs.BUILTINS[name])


def _dict(items: object = (), **more: object) -> dict[object, object]:
    weigh(items)
    members: Any = items if isinstance(items, dict) else take(items)
    return {**dict(members), **more}


def _set(items: Iterable[object] = ()) -> OrderedSet:
    weigh(items)
    return OrderedSet(take(items))


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "abs": abs,
    "all": lambda items: all(take(items)),
    "any": lambda items: any(take(items)),
    "chr": chr,
    "divmod": divmod,
    "enumerate": lambda items, start=0: [(start + at, item) for at, item in enumerate(take(items))],
    "filter": _filter,
    "isinstance": _isinstance,
    "iter": lambda items: items if isinstance(items, Stream) else Stream(take(items)),
    "len": len,
    "map": _map,
    "max": _extreme(max),
    "min": _extreme(min),
    "next": _next,
    "ord": ord,
    "pow": _pow,
    "range": _range,
    "repr": lambda value: written(value, conversion="r"),
    "reversed": lambda items: take(items)[::-1],
    "round": _round,
    "sorted": sort,
    "sum": _sum,
    "zip": lambda *items: list(zip(*map(take, items), strict=False)),
}
_CALLING = words("filter map max min sorted")
BUILTINS: dict[str, object] = {
    **{
        name: Native(name, function, costs.BUILTINS[name], name in _CALLING)
        for name, function in _FUNCTIONS.items()
    },
    "bool": _of("bool", (bool,), bool),
    "dict": _of("dict", (dict,), _dict),
    "float": _of("float", (float,), float),
    "int": _of("int", (int,), _int),
    "list": _of("list", (list,), lambda items=(): take(items)),
    "set": _of("set", (OrderedSet,), _set),
    "str": _of("str", (str,), lambda value="": written(value)),
    "tuple": _of("tuple", (tuple,), lambda items=(): tuple(take(items))),
}

"""Python's names, but for ``print``, which each program has of its own."""

MATH = Module(
    "math",
    {
        **{name: Native(name, getattr(math, name), costs.MATH[name]) for name in costs.MATH},
        "pi": math.pi,
        "e": math.e,
        "inf": math.inf,
        "nan": math.nan,
    },
)
"""The library of the same name."""
