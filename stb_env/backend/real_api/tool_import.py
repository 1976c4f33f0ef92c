"""Somebody's own tools as a catalogue: of an MCP server, an OpenAPI document or a list of functions."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from stb_env.backend.real_api.mcp_service import MCPService
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError, DataError
from stb_env.formats.catalog_file import CatalogFile, source_name, source_of
from stb_env.formats.function_list import KIND as FUNCTIONS
from stb_env.formats.function_list import looks_like_functions, read_functions
from stb_env.formats.mcp_listing import KIND as MCP
from stb_env.formats.mcp_listing import read_listing
from stb_env.formats.openapi import Document, Import, read_openapi
from stb_env.formats.openapi.document import decoded
from stb_env.formats.openapi.schemas import SHARED
from stb_env.http.client import HTTPClient
from stb_env.http.exchange import HTTPFailure, HTTPRequest
from stb_env.http.retry import Clock, Deadline
from stb_env.http.url import public_url
from stb_env.tools import Tool

_PATIENCE_S = 30.0
_WEB = ("http://", "https://")
_REFERENCE = re.compile(rf'"\$ref": "{SHARED}([^"]+)"')


def import_document(
    source: str,
    *,
    name: str = "",
    server: str = "",
    server_variables: Mapping[str, str] | None = None,
    key_variables: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Import:
    """Read an OpenAPI document or a list of functions.

    Args:
        source: File, or URL of an OpenAPI document.
        name: Name of the source; what it calls itself where not given.
        server: See `read_openapi`.
        server_variables: See `read_openapi`.
        key_variables: See `read_openapi`.
        headers: See `read_openapi`.

    Raises:
        DataError: It cannot be read, or is neither.
    """
    base = source if source.startswith(_WEB) else ""
    content = decoded(_fetched(source) if base else _text(Path(source)), source)
    if looks_like_functions(content):
        if server or server_variables or key_variables or headers:
            raise ConfigError(
                f"{source} is a list of functions: servers and keys are those of OpenAPI documents"
            )
        return Import(read_functions(content, name or FUNCTIONS))
    return read_openapi(
        Document(content, source),
        base=base,
        name=name,
        server=server,
        server_variables=server_variables,
        key_variables=key_variables,
        headers=headers,
    )


def import_server(
    target: str, *, name: str = "", env: Sequence[str] = (), token_env: str = "", timeout: float = 60.0
) -> Import:
    """Read the tools of an MCP server, which is started for that where it is a command.

    Args:
        target: Its URL, or a command as one types it; no shell sees it.
        name: Name of the source; what the server calls itself where not given.
        env: Names of the environment variables that a command is given besides the harmless ones.
        token_env: Name of the variable that holds a bearer token for a URL.
        timeout: Seconds that the server may take.

    Raises:
        ConfigError: The command is empty, or a variable is not set.
        BackendError: The server cannot be reached.
        DataError: What it lists cannot be read.
    """
    server: JsonObject
    if target.startswith(_WEB):
        server = {"url": target} | ({"token_env": token_env} if token_env else {})
    else:
        server = {"command": _command(target)} | ({"env": list(env)} if env else {})
    service = MCPService(server, timeout)
    try:
        listing = [
            tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in service.listed()
        ]
        named = name or source_name(service.server_name() or MCP)
    finally:
        service.close()
    return Import(read_listing(listing, named, server))


def selected(found: Import, patterns: Sequence[str]) -> Import:
    """Return the tools whose name matches a pattern (``get_*``); all where there is no pattern.

    Raises:
        DataError: None matches.
    """
    if not patterns:
        return found
    tools = _matching(found.file.tools, patterns)
    sources = {name: _with_used_schemas(source, tools) for name, source in found.file.sources.items()}
    return found._replace(file=CatalogFile(tools, sources))


def reading(found: Import, patterns: Sequence[str]) -> Import:
    """Return the same with the tools whose name matches a pattern known to write nothing.

    Raises:
        DataError: None matches.
    """
    if not patterns:
        return found
    marked = {tool.name for tool in _matching(found.file.tools, patterns)}
    tools = tuple(
        replace(tool, record={**tool.record, "source": {**source_of(tool), "reads": True}})
        if tool.name in marked
        else tool
        for tool in found.file.tools
    )
    return found._replace(file=CatalogFile(tools, found.file.sources))


def _matching(tools: Sequence[Tool], patterns: Sequence[str]) -> tuple[Tool, ...]:
    matching = tuple(tool for tool in tools if any(fnmatchcase(tool.name, pattern) for pattern in patterns))
    if not matching:
        names = ", ".join(tool.name for tool in tools)
        raise DataError(f"no tool matches {' or '.join(map(repr, patterns))}; there are {names:.500}")
    return matching


def _with_used_schemas(source: JsonMapping, tools: Sequence[Tool]) -> JsonMapping:
    """Return a source with those schemas alone that answers of these tools refer to."""
    schemas, used = source.get("schemas", {}), dict[str, object]()
    texts = [jsontext.dumps(source_of(tool).get("answer")) for tool in tools]
    while texts:
        for name in _REFERENCE.findall(texts.pop()):
            if name not in used:
                used[name] = schemas[name]
                texts.append(jsontext.dumps(schemas[name]))
    rest = {word: value for word, value in source.items() if word != "schemas"}
    return rest | ({"schemas": {name: schemas[name] for name in schemas if name in used}} if used else {})


def _command(target: str) -> list[str]:
    try:
        parts = shlex.split(target)
    except ValueError as error:
        raise ConfigError(f"the command {target!r} cannot be read ({error})") from error
    if not parts:
        raise ConfigError("--mcp takes a command or a URL, got nothing")
    return parts


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise DataError(f"{file}: expected an OpenAPI document or a list of functions ({error})") from error


def _fetched(url: str) -> str:
    client = HTTPClient()
    try:
        answer = client.send(
            HTTPRequest("GET", url, {"Accept": "application/json, application/yaml;q=0.9, */*;q=0.1"}),
            Deadline(_PATIENCE_S, Clock(), "time-out"),
        )
    except HTTPFailure as error:
        raise DataError(f"{public_url(url)} cannot be read: {error}") from None
    finally:
        client.close()
    if 300 <= answer.status < 400:
        raise DataError(
            f"{public_url(url)} leads elsewhere (HTTP {answer.status}); give the URL that it leads to"
        )
    if answer.status != 200:
        raise DataError(f"{public_url(url)} cannot be read: HTTP {answer.status}")
    return answer.text
