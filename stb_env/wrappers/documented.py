"""Tool documentation as features, for policies without a language model: words, parameters, value types."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from stb_env.core.jsontypes import JsonMapping
from stb_env.tools import FINISH
from stb_env.wrappers.mentions import Kind, kind_of

ParameterKind = Kind | Literal["enum", "boolean", "other"]

_SMALL_WORDS = (
    "a about all also an and any are as at be by can do does for from get give have how i if in into is it "
    "its me much my of on one or our please so tell that the them then there these they this to up us use "
    "want was we what when where which who will with would you your"
)
_SMALL = frozenset(_SMALL_WORDS.split())
_TOKEN = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KINDS_BY_WORD: Mapping[str, Kind] = {
    "date": "date", "day": "date", "time": "time", "phone": "phone", "id": "id", "code": "code",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a tool.

    Attributes:
        name: Its name.
        kind: What its values look like.
        required: Whether a call needs it.
        default: The documented default or example; None where there is none.
        choices: For an enum, each value with the words that mean it.
        whole: Whether a number must be an integer.
        several: Whether the argument is a list; its kind is that of its items.
    """

    name: str
    kind: ParameterKind
    required: bool
    default: Any
    choices: tuple[tuple[Any, frozenset[str]], ...] = ()
    whole: bool = False
    several: bool = False

    def takes(self, field: str) -> bool:
        """Return whether a field of a result is named as a value for this parameter.

        Examples:
            >>> source = Parameter("source_account_id", "id", True, "")
            >>> source.takes("account_id"), source.takes("id"), source.takes("count_id")
            (True, True, False)
        """
        mine, other = snake(self.name), snake(field)
        if self.several:
            mine = mine.removesuffix("s")
        return mine == other or mine.endswith("_" + other) or other.endswith("_" + mine)


@dataclass(frozen=True, slots=True)
class Documented:
    """One tool.

    Attributes:
        name: Its name.
        family: What stands after ``_for_`` in its name: the APIs of one tool share it.
        named: Words of the name without the family.
        described: Words of the description.
        parameters: Its parameters, in order.
    """

    name: str
    family: str
    named: frozenset[str]
    described: frozenset[str]
    parameters: tuple[Parameter, ...]


@lru_cache(maxsize=8192)
def snake(name: str) -> str:
    """Return the name of a tool, parameter or field in lower case, with underscores between its words.

    Examples:
        >>> snake("jobNumber"), snake("job-number")
        ('job_number', 'job_number')
    """
    return _CAMEL.sub("_", name).lower().replace("-", "_")


@lru_cache(maxsize=8192)
def words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, in lower case and without plural endings.

    Examples:
        >>> sorted(words("What are the sunset_times of two cities?"))
        ['city', 'sunset', 'time', 'two']
    """
    return frozenset(_stem(word) for word in _TOKEN.findall(text.lower()) if word not in _SMALL)


def _stem(word: str) -> str:
    if len(word) < 4 or word.endswith("ss") or not word.endswith("s"):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-1]


@lru_cache(maxsize=256)
def documented(tools: str) -> tuple[Documented, ...]:
    """Read the tools of an observation, Finish left out.

    Args:
        tools: JSON of OpenAI function specs.
    """
    functions = [item["function"] for item in json.loads(tools)]
    return tuple(_documented(function) for function in functions if function["name"] != FINISH)


def _documented(function: JsonMapping) -> Documented:
    name, schema = function["name"], function["parameters"]
    api, _, family = name.partition("_for_")
    required = set(schema.get("required", ()))
    properties: JsonMapping = schema.get("properties", {})
    return Documented(
        name,
        family,
        words(snake(api)),
        words(function.get("description", "")),
        tuple(_parameter(key, value, key in required) for key, value in properties.items()),
    )


def _parameter(name: str, schema: JsonMapping, required: bool) -> Parameter:
    examples = [schema[key] for key in ("default",) if key in schema] + list(schema.get("examples") or ())
    default = examples[0] if examples else None
    items = schema.get("items")
    if schema.get("type") == "array" and required and not examples and isinstance(items, Mapping):
        return replace(_parameter(name.removesuffix("s"), items, required), name=name, several=True)
    if schema.get("enum"):
        about = schema.get("description", "")
        choices = tuple((value, _meaning(value, about)) for value in schema["enum"])
        return Parameter(name, "enum", required, schema["enum"][0] if default is None else default, choices)
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        return Parameter(name, "number", required, default, whole=kind == "integer")
    if kind == "boolean":
        return Parameter(name, "boolean", required, default)
    if kind != "string":
        return Parameter(name, "other", required, default)
    return Parameter(name, _text_kind(name, default), required, default)


def _text_kind(name: str, default: object) -> Kind:
    """Tell the kind from the documented value, and without one from the name."""
    if isinstance(default, str) and default:
        return kind_of(default)
    spoken = reversed(snake(name).split("_"))
    return next((_KINDS_BY_WORD[word] for word in spoken if word in _KINDS_BY_WORD), "name")


def _meaning(value: object, about: str) -> frozenset[str]:
    """Return an enum value's own words and those that its documentation puts after it."""
    text = str(value)
    match = re.search(rf"(?<!\w){re.escape(text)}\s*[:=(–-]\s*([^;,.)]*)", about)
    return words(text) | (words(match[1]) if match else frozenset())
