"""NumPy for programs: arrays of bounded size, and the functions that make and reduce them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS, weigh
from stb_env.suites.sambanova.common.interpreter.costs import BUILTINS, spent
from stb_env.suites.sambanova.common.interpreter.costs import NUMPY as COSTS
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Kind, Module, Native, TypeName, words

_NUMERIC = "biuf"
_ATTRIBUTES = words("T ndim shape size")
_METHODS = words(
    "all any argmax argmin argsort copy cumsum dot flatten item max mean min prod ravel reshape round "
    "squeeze std sum tolist transpose var"
)
_OF_TEXTS = words("copy flatten item ravel tolist")
_FUNCTIONS = words(
    "abs absolute add all allclose any append arccos arcsin arctan arctan2 argmax argmin argsort argwhere "
    "around array_equal asarray average ceil clip column_stack concatenate cos count_nonzero cross cumsum "
    "deg2rad degrees delete diff divide dot exp flatnonzero flip floor hstack hypot insert isclose isfinite "
    "isnan log log10 log2 max maximum mean median min minimum mod multiply negative nonzero ones_like outer "
    "power prod rad2deg radians ravel round sign sin sort sqrt square squeeze stack std subtract sum tan "
    "transpose unique var vstack where zeros_like"
)
_MADE = words("arange array empty eye full linspace ones zeros")
_OPTIONS = words("axis decimals keepdims endpoint num ord")
# What grows by a number that they are given, which says how many times.
_GROWING = words("repeat roll tile")


class Arrays(Kind):
    """Rules for arrays of numbers and truth values.

    Args:
        objects: Whether arrays may hold texts too, to be looked at and not to be computed with.
    """

    types = (np.ndarray, np.generic)
    steps = 1

    def __init__(self, *, objects: bool = False) -> None:
        self._objects = objects

    def attribute(self, value: Any, name: str) -> object:
        """Return an attribute that programs may use.

        Raises:
            CrashError: It is none of those.
        """
        if name in _ATTRIBUTES:
            return getattr(value, name)
        if _holds_objects(value) and name not in _OF_TEXTS:
            raise UnsupportedError("an array of texts is not computed with here; use its list")
        if name in _METHODS:
            return Native(name, _guarded(getattr(value, name)), spent(COSTS[name], value))
        if name == "sort":
            return Native(name, lambda axis=-1: value.sort(axis=axis), spent(COSTS[name], value))
        if name == "astype":
            return Native(name, lambda kind: value.astype(_type_of(kind)), spent(COSTS[name], value))
        raise CrashError(
            f"an array has no attribute {name!r} here.{did_you_mean(name, _ATTRIBUTES | _METHODS)}"
        )

    def before(self, left: object, right: object, operator: type[ast.AST] | None = None) -> None:  # noqa: ARG002
        """Look at the operands of an operator.

        Raises:
            CrashError: The result would be too large, or is none of numbers.
        """
        shapes = [np.shape(_checked(value)) for value in (left, right)]
        # The members of a matrix product are at most those of an outer product.
        try:
            size = math.prod(np.broadcast_shapes(*shapes))
        except ValueError:
            size = math.prod(shapes[0]) * math.prod(shapes[1])
        _check_size(size)

    def index(self, value: object, index: object) -> object:
        """Return an index.

        Raises:
            CrashError: It adds axes, so that the result could be too large.
        """
        parts = index if isinstance(index, tuple) else (index,)
        for part in parts:
            if part is not None and part is not Ellipsis and not isinstance(part, slice):
                _checked(part)
        if isinstance(value, np.ndarray) and len(parts) > value.ndim:
            raise CrashError(f"an array of {value.ndim} axes has no place {str(index)[:40]}")
        return index

    def container(self, value: object) -> object:
        """Return what ``in`` looks into: of an array of texts, its members."""
        return value.ravel().tolist() if isinstance(value, np.ndarray) and _holds_objects(value) else value

    def result(self, value: object) -> object:
        """Return an array, or a single number as Python's own.

        Raises:
            CrashError: It is too large, or holds anything but numbers.
        """
        if self._objects and isinstance(value, np.ndarray) and value.dtype.kind == "O":
            _check_size(value.size)
            return value
        return _result(value)


def _result(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        _check_size(value.size)
        if value.dtype.kind not in _NUMERIC:
            raise UnsupportedError("arrays hold numbers and truth values alone here")
        return value.item() if value.ndim == 0 else value
    if isinstance(value, tuple | list):
        return type(value)(_result(item) for item in value)
    return value


def _check_size(size: int) -> None:
    if size > MAX_ITEMS:
        raise CrashError(f"an array would have more than {MAX_ITEMS} members")


def _checked(value: object) -> Any:
    """Return an operand that NumPy makes numbers of.

    Raises:
        CrashError: It is too large, or holds anything but numbers.
    """
    weigh(value)
    if hasattr(value, "to_numpy"):
        # Columns of data frames are taken as the arrays that they hold.
        value = value.to_numpy()
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list | tuple | range):
            waiting.extend(item)
        elif isinstance(item, int) and abs(item) >= 2**63:
            raise CrashError("an array holds integers of up to 64 bits")
        elif not isinstance(item, bool | int | float | np.ndarray | np.generic) or _holds_objects(item):
            raise UnsupportedError(
                f"arrays hold numbers and truth values alone here, got {type(item).__name__}"
            )
    return value


def _holds_objects(item: object) -> bool:
    return isinstance(item, np.ndarray) and item.dtype.kind not in _NUMERIC


def _guarded(function: Callable[..., object]) -> Callable[..., object]:
    def call(*args: object, **kwargs: object) -> object:
        _check_options(kwargs)
        operands = tuple(None if arg is None else _checked(arg) for arg in args)
        sizes = [np.size(operand) for operand in operands if operand is not None]
        # No function here gives more than all pairs of what it is given.
        _check_size(math.prod(sorted(sizes)[-2:]))
        with np.errstate(all="ignore"):
            return _result(function(*operands, **kwargs))

    return call


def _check_options(options: Mapping[str, object]) -> None:
    for name in options:
        if name not in _OPTIONS:
            raise UnsupportedError(f"the argument {name!r} is not read here")


def _grower(name: str) -> Callable[..., object]:
    grow = getattr(np, name)

    def call(items: Any, times: Any, *, axis: Any = None) -> object:
        most = 1 if name == "roll" else int(np.sum(np.abs(_checked(times)))) or 1
        _check_size(np.size(_checked(items)) * most ** (np.size(times) if name == "tile" else 1))
        return _result(grow(items, times) if axis is None else grow(items, times, axis=axis))

    return call


def _filled(like: object, value: object) -> object:
    return _result(np.full_like(_checked(like), _checked(value)))


def _grid(*axes: Any) -> list[object]:
    _check_size(len(axes) * math.prod(np.size(_checked(axis)) for axis in axes))
    return [_result(part) for part in np.meshgrid(*axes)]


def _type_of(kind: object) -> type:
    if isinstance(kind, TypeName) and kind.types[0] in (bool, int, float):
        return kind.types[0]
    raise UnsupportedError("arrays are of bool, int or float here")


def _maker(name: str) -> Callable[..., object]:
    make = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> object:
        if "dtype" in kwargs:
            kwargs["dtype"] = _type_of(kwargs["dtype"])
        if not kwargs.keys() <= _OPTIONS | {"dtype"}:
            raise UnsupportedError(f"{name} takes the options dtype, endpoint and num here")
        if name == "array" and _are_texts(args):
            # Never NumPy's own texts, which it would cut to a width.
            return np.array(args[0], dtype=object)
        _check_size(_planned(name, args, kwargs))
        with np.errstate(all="ignore"):
            # Uninitialised memory would differ from run to run.
            return _result((np.zeros if name == "empty" else make)(*map(_checked, args), **kwargs))

    return call


def _are_texts(args: Sequence[object]) -> bool:
    match args:
        case [list() | tuple() as items]:
            weigh(items)
            return bool(items) and all(isinstance(item, str) for item in items)
    return False


def _planned(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> int:
    """Return how many members a new array will have, at most."""
    match name:
        case "arange":
            first, last, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
            return 1 + int(abs((last - first) / step))
        case "linspace":
            return int(kwargs.get("num", args[2] if len(args) > 2 else 50)) * max(
                [np.size(_checked(arg)) for arg in args[:2]], default=1
            )
        case "eye":
            return abs(int(args[0])) ** 2 if len(args) == 1 else abs(int(args[0]) * int(args[1]))
        case "array":
            return weigh(args)
    shape = args[0] if isinstance(args[0], list | tuple) else (args[0],)
    return math.prod(abs(int(length)) for length in shape)


def _native(name: str, function: Callable[..., object]) -> Native:
    return Native(name, function, COSTS[name])


_FLOAT, _INT = (TypeName(kind.__name__, (kind,), kind, BUILTINS[kind.__name__]) for kind in (float, int))
NUMPY = Module(
    "numpy",
    {
        **{name: _native(name, _guarded(getattr(np, name))) for name in sorted(_FUNCTIONS)},
        **{name: _native(name, _maker(name)) for name in sorted(_MADE)},
        **{name: _native(name, _grower(name)) for name in sorted(_GROWING)},
        "full_like": _native("full_like", _filled),
        "meshgrid": _native("meshgrid", _grid),
        "ndarray": TypeName("ndarray", (np.ndarray,), _maker("array"), COSTS["array"]),
        **dict.fromkeys(("float64", "float32"), _FLOAT),
        **dict.fromkeys(("int64", "int32"), _INT),
        "newaxis": None,
        "linalg": Module("numpy.linalg", {"norm": _native("norm", _guarded(np.linalg.norm))}),
        "pi": math.pi,
        "e": math.e,
        "inf": math.inf,
        "nan": math.nan,
    },
)
"""The library of the same name."""
