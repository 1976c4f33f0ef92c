"""The services behind a catalogue, as one real API: each tool is asked where its source says."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import ClassVar

from stb_env.backend.epochs import may_write
from stb_env.backend.real_api.http_service import HTTPService
from stb_env.backend.real_api.mcp_service import MCPService
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import BackendError, ConfigError, did_you_mean
from stb_env.formats.catalog_file import CatalogFile, source_of
from stb_env.tools import Tool, ToolResult

KINDS = ("openapi", "mcp")


class CatalogAPI:
    """Asks the services of a catalogue.

    A catalogue decides which hosts get which keys, so use only those whose origin you know. One that names a
    program has it started only where that is allowed.

    Args:
        file: The catalogue.
        start: Whether programs that it names may be started.

    Raises:
        ConfigError: It names no service; or one of an unknown kind; or a program, and that is not allowed.

    Examples:
        >>> ping = Tool("ping", "Answers pong.", {}, record={"source": {"from": "net"}})
        >>> CatalogAPI(CatalogFile((ping,), {"net": {"kind": "mcp", "command": ["net-server", "-q"]}}))
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the catalogue starts a program: net-server -q; allow it with start=True...
    """

    says_status: ClassVar[bool] = True
    """Every answer is one: HTTP's status and MCP's flag tell errors, so that no words need be read."""

    def __init__(self, file: CatalogFile, *, start: bool = False) -> None:
        if not file.sources:
            raise ConfigError(
                "the catalogue names no service that answers its tools; give one with real=... "
                "(--set real=...), or a model that simulates them (--models FILE)"
            )
        self.services: Mapping[str, HTTPService | MCPService] = {
            name: _service(name, source, start) for name, source in file.sources.items()
        }
        self._written = {str(source_of(tool).get("from", "")) for tool in file.tools if may_write(tool)}

    def __repr__(self) -> str:
        return f"CatalogAPI({', '.join(self.services)})"

    @property
    def fingerprint(self) -> dict[str, object]:
        """Fingerprints of all services."""
        told = {name: service.fingerprint for name, service in sorted(self.services.items())}
        return {"protocol": "catalog", "services": told}

    @property
    def resets(self) -> bool:
        """True if each service that tools write to can be set back."""
        return all(service.resets for name, service in self.services.items() if name in self._written)

    def reset(self) -> Slow[None]:
        """Set back each service that can be.

        Raises:
            BackendError: A service did not confirm it.
        """
        for service in self.services.values():
            if service.resets:
                yield from service.reset()

    def request(self, tool: Tool, arguments: Mapping[str, object] | str) -> Slow[ToolResult]:
        """Call a tool where its source says.

        Raises:
            BackendError: It has no source, or its service gave no usable answer.
        """
        service = self.services.get(str(source_of(tool).get("from", "")))
        if service is None:
            raise BackendError(
                f"the catalogue does not say where {tool.name!r} is answered", kind="internal", stage="real"
            )
        return (yield from service.request(tool, arguments))

    def close(self) -> None:
        """Close all connections, and end the programs that were started."""
        for service in self.services.values():
            service.close()


def _service(name: str, source: JsonMapping, start: bool) -> HTTPService | MCPService:
    kind = source.get("kind")
    seconds = source.get("timeout")
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if seconds is not None and not (is_number and seconds > 0):
        raise ConfigError(f"timeout of source {name!r} is a number of seconds above 0, got {seconds!r:.60}")
    if kind == "openapi":
        return (
            HTTPService(source)
            if seconds is None
            else HTTPService(source, timeout=seconds, deadline=3 * seconds)
        )
    if kind != "mcp":
        raise ConfigError(
            f"source {name!r} is of kind {kind!r}; known: {KINDS}.{did_you_mean(str(kind), KINDS)}"
        )
    service = MCPService(source) if seconds is None else MCPService(source, seconds)
    if service.command and not start:
        raise ConfigError(
            f"the catalogue starts a program: {shlex.join(service.command)}; allow it with start=True "
            "(--set start=true, tools call --start)"
        )
    return service
