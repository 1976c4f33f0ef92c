"""One of gspread's methods: what programs call, and the tool that stands for it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeVar, get_type_hints

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.suites.sambanova.common.interpreter.costs import Args, Cost, Options, at_least, read

Schema = JsonMapping
Run = TypeVar("Run", bound=Callable[..., object])

SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
LINE: Schema = {"type": "integer", "minimum": 1}
FORMAT: Schema = {"type": "object", "description": "A format, such as {'textFormat': {'bold': true}}."}
BODY: Schema = {"type": "object"}


def described(schema: Schema, description: str) -> Schema:
    """Return a schema with a description."""
    return {**schema, "description": description}


def many(schema: Schema, description: str = "") -> Schema:
    """Return the schema of a list."""
    listed: JsonObject = {"type": "array", "items": schema}
    return {**listed, "description": description} if description else listed


CELL = described(TEXT, "A cell in A1 notation, such as 'B3'.")
AREA = described(TEXT, "An area in A1 notation, such as 'A1:C7'.")
AREAS = many(TEXT, "Areas in A1 notation.")
ROW = described(LINE, "Row, from 1.")
COLUMN = described(LINE, "Column, from 1.")
ROWS = many(many(SCALAR), "Rows of values.")
RENDER = {
    "type": "string",
    "enum": ["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"],
    "description": "How values are given; as shown if left out.",
}
INPUT = {
    "type": "string",
    "enum": ["RAW", "USER_ENTERED"],
    "description": "USER_ENTERED reads numbers and formulas as if typed; RAW keeps texts.",
}

# Types of parameters, each with its schema. Beside None, the schema is named in place.
Text = Annotated[str, TEXT]
Count = Annotated[int, COUNT]
Cell = Annotated[str, CELL]
AreaName = Annotated[str, AREA]
AreaNames = Annotated[list[str], AREAS]
Row = Annotated[int, ROW]
Column = Annotated[int, COLUMN]
Rows = Annotated[object, ROWS]
Render = Annotated[str | None, RENDER]
Input = Annotated[str, INPUT]


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    Attributes:
        name: Its name.
        summary: What it does.
        parameters: JSON Schema of each parameter, in the order in which programs give them.
        run: Runs it; the worksheet or spreadsheet comes first.
        cost: The steps of a call for what it is given; the session charges what it reads and writes.
        required: How many of the parameters, from the first on, cannot be left out.
        several: Whether programs give the members of the first parameter one by one.
        reads: Whether it changes nothing.
    """

    name: str
    summary: str
    parameters: Mapping[str, Schema]
    run: Callable[..., object]
    cost: Cost
    required: int = 0
    several: bool = False
    reads: bool = False

    @property
    def signature(self) -> str:
        """Its call, optional parameters in brackets, such as ``acell(label, [render])``."""
        names = list(self.parameters)
        parts = [name if at < self.required else f"[{name}]" for at, name in enumerate(names)]
        return f"{self.name}({', '.join(parts)})"


class MethodTable(dict[str, Method]):
    """Methods by name, each declared where its function is written.

    A parameter of the function whose type is `Annotated` with a JSON Schema is one of the tool too.

    Examples:
        >>> table = MethodTable()
        >>> @table.add("Doubles a number.")
        ... def _double(sheet, number: Count, times: Count = 1, fast=False):
        ...     return number * 2**times
        >>> table["double"].signature
        'double(number, [times])'
    """

    def add(
        self,
        summary: str,
        parameters: Mapping[str, Schema] | None = None,
        *,
        name: str = "",
        required: int | None = None,
        steps: int = 5,
        reads: bool = False,
    ) -> Callable[[Run], Run]:
        """Return a decorator that declares a function as a method.

        Args:
            summary: What it does, for the model.
            parameters: JSON Schema of each parameter; read from the function by default.
            name: Its name; the function's without the underscore by default.
            required: How many parameters are required; those without a default by default.
            steps: What a call costs at least.
            reads: Whether it changes nothing.
        """

        def declare(run: Run) -> Run:
            _, *own = inspect.signature(run).parameters.values()
            hints = get_type_hints(run, include_extras=True)
            schemas = {
                each.name: hints[each.name].__metadata__[0]
                for each in own
                if hasattr(hints.get(each.name), "__metadata__")
            }
            several = bool(own) and own[0].kind is inspect.Parameter.VAR_POSITIONAL
            plain = [each for each in own if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
            needed = several + sum(each.default is inspect.Parameter.empty for each in plain)
            called = name or run.__name__.removeprefix("_")
            self[called] = Method(
                called,
                summary,
                schemas if parameters is None else parameters,
                run,
                at_least(steps, _given),
                needed if required is None else required,
                several,
                reads,
            )
            return run

        return declare


def _given(args: Args, options: Options) -> int:
    # Each value that is written is read as what a user types.
    return 4 * read(args, options)
