"""Tools as a server of the Model Context Protocol lists them, read as a catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.formats.catalog_file import CatalogFile, own_tool, valid_names
from stb_env.tools import ToolId

KIND = "mcp"


def read_listing(
    listing: Sequence[Mapping[str, object]], source: str, server: Mapping[str, object]
) -> CatalogFile:
    """Read the tools that a server lists.

    Args:
        listing: Each with ``name``, ``description`` or ``title``, and ``inputSchema``, as on the wire.
        source: Name of the source.
        server: How the server is reached: ``command`` or ``url``, and what goes with it.

    Raises:
        DataError: A tool has no name, two share one, or a schema is broken.

    Examples:
        >>> file = read_listing([{"name": "a.b", "inputSchema": {"type": "object"}}], "net", {"url": "http://h"})
        >>> file.tools[0].name, file.tools[0].record["source"]
        ('a_b', {'from': 'net', 'tool': 'a.b', 'reads': False})
    """
    originals = [str(tool.get("name") or "") for tool in listing]
    for name in originals:
        if not name or originals.count(name) > 1:
            raise DataError(f"the server lists a tool without a name or twice: {name!r}")
    tools = tuple(
        own_tool(
            name,
            str(tool.get("description") or tool.get("title") or ""),
            _schema(tool, "inputSchema"),
            identity=ToolId(KIND, source, name),
            original=original,
            source={"from": source, "tool": original, "reads": _reads(tool)} | _answer(tool),
        )
        for name, original, tool in zip(valid_names(originals), originals, listing, strict=True)
    )
    return CatalogFile(tools, {source: {"kind": KIND, **server}})


def _reads(tool: JsonMapping) -> bool:
    """Return whether the server says that a tool changes nothing."""
    return (tool.get("annotations") or {}).get("readOnlyHint") is True


def _answer(tool: JsonMapping) -> dict[str, object]:
    """Return what a tool answers, where the server says it."""
    return {"answer": {"schema": _schema(tool, "outputSchema")}} if tool.get("outputSchema") else {}


def _schema(tool: JsonMapping, of: str) -> Mapping[str, object]:
    schema: JsonMapping = tool.get(of) or {}
    # Where a schema stands on the web says nothing to whoever writes arguments.
    return {word: value for word, value in schema.items() if word not in ("$schema", "$id")}
