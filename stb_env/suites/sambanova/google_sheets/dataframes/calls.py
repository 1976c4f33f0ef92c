"""Calls of pandas by programs: arguments are checked first, and results are bounded."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from stb_env.suites.sambanova.common.interpreter import budget as bounds
from stb_env.suites.sambanova.common.interpreter.budget import MAX_ITEMS, Budget, weigh
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError
from stb_env.suites.sambanova.common.interpreter.kinds import Apply, Host, Native, TypeName
from stb_env.suites.sambanova.google_sheets.dataframes.library import pandas
from stb_env.suites.sambanova.google_sheets.dataframes.names import APPLIED, PAIRED, PATTERNED, REDUCTIONS
from stb_env.suites.sambanova.google_sheets.patterns import Pattern

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

MAX_PLANNED = 2_000_000
"""Cells that an operation may pass through on its way to a small result."""

MAX_TEXT = 1_000_000
"""Characters in a data frame."""

_STEPWISE = ("iterrows", "itertuples", "items")
"""Methods of pandas that return an iterator."""

MAX_COLUMNS = 1_000
"""Columns of a data frame: to most of what is done with one, each is a table of its own."""

_LONGEST = 100
_NUMERIC = "biufmM"
_OPERATORS: Mapping[str, type[ast.AST]] = {
    **dict.fromkeys(("mul", "multiply", "rmul"), ast.Mult),
    "pow": ast.Pow,
    "mod": ast.Mod,
}
_LEVELS = 10
"""Levels of labels, rows and columns alike."""
_MOST_KEYS = {"groupby": 3, "set_index": _LEVELS, "nlargest": _LEVELS, "nsmallest": _LEVELS}
"""Columns by which a table is ordered or divided at once."""


def call(
    owner: object, name: str, budget: Budget, apply: Apply, /, *args: object, **kwargs: object
) -> object:
    """Call a method or function of pandas.

    Args:
        owner: pandas, or one of its objects.
        name: What is called; one of the listed names.
        budget: The steps that are left to the program.
        apply: Makes functions of the program callable.
        *args: Values of the program.
        **kwargs: Values of the program.
    """
    args = tuple(given(arg) for arg in args)
    kwargs = {key: given(arg) for key, arg in kwargs.items()}
    _check_names(name, args, kwargs)
    _check_size(owner, name, args, kwargs)
    _check_texts(owner, args, kwargs)
    if name in _OPERATORS and args:
        check_operator(_OPERATORS[name], owner, args[0])
    if (pattern := _pattern(owner, name, args, kwargs)) is not None:
        compiled = Pattern(pattern, budget, fold=kwargs.get("case") is False)
        return bounded(matched(owner, name, compiled, args, kwargs), budget)
    if name == "astype":
        args = tuple(_type_named(arg) for arg in args)
    plain = {key: _callable(arg, apply) for key, arg in kwargs.items()}
    function: Callable[..., Any] = partial(_append, owner) if name == "append" else getattr(owner, name)
    result = function(*(_callable(arg, apply) for arg in args), **plain)
    return bounded(list(result) if name in _STEPWISE else result, budget)


def _type_named(value: object) -> object:
    """Return the type of Python's that a program names, or one for each column."""
    if isinstance(value, dict):
        return {key: _type_named(each) for key, each in value.items()}
    return value.types[0] if isinstance(value, TypeName) else value


def _append(frame: Any, other: Any, ignore_index: bool = False, sort: bool = False) -> object:
    """Add rows to a data frame as pandas 1.5 did, for which programs of the benchmark were written."""
    pd = pandas()
    if isinstance(other, dict):
        if not ignore_index:
            raise CrashError("a dictionary is appended with ignore_index=True")
        other = pd.Series(other)
    if isinstance(other, pd.Series):
        other = other.to_frame().T.infer_objects()
    parts = other if isinstance(other, list) else [other]
    tables = [pd.DataFrame([part]) if isinstance(part, dict) else part for part in parts]
    check_planned((len(frame) + sum(map(len, tables))) * (frame.shape[1] + 1))
    return pd.concat([frame, *tables], ignore_index=ignore_index, sort=sort)


