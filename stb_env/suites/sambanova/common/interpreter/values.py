"""Operations on the values of a program, each within bounds."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from stb_env.suites.sambanova.common.interpreter.budget import SHARE, Budget, bounded, extent, weigh
from stb_env.suites.sambanova.common.interpreter.builtins import sort, take
from stb_env.suites.sambanova.common.interpreter.costs import OPERATORS, meetings, place
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.kinds import Host, Kind, Native, TypeName
from stb_env.suites.sambanova.common.interpreter.methods import method_of, without_addresses
from stb_env.suites.sambanova.common.interpreter.operators import compare, compute
from stb_env.suites.sambanova.common.interpreter.ordered import OrderedSet

PYTHON_ERRORS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, NotImplementedError)
"""Errors of Python's where values cannot do what a program asks for."""

_PLAIN = (bool, int, float, str, list, tuple, dict, OrderedSet, range, type(None))
_OPAQUE = (*_PLAIN, Host, Native, TypeName)
_COMPARABLE: tuple[Any, ...] = (*_OPAQUE, Callable)
_NAMED = (Native, TypeName)
_SIZED = (str, list, tuple, dict, OrderedSet)
_KEYS = (bool, int, float, str, tuple, type(None), Native)

_QUICK = frozenset((bool, int, float, type(None)))
"""Types whose operators take one step, whatever the values."""


