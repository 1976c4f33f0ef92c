"""One of gspread's methods: what programs call, and the tool that stands for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stb_env.jsontypes import JsonMapping, JsonObject

Schema = JsonMapping

SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
LINE: Schema = {"type": "integer", "minimum": 1}
FORMAT: Schema = {"type": "object", "description": "A format, such as {'textFormat': {'bold': true}}."}
BODY: Schema = {"type": "object"}


def said(schema: Schema, description: str) -> Schema:
    """Return a schema with a description."""
    return {**schema, "description": description}


def many(schema: Schema, description: str = "") -> Schema:
    """Return the schema of a list."""
    listed: JsonObject = {"type": "array", "items": schema}
    return {**listed, "description": description} if description else listed


CELL = said(TEXT, "A cell in A1 notation, such as 'B3'.")
AREA = said(TEXT, "An area in A1 notation, such as 'A1:C7'.")
AREAS = many(TEXT, "Areas in A1 notation.")
ROW = said(LINE, "Row, from 1.")
COLUMN = said(LINE, "Column, from 1.")
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


@dataclass(frozen=True, slots=True)
class Method:
    """One method.

    Attributes:
        name: Its name.
        summary: What it does.
        parameters: JSON Schema of each parameter, in the order in which programs give them.
        run: Runs it; the worksheet or spreadsheet comes first.
        required: How many of the parameters, from the first on, cannot be left out.
        several: Whether programs give the members of the first parameter one by one.
    """

    name: str
    summary: str
    parameters: Mapping[str, Schema]
    run: Callable[..., Any]
    required: int = 0
    several: bool = False

    @property
    def signature(self) -> str:
        """How it is called, parameters that can be left out in brackets.

        Examples:
            >>> Method("f", "", {"a": TEXT, "b": TEXT}, print, 1).signature
            'f(a, [b])'
        """
        names = list(self.parameters)
        parts = [name if at < self.required else f"[{name}]" for at, name in enumerate(names)]
        return f"{self.name}({', '.join(parts)})"
