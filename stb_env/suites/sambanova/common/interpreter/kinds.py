"""Values that are none of Python's plain ones: functions, types, libraries, arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.costs import Cost
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError


# Not frozen: a program begins with dozens of them, and a frozen one takes several times as long to make.
@dataclass(slots=True, repr=False, eq=False)
class Native:
    """A function that programs can call.

    Attributes:
        name: Its name, for messages.
        function: What is called; gets the values of the program as they are.
        cost: The steps of a call, taken off before it is made.
        calls: Whether it calls functions of the program, and gets first what makes them callable.
    """

    name: str
    function: Callable[..., object]
    cost: Cost
    calls: bool = False

    def __repr__(self) -> str:
        return f"<function {self.name}>"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TypeName:
    """The name of a type, to convert with and to ask with ``isinstance``.

    Attributes:
        name: Its name.
        types: The Python types that it stands for.
        function: Converts.
        cost: The steps of a conversion, taken off before it is made.
    """

    name: str
    types: tuple[type, ...]
    function: Callable[..., object]
    cost: Cost

    def __repr__(self) -> str:
        return f"<class {self.name!r}>"


Apply = Callable[[object], Callable[..., object]]
"""Makes a function that a program gives callable, each call charged as if the program had made it."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text.

    Examples:
        >>> sorted(words("b a"))
        ['a', 'b']
    """
    return frozenset(text.split())


class Host:
    """An object that programs are given: they see what `attribute` shows and nothing else."""

    kind = "object"

    def __repr__(self) -> str:
        return f"<{self.kind}>"

    def attribute(self, name: str) -> object:
        """Return an attribute.

        Raises:
            CrashError: There is none.
        """
        raise CrashError(f"{self.kind} has no attribute {name!r}")

    def set_attribute(self, name: str, value: object) -> None:  # noqa: ARG002
        """Set an attribute.

        Raises:
            CrashError: It cannot be set.
        """
        raise CrashError(f"{self.kind} lets no attribute {name!r} be set")


class Module(Host):
    """A library: names with values.

    Args:
        name: What it is called.
        names: What is in it.

    Examples:
        >>> Module("math", {"pi": 3.14}).attribute("pi")
        3.14
        >>> Module("math", {"pi": 3.14}).attribute("pie")
        Traceback (most recent call last):
        ...
        stb_env.suites.sambanova.common.interpreter.crash.CrashError: math has no 'pie' here. Did you mean 'pi'?
    """  # noqa: E501 # the line is what Python prints

    def __init__(self, name: str, names: Mapping[str, object]) -> None:
        self.kind = name
        self._names = names

    def extended(self, names: Mapping[str, object]) -> Module:
        """Return the library with more in it, or with other things under the same names."""
        return Module(self.kind, {**self._names, **names})

    def attribute(self, name: str) -> object:
        """Return what is in the library under a name.

        Raises:
            CrashError: There is nothing.
        """
        if name in self._names:
            return self._names[name]
        raise CrashError(f"{self.kind} has no {name!r} here.{did_you_mean(name, self._names)}")


class Kind:
    """Rules for values of some types, such as arrays, that programs use as they are.

    Attributes:
        steps: What it costs to begin anything with one, besides what is read and made.
        multiplies: Whether they have a matrix product.
    """

    steps = 0
    multiplies = True

    @property
    def types(self) -> tuple[type, ...]:
        """The types."""
        return ()

    def attribute(self, value: object, name: str) -> object:
        """Return an attribute.

        Raises:
            CrashError: There is none that programs may use.
        """
        raise CrashError(f"{type(value).__name__} has no attribute {name!r} here")

    def set_attribute(self, value: object, name: str, new: object) -> None:  # noqa: ARG002
        """Set an attribute.

        Raises:
            CrashError: Programs may not.
        """
        raise CrashError(f"{type(value).__name__} lets no attribute {name!r} be set")

    def before(self, left: object, right: object, operator: type[ast.AST] | None = None) -> None:
        """Look at the operands of an operator.

        Raises:
            CrashError: The result would be too large.
        """

    def index(self, value: object, index: object) -> object:
        """Return the index with which a value is subscripted.

        Raises:
            CrashError: The result would be too large.
        """
        del value
        return index

    def container(self, value: object) -> object:
        """Return what ``in`` looks into."""
        return value

    def delete(self, value: object, index: object) -> None:  # noqa: ARG002
        """Delete a member of a value.

        Raises:
            UnsupportedError: Programs may not.
        """
        raise UnsupportedError(f"members of {type(value).__name__} cannot be deleted here")

    def result(self, value: object) -> object:
        """Return a result as programs get it.

        Raises:
            CrashError: It is too large.
        """
        return value
