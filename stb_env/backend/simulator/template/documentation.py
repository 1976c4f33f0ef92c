"""The shape of an answer, guessed from an API's documentation alone."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from stb_env.core.jsontypes import JsonObject
from stb_env.tools import RESERVED, Tool

_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+")
_KINDS = {"integer": "int", "number": "float", "boolean": "bool"}
# Credentials and paging say nothing about what was asked.
_SILENT = re.compile(r"key|token|secret|password|auth|callback|format|cursor", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Shapes:
    """The tables of ``shapes.toml``.

    Attributes:
        lists: Words in a name that promise several records.
        topics: Words of a field of application, with the fields of its records.
        plain: Fields of all other records.
    """

    lists: frozenset[str]
    topics: tuple[tuple[frozenset[str], Mapping[str, str]], ...]
    plain: Mapping[str, str]


@cache
def _shapes() -> _Shapes:
    file = resources.files("stb_env") / "backend" / "simulator" / "template" / "shapes.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    topics = tuple((frozenset(topic["cues"].split()), topic["fields"]) for topic in data["topics"])
    return _Shapes(frozenset(data["lists"].split()), topics, data["plain"])


def shape(tool: Tool) -> JsonObject:
    """Guess the skeleton of an API's answer from its name, description and parameters.

    An API that promises several records gives ``results`` and ``total``; any other gives one record.
    Scalar parameters come first in it, so that the answer says what it is the answer to.

    Args:
        tool: The API.

    Returns:
        A skeleton in the vocabulary of ``template_response``.

    Examples:
        >>> tool = Tool("list_cities", "Lists cities.", {"type": "object", "properties": {}})
        >>> shape(tool)["results"][0]["city"]
        'str'
    """
    name = str(tool.record.get("api_name") or tool.name)
    about = str(tool.record.get("api_description") or tool.description)
    fields = _topic(_words(name)) or _topic(_words(about[:600])) or _shapes().plain
    asked = _asked(tool)
    if not _shapes().lists.isdisjoint(_words(name)):
        return {**asked, "total": "int", "results": [{**fields, "_list_length": 5}]}
    return asked | {field: kind for field, kind in fields.items() if field not in asked}


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _topic(words: set[str]) -> Mapping[str, str]:
    return next((fields for cues, fields in _shapes().topics if not cues.isdisjoint(words)), {})


def _asked(tool: Tool) -> dict[str, str]:
    """Return the required parameters that an answer may repeat, as fields with their types."""
    properties = tool.parameters.get("properties") or {}
    names = [
        name for name in tool.parameters.get("required") or () if isinstance(properties.get(name), Mapping)
    ]
    kinds = {name: _KINDS.get(str(properties[name].get("type")), "str") for name in names}
    return {_unescaped(name): kind for name, kind in kinds.items() if not _SILENT.search(name)}


def _unescaped(name: str) -> str:
    """Undo `stb_env.tools.escape_reserved`, which is for names of parameters only."""
    return name[3:] if name.startswith("is_") and name[3:] in RESERVED else name
