"""Data frames for programs: pandas itself, behind a list of what programs may use of it."""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping
from functools import cache, partial
from typing import Any

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.arrays import Arrays
from stb_env.suites.sambanova.common.interpreter.budget import Budget, width
from stb_env.suites.sambanova.common.interpreter.costs import spent
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Kind, Native
from stb_env.suites.sambanova.google_sheets.dataframes.calls import (
    bounded,
    call,
    check_chosen,
    check_operator,
    check_planned,
    given,
)
from stb_env.suites.sambanova.google_sheets.dataframes.library import is_used, pandas
from stb_env.suites.sambanova.google_sheets.dataframes.names import (
    EARLIER,
    FIELDS,
    FUNCTIONS,
    LABELS,
    METHODS,
    PANDAS,
)


@cache
def _types() -> tuple[tuple[str, tuple[type, ...]], ...]:
    """Return the types that programs may hold, by our name of each."""
    pd = pandas()
    frame = pd.DataFrame({"a": ["x"]})
    dates = pd.Series(pd.to_datetime(["2024-01-01"])).dt
    groups = frame.groupby("a")
    return (
        ("frame", (pd.DataFrame,)),
        ("series", (pd.Series,)),
        ("grouped", (type(groups), type(groups["a"]))),
        ("index", (pd.Index,)),
        ("texts", (type(frame["a"].str),)),
        ("dates", (type(dates),)),
        ("indexer", tuple(type(getattr(frame, name)) for name in ("loc", "iloc", "at", "iat"))),
    )


@cache
def _all_types() -> tuple[type, ...]:
    return tuple(each for _, types in _types() for each in types)


class Frames(Kind):
    """The use of data frames, columns, groups and indexes by programs.

    Args:
        budget: The steps that are left to the program.
    """

    steps = 15
    multiplies = False

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    @property
    def types(self) -> tuple[type, ...]:
        """The types; none before a program has asked for pandas, which is not imported to tell them."""
        return _all_types() if is_used() else ()

    def attribute(self, value: Any, name: str) -> object:
        """Return an attribute that programs may use, or a column of that name."""
        kind = next(kind for kind, types in _types() if isinstance(value, types))
        if name in FIELDS.get(kind, ()):
            return getattr(value, name)
        if name in METHODS.get(kind, ()) or name in EARLIER.get(kind, ()):
            return Native(
                name, partial(call, value, name, self._budget), spent(PANDAS[name], value), calls=True
            )
        if name in _columns(value):
            return value[name]
        near = did_you_mean(name, [*FIELDS.get(kind, ()), *METHODS.get(kind, ())])
        raise CrashError(f"{type(value).__name__} has no attribute {name!r} here.{near}")

    def set_attribute(self, value: object, name: str, new: object) -> None:
        """Set labels, a name, or a column."""
        if name in LABELS:
            setattr(value, name, given(new))
        elif name in _columns(value) and isinstance(value, pandas().DataFrame):
            value[name] = given(new)
        else:
            super().set_attribute(value, name, new)

    def before(self, left: Any, right: Any, operator: type[ast.AST] | None = None) -> None:
        """Check the operands of an operator."""
        given(left)
        given(right)
        if operator is not None:
            check_operator(operator, left, right)
            self._budget.spend(4 * max(width(left), width(right)))
        tables = all(hasattr(value, "index") and hasattr(value, "shape") for value in (left, right))
        if tables and not left.index.equals(right.index):
            # Labels that occur more than once are paired with each other.
            check_planned(len(left) * len(right))

    def index(self, value: object, index: object) -> object:
        """Return an index."""
        index = given(index)
        if hasattr(getattr(value, "obj", value), "axes"):
            check_chosen(value, index)
        return index

    def delete(self, value: Any, index: object) -> None:
        """Delete a column."""
        if not isinstance(value, pandas().DataFrame):
            super().delete(value, index)
        del value[index]

    def result(self, value: object) -> object:
        """Return a result."""
        return bounded(value, self._budget)


def _columns(value: object) -> Container[object]:
    """Return the column labels of a frame or of its groups."""
    labels: Container[object] = getattr(getattr(value, "obj", value), "columns", ())
    return labels


def pandas_names(budget: Budget) -> Mapping[str, object]:
    """Return the functions of pandas that programs may call.

    Args:
        budget: The steps that are left to the program.

    Raises:
        NoFramesError: pandas is not installed.
    """
    pd = pandas()
    names: dict[str, object] = {
        name: Native(name, partial(call, pd, name, budget), PANDAS[name], calls=True)
        for name in sorted(FUNCTIONS)
    }
    return names | {"NA": float("nan"), "NaT": float("nan")}


def kinds_for(budget: Budget) -> tuple[Kind, ...]:
    """Return the kinds of value that pandas and NumPy make.

    Args:
        budget: The steps that are left to the program.
    """
    return Frames(budget), Arrays(objects=True)