class Values:
    """Operations on values within a budget.

    Args:
        kinds: How values that are none of Python's plain ones are used.
        budget: The steps left.
    """

    def __init__(self, kinds: Sequence[Kind], budget: Budget) -> None:
        self.budget = budget
        self._kinds = kinds

    def called(self, function: object, args: Iterable[object], kwargs: Mapping[str, object]) -> object:
        """Return what a function gives.

        Raises:
            CrashError: It is none, or fails.
        """
        if isinstance(function, _NAMED):
            given = tuple(args)
            try:
                if steps := function.cost(given, kwargs):
                    self.budget.spend(steps)
                if isinstance(function, Native) and function.calls:
                    given = (self.callback, *given)
                return self.made(function.function(*given, **kwargs))
            except PYTHON_ERRORS as error:
                raise CrashError(f"{function.name}: {said(error)}") from error
        if callable(function) and not isinstance(function, Host | type):
            return function(*args, **kwargs)
        raise CrashError(f"{type(function).__name__} cannot be called")

    def callback(self, function: object) -> Callable[..., object]:
        """Return a function that a program gives so that a library can call it, at the program's cost."""
        if isinstance(function, Native | TypeName):
            return lambda *args, **kwargs: self.called(function, args, kwargs)
        if callable(function) and not isinstance(function, Host | type):
            return function
        raise CrashError(f"{type(function).__name__} cannot be called")

    def attribute(self, value: object, name: str) -> object:
        """Return an attribute of a value.

        Raises:
            CrashError: There is none that programs may use.
        """
        if name.startswith("__"):
            raise CrashError(f"the attribute {name!r} is not for programs")
        if isinstance(value, Host):
            if size := getattr(value, "size", 0):
                self.budget.go_through(size)
            return value.attribute(name)
        if isinstance(value, tuple) and name in getattr(value, "_fields", ()):
            return getattr(value, name)
        if isinstance(value, _PLAIN):
            return method_of(value, name, partial(sort, self.callback))
        try:
            return self.made(self._begun(value).attribute(value, name))
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error

    def item(self, value: Any, index: Any) -> object:
        """Return a member of a value.

        Raises:
            CrashError: There is none.
        """
        if isinstance(value, Host):
            raise CrashError(f"{value.kind} has no members")
        try:
            if not isinstance(value, _PLAIN):
                index = self._begun(value).index(value, index)
                self.budget.spend(weigh(index) // SHARE)
            elif isinstance(value, dict):
                self.budget.spend(place(value, index))
            return self.made(value[index])
        except KeyError as error:
            raise CrashError(f"there is no key {said(error)}") from error
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error

    def set_item(self, value: Any, index: Any, new: Any) -> None:
        """Set a member of a value.

        Raises:
            CrashError: It cannot be set.
        """
        if isinstance(value, Host | str | tuple | range | OrderedSet):
            raise CrashError(f"the members of {type(value).__name__} cannot be set")
        if isinstance(value, dict):
            return self.put(value, index, new)
        try:
            if not isinstance(value, list):
                kind = self._begun(value)
                kind.before(value, new)
                index = kind.index(value, index)
                self.budget.spend((weigh(index) + weigh(new)) // SHARE)
            elif isinstance(index, slice):
                new = take(new)
            value[index] = new
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error
        self.made(value)
        return None

    def set_attribute(self, value: object, name: str, new: object) -> None:
        """Set an attribute of a value.

        Raises:
            CrashError: It cannot be set.
        """
        try:
            if isinstance(value, Host):
                value.set_attribute(name, new)
            else:
                self._begun(value).set_attribute(value, name, new)
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error

    def computed(self, kind: type[ast.operator], left: object, right: object) -> object:
        """Return what a binary operator gives.

        Raises:
            CrashError: It gives nothing, or too much.
        """
        try:
            if type(left) not in _QUICK or type(right) not in _QUICK:
                self._look_at(kind, left, right, _PLAIN)
            return self.made(compute(kind, left, right))
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error

    def compared(self, kind: type[ast.cmpop], left: object, right: object) -> object:
        """Return what a comparison gives.

        Raises:
            CrashError: The values cannot be compared.
        """
        try:
            if type(left) not in _QUICK or type(right) not in _QUICK:
                if kind in (ast.In, ast.NotIn) and not isinstance(right, _OPAQUE) and not callable(right):
                    right = self._begun(right).container(right)
                self._look_at(kind, left, right, _COMPARABLE)
            return self.made(compare(kind, left, right))
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error

    def through(self, value: object) -> list[object]:
        """Return the members of a value, each a step.

        Raises:
            CrashError: It has none, or too many.
        """
        if not isinstance(value, _PLAIN):
            self.kind_of(value)
        try:
            items = take(value)
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error
        self.budget.spend(len(items))
        return items

    def truth(self, value: object) -> bool:
        """Return whether a value counts as true.

        Raises:
            CrashError: That cannot be said, as of an array.
        """
        try:
            return bool(value)
        except PYTHON_ERRORS as error:
            raise CrashError(said(error)) from error

    def kind_of(self, value: object) -> Kind:
        """Return how a value is used.

        Raises:
            CrashError: Programs cannot use it.
        """
        for kind in self._kinds:
            if isinstance(value, kind.types):
                return kind
        raise CrashError(f"{type(value).__name__} cannot be used like that")

    def hashable(self, items: list[object]) -> list[object]:
        """Return members of a set, or keys.

        Raises:
            CrashError: One of them cannot be that.
        """
        self.budget.spend(weigh(items) // SHARE + meetings(items))
        for item in items:
            if not isinstance(item, _KEYS):
                raise CrashError(f"{type(item).__name__} cannot be a member of a set or a key")
        return items

    def put(self, made: dict[object, object], key: object, value: object) -> None:
        """Put a value into a dictionary.

        Raises:
            CrashError: The key cannot be one.
        """
        self.budget.spend(place(made, key))
        try:
            made[self.hashable([key])[0]] = value
        except TypeError as error:
            raise CrashError(said(error)) from error

    def _look_at(self, kind: type[ast.AST], left: object, right: object, known: tuple[Any, ...]) -> None:
        """Look at the operands of an operator, and take its steps off."""
        for value in (left, right):
            if not isinstance(value, known):
                used = self._begun(value)
                if kind is ast.MatMult and not used.multiplies:
                    raise CrashError(f"{type(value).__name__} has no matrix product (@) here")
                used.before(left, right, kind)
        cost = OPERATORS.get(kind)
        if cost is not None:
            self.budget.spend(cost((left, right), {}))

    def _begun(self, value: object) -> Kind:
        """Return how a value is used, at the price of beginning anything with one."""
        kind = self.kind_of(value)
        self.budget.spend(kind.steps)
        return kind

    def made(self, value: object) -> object:
        """Return a new value as programs get it: in bounds, and numbers of libraries as Python's own."""
        if type(value) in _QUICK:
            return bounded(value)
        if isinstance(value, _PLAIN):
            if isinstance(value, _SIZED) and len(value) >= SHARE:
                self.budget.spend(len(value) // SHARE)
            return bounded(value)
        for kind in self._kinds:
            if isinstance(value, kind.types):
                self.budget.spend(extent(value) // SHARE)
                return kind.result(value)
        return value


def said(error: Exception) -> str:
    """Return what an error of Python's says, its class included."""
    return without_addresses(f"{type(error).__name__}: {error}")[:300]
