"""A catalogue of somebody's own tools in one file: what an agent sees, and how each is called for real."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Required

from typing_extensions import TypedDict

from stb_env.actions.validation.schema import compiled
from stb_env.core.files import write_json
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.user_tables import checked
from stb_env.errors import ConfigError, DataError
from stb_env.tools import FINISH, MAX_NAME, Tool, ToolCatalog, ToolId

VERSION = 1

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]+")
_SOURCE_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


class _ToolForm(TypedDict, total=False):
    """A tool as the file has it."""

    name: Required[str]
    description: str
    parameters: dict[str, Any]
    identity: list[str]
    original: str
    source: dict[str, Any]


class _CatalogForm(TypedDict, total=False):
    """The whole file."""

    version: Required[int]
    tools: Required[list[_ToolForm]]
    sources: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """The tools of a catalogue with the services that answer them for real.

    The file is JSON: ``version`` (1), ``sources`` by name, and ``tools``. A tool has ``name``,
    ``description``, ``parameters`` (a JSON Schema), ``identity`` (category, tool and api, which key its
    recorded answers), ``original`` (what the service calls it) and ``source``: the name of a source under
    ``from``, and how that is asked. Keys of services never stand in it, only the names of the environment
    variables that hold them.

    Attributes:
        tools: The tools; ``record`` has what the file says besides what an agent sees.
        sources: How to reach each service, by name; empty where there is none to ask.

    Raises:
        DataError: Two tools cannot be told apart, or a tool names a source that is not there.

    Examples:
        >>> file = CatalogFile((Tool("ping", "Answers pong.", {"type": "object", "properties": {}}),))
        >>> [tool["name"] for tool in file.to_dict()["tools"]], len(file.catalog)
        (['ping'], 1)
    """

    tools: tuple[Tool, ...]
    sources: Mapping[str, JsonMapping] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.tools:
            raise DataError("a catalogue has at least one tool, and this one has none")
        ToolCatalog(self.tools)
        for tool in self.tools:
            source = source_of(tool).get("from", "")
            if source and source not in self.sources:
                known = ", ".join(self.sources) or "none"
                raise DataError(f"tool {tool.name!r} comes from {source!r}, and the sources are {known}")

    @property
    def catalog(self) -> ToolCatalog:
        """The tools by name and identity."""
        return ToolCatalog(self.tools)

    @property
    def hash(self) -> str:
        """SHA-256 hex digest of the content."""
        return hashlib.sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> CatalogFile:
        """Read a catalogue from a file.

        Raises:
            DataError: The file cannot be read, or is no catalogue.
        """
        file = Path(path)
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise DataError(
                f"{file}: expected a catalogue as `stb-env tools import` writes it ({error})"
            ) from error
        return cls.of(content, str(file))

    @classmethod
    def of(cls, content: object, where: str = "the catalogue") -> CatalogFile:
        """Read a catalogue from plain data.

        Args:
            content: Decoded JSON.
            where: What errors call it.

        Raises:
            DataError: It is no catalogue.

        Examples:
            >>> CatalogFile.of({"version": 1, "tools": [{"name": "ping", "descripton": "Pong."}]})
            Traceback (most recent call last):
            ...
            stb_env.errors.DataError: [[tools]] number 1 in the catalogue has no setting 'descripton'; it...
        """
        try:
            form = checked(_CatalogForm, content, where)
        except ConfigError as error:
            raise DataError(str(error)) from None
        if form["version"] != VERSION:
            raise DataError(f"{where} is of version {form['version']}, and this package reads {VERSION}")
        tools = tuple(_tool(entry, where) for entry in form["tools"])
        return cls(tools, form.get("sources", {}))

    def to_dict(self) -> dict[str, object]:
        """Return the content of the file."""
        return {
            "version": VERSION,
            "sources": {name: dict(source) for name, source in self.sources.items()},
            "tools": [_entry(tool) for tool in self.tools],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; one that is there is replaced as a whole."""
        write_json(Path(path), self.to_dict(), sort_keys=False)


def source_of(tool: Tool) -> Mapping[str, object]:
    """Return how a tool of a catalogue is called for real; empty where nothing is known."""
    source: JsonMapping = tool.record.get("source", {})
    return source


def own_tool(
    name: str,
    description: str,
    parameters: Mapping[str, object],
    *,
    identity: ToolId,
    original: str = "",
    source: Mapping[str, object] | None = None,
) -> Tool:
    """Return a tool of a catalogue.

    Args:
        name: What the agent calls it.
        description: What it does.
        parameters: JSON Schema of its arguments.
        identity: Keys its recorded answers.
        original: What the service calls it; the name where not given.
        source: How it is called for real.

    Raises:
        DataError: The name is not legal, or the schema is broken.
    """
    schema = {"type": "object", "properties": {}, **parameters}
    record = {
        # What simulators read of an API's documentation.
        "category_name": identity.category,
        "tool_name": identity.tool,
        "api_name": identity.api,
        "api_description": description,
        "original": original or name,
        "source": dict(source or {}),
    }
    tool = Tool(name, description, schema, identity, record)
    compiled(tool.spec)
    return tool


def valid_names(originals: Sequence[str]) -> list[str]:
    """Return a legal and distinct name for each, its own where that is one already.

    What is changed beyond recognition, too long or shared ends in eight hex digits of the original, so that a
    name does not depend on the order, and hardly on what else there is.

    Args:
        originals: Distinct names.

    Examples:
        >>> valid_names(["get_item", "GET /items/{id}", "get item", "get/item"])
        ['get_item', 'GET_items_id', 'get_item_96cd7f1b', 'get_item_5eede0d9']
        >>> valid_names(["Finish"])
        ['Finish_a6c7a84b']
    """
    plain = [_UNSAFE.sub("_", original).strip("_") for original in originals]
    shared = Counter(plain)
    return [
        name if _is_fit(name) and (name == original or shared[name] == 1) else _marked(name, original)
        for name, original in zip(plain, originals, strict=True)
    ]


def source_name(text: str) -> str:
    """Return the name of a source, made of what a service calls itself.

    Examples:
        >>> source_name("Swagger Petstore - OpenAPI 3.0"), source_name("42")
        ('swagger_petstore_openapi_3_0', 'source_42')
    """
    name = _UNSAFE.sub("_", text.lower()).replace("-", "_")
    name = re.sub("_{2,}", "_", name).strip("_")[:32].strip("_")
    return name if _SOURCE_NAME.fullmatch(name) else f"source_{name}"[:32].strip("_")


def _is_fit(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME and name != FINISH


def _marked(name: str, original: str) -> str:
    digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: MAX_NAME - 9].strip('_') or 'tool'}_{digest}"


def _tool(entry: _ToolForm, where: str) -> Tool:
    name = entry["name"]
    parts = entry.get("identity")
    if parts is not None and (len(parts) != len(ToolId._fields) or not all(parts)):
        raise DataError(f"identity of tool {name!r} in {where} must be category, tool and api, got {parts}")
    try:
        return own_tool(
            name,
            entry.get("description", ""),
            entry.get("parameters", {}),
            identity=ToolId(*parts) if parts else ToolId.named(name),
            original=entry.get("original", ""),
            source=entry.get("source"),
        )
    except DataError as error:
        raise DataError(f"{where}: tool {name!r}: {error}") from error


def _entry(tool: Tool) -> dict[str, object]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "identity": list(tool.id),
        "original": tool.record.get("original", tool.name),
        "source": dict(source_of(tool)),
    }
