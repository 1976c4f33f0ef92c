"""An API as API-Bank describes one: named and typed inputs and outputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject

_TYPES: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "list": (list,),
    "dict": (dict,),
}
_SCHEMA_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}
_EDGES = re.compile(r"[\W_]+")

Parameter = JsonMapping


@dataclass(frozen=True, slots=True)
class Api:
    """One API.

    Attributes:
        name: Letters, digits and underscores.
        description: What it does.
        inputs: For each input its ``type`` (``str int float bool list dict``), ``description`` and, where it
            may be left out, ``required`` false.
        outputs: The same for each output.

    Examples:
        >>> rate = Api("GetRate", "Exchange rate.", {"code": {"type": "str", "description": "ISO code."}})
        >>> rate.violations({"code": 7, "day": "today"})
        ["argument 'code' of GetRate must be str, got int", "GetRate has no parameter 'day'"]
        >>> rate.key == Api("get_rate", "Other words.", {"code": {"type": "str", "description": ""}}).key
        True
    """

    name: str
    description: str
    inputs: Mapping[str, Parameter] = field(default_factory=dict)
    outputs: Mapping[str, Parameter] = field(default_factory=dict)

    @classmethod
    def from_record(cls, record: JsonMapping) -> Api:
        """Read the form that `record` has."""
        return cls(
            record["name"],
            record["description"],
            dict(record.get("input_parameters", {})),
            dict(record.get("output_parameters", {})),
        )

    @property
    def record(self) -> dict[str, object]:
        """The form of API-Bank's search results."""
        return {
            "name": self.name,
            "description": self.description,
            "input_parameters": {name: dict(each) for name, each in self.inputs.items()},
            "output_parameters": {name: dict(each) for name, each in self.outputs.items()},
        }

    @property
    def line(self) -> str:
        """The form in which API-Bank's training inputs describe it: one line of JSON."""
        return jsontext.dumps(
            {
                "apiCode": self.name,
                "description": self.description,
                "parameters": self.record["input_parameters"],
                "response": self.record["output_parameters"],
            }
        )

    @property
    def key(self) -> tuple[str, ...]:
        """Name and input names without case and style; equal for two descriptions of one API."""
        return (_plain(self.name), *sorted(map(_plain, self.inputs)))

    @property
    def function(self) -> JsonObject:
        """The OpenAI function spec."""
        properties = {
            name: {
                "type": _SCHEMA_TYPES.get(str(each.get("type")), "string"),
                "description": str(each.get("description", "")),
            }
            for name, each in self.inputs.items()
        }
        required = [name for name, each in self.inputs.items() if each.get("required", True)]
        schema = {"type": "object", "properties": properties, "required": required}
        function = {"name": self.name, "description": self.description, "parameters": schema}
        return {"type": "function", "function": function}

    def violations(self, arguments: Mapping[str, object]) -> list[str]:
        """Return what is wrong with the arguments of a call."""
        found = [
            f"argument {name!r} of {self.name} must be {kind}, got {type(value).__name__}"
            for name, value in arguments.items()
            if name in self.inputs and not _fits(value, kind := str(self.inputs[name].get("type")))
        ]
        found += [f"{self.name} has no parameter {name!r}" for name in arguments if name not in self.inputs]
        return found + [
            f"{self.name} needs the argument {name!r}"
            for name, each in self.inputs.items()
            if each.get("required", True) and name not in arguments
        ]


SEARCHER = Api(
    "ToolSearcher",
    "Finds an API of the library by keywords.",
    {"keywords": {"type": "str", "description": "What the API is to do, in a few words."}},
    # The published name of the member, spelled as published.
    {"best_matchs": {"type": "Union[List[dict], dict]", "description": "The API, or APIs, that fit best."}},
)
"""The search tool, under API-Bank's own name and parameter names."""


def _fits(value: object, kind: str) -> bool:
    if kind not in _TYPES:
        return True
    return isinstance(value, _TYPES[kind]) and (kind == "bool" or not isinstance(value, bool))


def _plain(name: str) -> str:
    return _EDGES.sub("", name).lower()
