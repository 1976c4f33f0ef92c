"""Arguments that look right: from enumerations, defaults and examples, and the query's words and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import cycle

from stb_env.core.jsontypes import JsonMapping, JsonObject

_QUOTED = re.compile(r"[\"'“‘]([^\"'”’]{2,60})[\"'”’]")
_PROPER = re.compile(r"\b[A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_EXAMPLE = re.compile(r"(?:e\.g\.?,?|for example,?|such as|like) [\"'`]?([\w .:/-]+)", re.IGNORECASE)


class Guesses:
    """Makes up arguments for one query, its own words in turn.

    Args:
        query: What the user asks.

    Examples:
        >>> schema = {"properties": {"to": {"type": "string"}, "n": {"type": "integer"},
        ...           "unit": {"enum": ["km", "mi"]}}, "required": ["to", "n", "unit"]}
        >>> Guesses("How many mi is it to Oslo in 3 days?").arguments(schema)
        {'to': 'Oslo', 'n': 3, 'unit': 'mi'}
    """

    def __init__(self, query: str) -> None:
        self._query = query.casefold()
        # The first word of a sentence is written large for no reason of its own.
        proper = _PROPER.findall(query)
        self._fresh = [*_QUOTED.findall(query), *(proper[1:] or proper)] or query.split()[-1:] or ["example"]
        self._words: Iterator[str] = cycle(list(self._fresh))
        self._numbers: Iterator[str] = cycle(_NUMBER.findall(query) or ["1"])

    def arguments(self, parameters: JsonMapping) -> JsonObject:
        """Return a value for every required parameter of a schema, and for those that the query names."""
        required = set(parameters.get("required", ()))
        properties = parameters.get("properties", {})
        return {
            name: self._value(schema)
            for name, schema in properties.items()
            if name in required or self._named(schema)
        }

    def _named(self, schema: JsonMapping) -> bool:
        return any(str(option).casefold() in self._query for option in schema.get("enum", ()) if option)

    def _value(self, schema: JsonMapping) -> object:
        options = schema.get("enum")
        if options:
            return next((one for one in options if str(one).casefold() in self._query), options[0])
        kind = schema.get("type", "string")
        kind = kind[0] if isinstance(kind, list) else kind
        match kind:
            case "integer":
                return int(_within(float(next(self._numbers)), schema))
            case "number":
                return _within(float(next(self._numbers)), schema)
            case "boolean":
                return True
            case "array":
                return [self._value(schema.get("items") or {})]
            case "object":
                return self.arguments(schema)
            case "null":
                return None
        return self._text(schema)

    def _text(self, schema: Mapping[str, object]) -> str:
        if "default" in schema:
            return str(schema["default"])
        if self._fresh:
            return self._fresh.pop(0)
        example = _EXAMPLE.search(str(schema.get("description", "")))
        return next(self._words) if example is None else example[1].strip(" .")


def _within(number: float, schema: JsonMapping) -> float:
    least, most = schema.get("minimum", number), schema.get("maximum", number)
    return number if least <= number <= most else float(least) if number < least else float(most)
