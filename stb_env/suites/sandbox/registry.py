"""Declarations of tools: documentation and code in one place.

A file in ``tools/`` makes one `ToolDoc` and decorates its functions with `ToolDoc.api` or `ToolDoc.lookup`;
nothing else has to be told about it.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from stb_env.backend.world import Table, Tables
from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.core.reference import load_object
from stb_env.suites.sandbox.api_error import ArgumentsError
from stb_env.suites.sandbox.content.edition import edition_of, within
from stb_env.suites.sandbox.params import Param
from stb_env.tools import ToolId

Response: TypeAlias = Mapping[str, object]
"""The fields with which an API answers."""
Update: TypeAlias = tuple[Response, Tables]
"""The response of an API that writes, and the new state."""
Function: TypeAlias = Callable[..., Response | Update]


class ApiCall(NamedTuple):
    """A call of one API, as a solution yields it."""

    api: Api
    arguments: JsonMapping


@dataclass(frozen=True, slots=True)
class Api:
    """One executable, documented API. Called with arguments it makes an `ApiCall`, it does not run.

    Attributes:
        tool: The tool it belongs to.
        name: Raw name, for example ``Search Cities``.
        description: What it does.
        params: Its parameters, in order.
        function: Takes a state (unless `stateless`) and the arguments by name; returns a response, or a
            response and a new state; raises `ApiError` to refuse.
        id: Its identity.
        stateless: Whether the function takes no state.
        fact: For a calculation, the fact of the world that it uses: a name, and the parameters that say which
            one; empty where it uses none. None for all that is no calculation: there the result is the fact.
    """

    tool: ToolDoc
    name: str
    description: str
    params: tuple[Param, ...]
    function: Function = field(repr=False)
    id: ToolId
    stateless: bool
    fact: tuple[str, ...] | None = field(default=None, repr=False)

    def __call__(self, **arguments: Json) -> ApiCall:
        """Return a call of this API; nothing runs."""
        return ApiCall(self, arguments)

    def __hash__(self) -> int:
        return hash(self.id)

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        """Pickle as the place where it is declared, under the name of its function."""
        return load_object, (f"{self.function.__module__}:{self.function.__name__}",)

    def run(self, state: Tables, arguments: JsonMapping) -> Update:
        """Run it.

        Raises:
            ArgumentsError: The arguments do not fit.
            ApiError: The API refuses.
        """
        bound = self.bind(arguments)
        with within(edition_of(state)):
            outcome = self.function(**bound) if self.stateless else self.function(state, **bound)
        return outcome if isinstance(outcome, tuple) else (outcome, state)

    def bind(self, arguments: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments that reach the function, defaults of optional parameters filled in.

        Raises:
            ArgumentsError: One is missing, unknown or of a wrong type.
        """
        bound = {}
        given = 0
        for param in self.params:
            if param.name in arguments:
                bound[param.name] = param.bind(arguments[param.name])
                given += 1
            elif param.required:
                raise ArgumentsError(f"missing required parameter {param.name!r}")
            else:
                bound[param.name] = param.default
        if given != len(arguments):
            known = ", ".join(param.name for param in self.params) or "none"
            unknown = sorted(set(arguments) - bound.keys())
            raise ArgumentsError(f"unknown parameter {unknown[0][:80]!r}; parameters: {known}")
        return bound

    @property
    def defaults(self) -> dict[str, object]:
        """The documented example of every required parameter."""
        return {param.name: param.default for param in self.params if param.required}


Rows = Callable[[random.Random, int], Mapping[str, Table]]


@dataclass(eq=False)
class ToolDoc:
    """One tool: a named group of APIs, with the rows its user starts with.

    Attributes:
        category: Its category.
        name: Raw name.
        description: What it is for.
        held_out: ``tool`` or ``category`` where training never sees it, and why; else empty.
        apis: Its APIs, filled by the `api` decorator.
        rows: Makes the starting tables of a household from (rng, household number).
    """

    category: str
    name: str
    description: str
    held_out: str = ""
    apis: list[Api] = field(default_factory=list, repr=False)
    rows: Rows | None = field(default=None, repr=False)

    def api(self, name: str, *params: Param) -> Callable[[Function], Api]:
        """Return a decorator that makes a function of (state, arguments) an API of this tool.

        The function's docstring is the API's documentation.
        """
        return self._register(name, params, stateless=False)

    def lookup(
        self, name: str, *params: Param, fact: tuple[str, ...] | None = None
    ) -> Callable[[Function], Api]:
        """Return a decorator as `api` does, for a function that needs no state.

        `fact` says what a calculation uses (see `Api`).
        """
        return self._register(name, params, stateless=True, fact=fact)

    def _register(
        self, name: str, params: tuple[Param, ...], stateless: bool, fact: tuple[str, ...] | None = None
    ) -> Callable[[Function], Api]:
        def register(function: Function) -> Api:
            identity = ToolId.of(self.category, self.name, name)
            description = inspect.cleandoc(function.__doc__ or "")
            api = Api(self, name, description, params, function, identity, stateless, fact)
            self.apis.append(api)
            return api

        return register

    def starts_with(self, rows: Rows) -> Rows:
        """Register, as a decorator, the function that makes the starting tables."""
        self.rows = rows
        return rows