def given(value: object) -> object:
    """Return a value of a program as pandas takes it."""
    weigh(value)
    if isinstance(value, Host):
        raise CrashError(f"{value.kind} has no place in a data frame")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        raise CrashError("a number is too large for a data frame")
    if isinstance(value, dict):
        return {given(key): given(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(given(item) for item in value)
    return value


def bounded(value: T, budget: Budget) -> T:
    """Return a result of pandas, unless it is too large."""
    pd = pandas()
    if isinstance(value, pd.DataFrame | pd.Series | pd.Index):
        if value.size > MAX_ITEMS:
            raise CrashError(f"a data frame would have more than {MAX_ITEMS} cells")
        if value.ndim > 1 and value.shape[1] > MAX_COLUMNS:
            raise CrashError(
                f"a data frame would have more than {MAX_COLUMNS} columns; keep many records as rows"
            )
        if (
            max(axis.nlevels for axis in (*getattr(value, "axes", ()), getattr(value, "index", value)))
            > _LEVELS
        ):
            raise CrashError(f"a data frame would have more than {_LEVELS} levels of labels")
        budget.go_through(_members_of(value))
    return value


def _members_of(value: pd.DataFrame | pd.Series | pd.Index) -> int:
    """Return how many members the cells of a table have besides: none where they are numbers.

    Raises:
        CrashError: There are too many, or too many characters, or a number has too many bits.
    """
    if not has_texts(value):
        return 0
    cells = np.ravel(value.to_numpy()).tolist()
    if sum(len(cell) for cell in cells if isinstance(cell, str)) > MAX_TEXT:
        raise CrashError(f"a data frame would hold more than {MAX_TEXT} characters")
    for cell in cells:
        if isinstance(cell, int):
            bounds.bounded(cell)
    return weigh(cells) - len(cells)


def has_texts(value: pd.DataFrame | pd.Series | pd.Index) -> bool:
    """Return whether a table may hold texts."""
    kinds = value.dtypes if hasattr(value, "columns") else [value.dtype]
    return any(kind.kind not in _NUMERIC for kind in kinds)


def check_operator(kind: type[ast.AST], left: object, right: object) -> None:
    """Check an operator on cells that are no plain numbers, before pandas applies Python's own to each.

    Raises:
        CrashError: The cells of the result could be too large.
        UnsupportedError: Texts would be formatted.
    """
    if kind not in (ast.Mult, ast.Pow, ast.Mod) or not (_is_mixed(left) or _is_mixed(right)):
        return
    cells, others = _cells(left), _cells(right)
    if kind is ast.Mult:
        longest = max(_longest(cells) * _most(others), _longest(others) * _most(cells))
        check_planned(longest * max(len(cells), len(others)))
    elif kind is ast.Pow and _most(others) > _LONGEST:
        raise CrashError(f"a table with texts is raised to powers up to {_LONGEST}")
    elif kind is ast.Mod and not isinstance(left, str) and any(isinstance(cell, str) for cell in cells):
        raise UnsupportedError("texts of a table are not formatted with % here; use map and an f-string")


def _is_mixed(value: object) -> bool:
    """Return whether a value may hold anything but numbers of a fixed size."""
    if hasattr(value, "to_numpy"):
        return has_texts(value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in _NUMERIC
    return not isinstance(value, int | float | np.generic | None)


def _cells(value: Any) -> list[object]:
    """Return the cells of an operand."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        value = np.ravel(value).tolist()
    return list(value) if isinstance(value, list | tuple) else [value]


def _most(cells: Iterable[object]) -> int:
    """Return the largest number of times that whole numbers among cells say."""
    return max((abs(cell) for cell in cells if isinstance(cell, int)), default=0)


def _longest(cells: Iterable[object]) -> int:
    """Return the most members that a text or list among cells has."""
    return max((len(cell) for cell in cells if isinstance(cell, str | list | tuple)), default=0)


def check_chosen(value: Any, index: object) -> None:
    """Check the size of what is chosen by lists of labels or places, which may name one many times."""
    table, parts = getattr(value, "obj", value), index if isinstance(index, tuple) else (index,)
    axes = (*table.axes[::-1],) if table is value else (*table.axes,)
    cells = 1
    for axis, part in zip_longest(axes, parts[: len(axes)]):
        is_listed = isinstance(part, list) and not (part and isinstance(part[0], bool))
        # A label that occurs more than once stands for each of its places.
        cells *= len(part) * (1 if axis.is_unique else len(axis)) if is_listed else len(axis)
    check_planned(cells)


def check_planned(cells: int) -> None:
    """Check the size of an operation before it is carried out."""
    if cells > MAX_PLANNED:
        raise CrashError("the tables are too large to be combined like that")


def where(condition: object, yes: object, no: object) -> object:
    """Choose between values row by row, texts too: NumPy's function, as it is used on columns.

    Examples:
        >>> where([True, False], "high", "low").tolist()
        ['high', 'low']
    """
    parts = [
        np.asarray(given(value), dtype=kind) for value, kind in ((condition, bool), (yes, None), (no, None))
    ]
    if any(part.dtype.kind not in "biufUO" for part in parts):
        raise CrashError("where chooses between numbers, truth values and texts here")
    check_planned(math.prod(np.broadcast_shapes(*(part.shape for part in parts))))
    texts = any(part.dtype.kind in "UO" for part in parts[1:])
    condition, yes, no = (
        part if at == 0 or not texts else part.astype(object) for at, part in enumerate(parts)
    )
    return np.where(condition, yes, no)


def _callable(value: object, apply: Apply) -> object:
    """Return a function of a program as one of Python's."""
    match value:
        case Native(name) if name in REDUCTIONS:
            return name
        case Native() | TypeName():
            return apply(value)
        case list() | tuple():
            return type(value)(_callable(item, apply) for item in value)
        case dict():
            return {key: _callable(item, apply) for key, item in value.items()}
    return value


def _check_names(name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
    """Check functions that are given by name: pandas would call any method of that name."""
    if name in APPLIED:
        # Whatever is no option is a function, or a column with a function.
        options = {"axis", "args", "na_action", "func", "arg"}
        functions = [*args[:1], kwargs.get("func")]
        named = [value for key, value in kwargs.items() if key not in options]
        functions += [value[-1] if isinstance(value, tuple) and value else value for value in named]
        if len(args) > 1 and not isinstance(args[1], int):
            raise UnsupportedError(f"{name} takes a function and an axis here")
    elif name in ("pivot_table", "crosstab"):
        functions = [*args[3:], kwargs.get("aggfunc")]
    elif name in ("filter", "replace"):
        if kwargs.get("regex") or len(args) > 2:
            raise UnsupportedError(f"{name} takes no pattern here")
        return
    else:
        return
    for function in _members(functions, values_only=name != "map"):
        if isinstance(function, str) and function not in REDUCTIONS:
            known = ", ".join(sorted(REDUCTIONS))
            raise UnsupportedError(f"{name} knows the functions {known}, not {function[:40]!r}")


def _members(values: Iterable[object], *, values_only: bool) -> Iterable[object]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _members(value, values_only=values_only)
        elif isinstance(value, dict):
            # To map, a dictionary is a table of values.
            yield from _members(value.values() if values_only else (), values_only=values_only)
        else:
            yield value


def _check_size(owner: object, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
    tables = [each for each in (owner, *args, *kwargs.values()) if hasattr(each, "shape")]
    heights = [table.shape[0] for table in tables if table.shape]
    if name in PAIRED and heights:
        widths = sum(table.shape[1] if len(table.shape) > 1 else 1 for table in tables)
        other = heights[1] if len(heights) > 1 else heights[0]
        check_planned(heights[0] * other * min(widths, 8))
    elif name == "concat":
        members = _members(args[:1] or [kwargs.get("objs")], values_only=True)
        parts = [each for each in members if hasattr(each, "shape")]
        check_planned(sum(each.shape[0] for each in parts) * sum((*each.shape, 1)[1] for each in parts))
    elif name in ("DataFrame", "reindex"):
        lengths = [len(each) for each in (*args, *kwargs.values()) if hasattr(each, "__len__")]
        check_planned(int(np.prod(sorted(lengths)[-2:], dtype=float)))
    elif (most := _MOST_KEYS.get(name)) is not None:
        given_keys = (*args, *kwargs.values())
        if any(isinstance(keys, list) and len(keys) > most for keys in given_keys):
            raise UnsupportedError(f"{name} takes up to {most} columns here")
    elif name == "cumsum" and has_texts(getattr(owner, "obj", owner)):
        raise UnsupportedError("texts are not summed up here")


def _check_texts(owner: object, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
    if type(owner).__name__ != "StringMethods":
        return
    for value in (*args, *kwargs.values()):
        if isinstance(value, str) and len(value) > _LONGEST:
            raise CrashError(f"methods of texts take texts of up to {_LONGEST} characters here")
        if isinstance(value, int) and abs(value) > _LONGEST:
            raise CrashError(f"methods of texts take numbers up to {_LONGEST} here")


def _pattern(owner: object, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
    """Return the pattern of a method of texts; None where it has none, or one that is plain text."""
    if type(owner).__name__ != "StringMethods" or name not in PATTERNED:
        return None
    pattern = args[0] if args else kwargs.get("pat")
    if name in ("match", "fullmatch", "count"):
        return pattern
    asked = kwargs.get("regex", name == "contains")
    plain = isinstance(pattern, str) and len(pattern) == 1 and (name == "split" or pattern not in _MARKS)
    if name == "split" and kwargs.get("regex") is None:
        asked = True
    return pattern if asked and not plain else None


def matched(
    texts: Any, name: str, pattern: Pattern, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> object:
    """Return what a method of texts gives for a pattern: its answer for each text, and for others nothing."""
    options = {**dict(zip(_OPTIONS[name], args, strict=False)), **kwargs}
    unread = [key for key, value in options.items() if key not in _OPTIONS[name] and value]
    if unread:
        raise UnsupportedError(f"{name} does not read the option {unread[0][:40]!r} with a pattern here")
    ways: dict[str, Callable[[str], object]] = {
        "contains": pattern.search,
        "match": pattern.match,
        "fullmatch": pattern.fullmatch,
        "count": pattern.count,
        "split": lambda text: pattern.split(text, max(0, int(options.get("n") or 0))),  # type: ignore[call-overload] # a number, or int says so
        "replace": lambda text: pattern.sub(options.get("repl"), text),
    }
    missing = options.get("na", float("nan"))
    # pandas has no public way from the methods of texts back to their column.
    column: Any = texts._orig
    answers = [ways[name](text) if isinstance(text, str) else missing for text in column]
    return pandas().Series(answers, index=getattr(column, "index", None), name=column.name)


_MARKS = frozenset(".^$*+?{}[]()|\\")
_OPTIONS = {
    "contains": ("pat", "case", "flags", "na", "regex"),
    "match": ("pat", "case", "flags", "na"),
    "fullmatch": ("pat", "case", "flags", "na"),
    "count": ("pat", "flags"),
    "split": ("pat", "n", "expand", "regex"),
    "replace": ("pat", "repl", "n", "case", "flags", "regex"),
}
