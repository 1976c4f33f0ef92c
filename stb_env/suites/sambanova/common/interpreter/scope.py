"""Names of a program: those of a function see those around it."""

from __future__ import annotations

import builtins

from stb_env.errors import did_you_mean
from stb_env.suites.sambanova.common.interpreter.crash import CrashError, UnsupportedError


class Scope:
    """Names with values.

    Args:
        names: The names at the start.
        around: The scope around it, if any.

    Examples:
        >>> outer = Scope({"a": 1})
        >>> inner = Scope({}, outer)
        >>> inner.set("a", 2)
        >>> inner.get("a"), outer.get("a")
        (2, 1)
    """

    __slots__ = ("around", "names")

    def __init__(self, names: dict[str, object], around: Scope | None = None) -> None:
        self.names = names
        self.around = around

    def get(self, name: str) -> object:
        """Return the value of a name.

        Raises:
            CrashError: It has none.
            UnsupportedError: It is one that only Python itself has.
        """
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.around
        if hasattr(builtins, name):
            raise UnsupportedError(f"{name} of Python is not read here.{did_you_mean(name, self._known())}")
        raise CrashError(f"name {name!r} is not defined.{did_you_mean(name, self._known())}")

    def set(self, name: str, value: object) -> None:
        """Give a name a value in this scope."""
        self.names[name] = value

    def drop(self, name: str) -> None:
        """Take a name away.

        Raises:
            CrashError: This scope has none such.
        """
        if name not in self.names:
            raise CrashError(f"name {name!r} is not defined")
        del self.names[name]

    def _known(self) -> list[str]:
        scope: Scope | None = self
        known: list[str] = []
        while scope is not None:
            known.extend(scope.names)
            scope = scope.around
        return known
