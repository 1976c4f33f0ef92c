"""Lists of functions as OpenAI's interfaces take them, read as tools that nobody answers for real."""

from __future__ import annotations

from collections.abc import Mapping

from stb_env.core.jsontypes import Json, JsonMapping
from stb_env.errors import DataError
from stb_env.formats.catalog_file import CatalogFile, own_tool, valid_names
from stb_env.tools import ToolId

KIND = "functions"


def read_functions(content: object, name: str = KIND) -> CatalogFile:
    """Read a list of functions.

    Args:
        content: Decoded JSON: a list, or an object that holds it under ``tools`` or ``functions``. Each entry
            is a function, a function inside a tool (Chat Completions) or a flat tool (Responses). ``reads``
            set to true, beside a function's name, says that it changes nothing.
        name: Name of the source, a part of each tool's identity.

    Raises:
        DataError: It is no such list.

    Examples:
        >>> read_functions([{"type": "function", "function": {"name": "get weather"}}]).tools[0].name
        'get_weather'
        >>> read_functions([{"type": "web_search"}])
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: entry 1 of the functions has no name; expected {"name", "description", ...
    """
    functions = [_function(entry, number) for number, entry in enumerate(_entries(content), 1)]
    originals = [function["name"] for function in functions]
    twice = next((one for one in originals if originals.count(one) > 1), None)
    if twice is not None:
        raise DataError(f"two functions are named {twice!r}; keep one of them")
    tools = (
        own_tool(
            given,
            str(function.get("description") or ""),
            function.get("parameters") or {},
            identity=ToolId(KIND, name, given),
            original=function["name"],
            source={"reads": True} if function.get("reads") is True else None,
        )
        for given, function in zip(valid_names(originals), functions, strict=True)
    )
    return CatalogFile(tuple(tools))


def looks_like_functions(content: object) -> bool:
    """Return whether decoded JSON may be a list of functions."""
    if not isinstance(content, Mapping):
        return isinstance(content, list)
    return "openapi" not in content and ("tools" in content or "functions" in content)


def _entries(content: object) -> list[Json]:
    if isinstance(content, Mapping):
        content = content.get("tools", content.get("functions"))
    if not isinstance(content, list) or not content:
        raise DataError("expected a list of functions, or an object that holds it under tools or functions")
    return content


def _function(entry: object, number: int) -> JsonMapping:
    function = entry.get("function", entry) if isinstance(entry, Mapping) else entry
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str) or not function["name"]:
        raise DataError(
            f'entry {number} of the functions has no name; expected {{"name", "description", "parameters"}}'
        )
    if not isinstance(function.get("parameters") or {}, Mapping):
        raise DataError(f"parameters of function {function['name']!r} must be a JSON Schema, an object")
    return function
