"""A server of the Model Context Protocol as the real API of the tools that it lists."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import logging
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from stb_env.backend.cache.key import read_arguments
from stb_env.core import jsontext
from stb_env.core.background import wait_for
from stb_env.core.jsontypes import JsonArray, JsonMapping, JsonObject
from stb_env.core.request import Request, Slow
from stb_env.errors import BackendError, ConfigError
from stb_env.formats.catalog_file import source_of
from stb_env.http.credentials import Credentials
from stb_env.http.url import check_url
from stb_env.tools import Status, Tool, ToolResult

KIND = "mcp"

_MOST_PAGES = 1_000
# For a program that writes what is no message, until its first answer.
_MOST_NOISE_S = 5.0
_SILENT = logging.NullHandler()
# JSON-RPC: no such method, and wrong parameters.
_ABOUT_THE_CALL = frozenset({-32601, -32602})


class MCPService:
    """Calls the tools of a server, over one connection that stays open in the process.

    Picklable: a copy opens a connection of its own. Keys are read from the environment and shown nowhere.

    Args:
        source: How the server is reached: ``command``, program and arguments, with ``env``, the names of
            variables that it is given besides the harmless ones; or ``url``, with ``token_env``, the name of
            the variable that holds a bearer token. With ``reset``, ``{"restart": true}``, a program is
            started again for each episode.
        timeout: Seconds that a call may take, and that connecting may take.

    Raises:
        ConfigError: The source says neither command nor URL, or both; or a setting is wrong.

    Examples:
        >>> MCPService({"command": ["my-server", "--quiet"]}).fingerprint
        {'protocol': 'mcp', 'endpoint': 'my-server --quiet'}
        >>> MCPService({"url": "file:///etc"})
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the URL of the MCP server must be a URL such as http://HOST:PORT/PATH
    """

    def __init__(self, source: JsonMapping, timeout: float = 60.0) -> None:
        command, url = source.get("command") or [], str(source.get("url") or "")
        if bool(command) == bool(url):
            raise ConfigError("an MCP server is reached by a command or by a URL: give one of them")
        if url:
            check_url("the URL of the MCP server", url)
        if not isinstance(command, list) or not all(isinstance(part, str) and part for part in command):
            raise ConfigError("the command of an MCP server is a list of texts: program and arguments")
        self.command: Sequence[str] = tuple(command)
        self.url, self.timeout = url, timeout
        self._env: tuple[str, ...] = tuple(source.get("env") or ())
        self._token_env = str(source.get("token_env") or "")
        self.resets = source.get("reset") is not None
        if self.resets and (source["reset"] != {"restart": True} or not command):
            raise ConfigError(
                'the reset of an MCP server is {"restart": true}, for one that is started by a command, '
                f"got {source['reset']!r}"
            )
        self._connection: _Connection | None = None

    def __repr__(self) -> str:
        return f"MCPService({self.endpoint!r})"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_connection": None}

    @property
    def endpoint(self) -> str:
        """The URL, or the command as one text."""
        return self.url or " ".join(self.command)

    @property
    def fingerprint(self) -> dict[str, object]:
        """Protocol, and URL or command."""
        return {"protocol": KIND, "endpoint": self.endpoint}

    def request(self, tool: Tool, arguments: JsonMapping | str) -> Slow[ToolResult]:
        """Call a tool; arguments that are no object are an answer with source ``env``.

        Raises:
            BackendError: The server cannot be reached, or did not answer.
        """
        values = read_arguments(arguments)
        if isinstance(values, str):
            problem = "invalid arguments: an object of arguments was expected"
            return ToolResult.of("", error=problem, source="env", status=Status.INVALID_ARGUMENTS)
        name = str(source_of(tool).get("tool") or tool.name)
        answer = yield Request(run=partial(self._wait, partial(_call, name, dict(values))))
        return self._read(answer)

    def reset(self) -> Slow[None]:
        """End the program; the next call starts it again."""
        yield Request(run=self.close)

    def listed(self) -> list[Any]:
        """Return the tools that the server lists, as ``mcp`` has them.

        Raises:
            BackendError: The server cannot be reached.
        """
        tools: list[Any] = self._wait(_list)
        return tools

    def server_name(self) -> str:
        """Return what the server calls itself; empty where it does not say."""
        return str(self._wait(_name))

    def close(self) -> None:
        """Close the connection, and with it the server that was started; the next call opens a new one."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.owner == os.getpid():
            wait_for(connection.close())

    def _wait(self, ask: Callable[[object], Awaitable[object]]) -> Any:
        return wait_for(self._asked(ask))

    async def _asked(self, ask: Callable[[object], Awaitable[object]]) -> object:
        """Ask through the connection, and say of any failure what it was."""
        try:
            async with asyncio.timeout(self.timeout):
                return await ask(await self._client())
        except BackendError:
            raise
        except TimeoutError:
            if self._connection is not None and not self._connection.is_open:
                await self._end()
            failure = self._failure(f"no answer within {self.timeout:g} s", timeout=True)
        except _NoServerError as error:
            await self._end()
            failure = self._failure(str(error))
        except _mcp().MCPError as error:
            if error.code in _ABOUT_THE_CALL:
                return _Complaint(self._scrub(error.message))
            failure = self._failure(f"error {error.code}: {error.message}")
        except Exception as error:  # noqa: BLE001 (the library's own, and those of the transport beneath it)
            # The connection may be dead, so the next call opens a new one.
            self._forget()
            failure = self._failure(_reason(error))
        raise failure

    async def _end(self) -> None:
        """End a server that never answered; the next call starts it anew."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _forget(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.leave()

    async def _client(self) -> object:
        known = self._connection
        if known is None or known.owner != os.getpid() or known.broken:
            self._connection = known = _Connection(self._target())
        return await known.client()

    def _target(self) -> Any:
        mcp = _mcp()
        if self.command:
            given = {name: os.environ[name] for name in self._env if name in os.environ}
            # Without a shell; the library hands on harmless variables alone, besides these.
            return mcp.StdioServerParameters(
                command=self.command[0], args=list(self.command[1:]), env=given or None
            )
        token = os.environ.get(self._token_env, "").strip() if self._token_env else ""
        if not token:
            return self.url
        client = importlib.import_module("httpx2").AsyncClient(headers={"Authorization": f"Bearer {token}"})
        return importlib.import_module("mcp.client.streamable_http").streamable_http_client(
            self.url, http_client=client
        )

    def _scrub(self, value: object) -> object:
        secrets = [os.environ.get(name, "") for name in (*self._env, self._token_env) if name]
        return Credentials("", self.url, secrets).scrub(value)

    def _failure(self, reason: str, *, timeout: bool = False) -> BackendError:
        return BackendError(
            f"the MCP server at {self.endpoint} failed: {self._scrub(reason)}",
            kind="timeout" if timeout else "transport",
            stage="real",
            retryable=True,
        )

    def _read(self, answer: Any) -> ToolResult:
        if isinstance(answer, _Complaint):
            return ToolResult.of("", error=answer, source="real")
        response = self._scrub(_response(answer))
        if not answer.is_error:
            return ToolResult.of(response, source="real")
        error = response if isinstance(response, str) and response else jsontext.dumps(response)
        return ToolResult.of("", error=error, source="real")


class _Complaint(str):
    """An error in a call, as the server describes it."""

    __slots__ = ()


class _NoServerError(Exception):
    """What was started writes what no MCP server writes."""


class _Connection:
    """One connection, held open by a task of its own: who enters it must be who leaves it."""

    def __init__(self, target: object) -> None:
        self.owner = os.getpid()
        self._target = target
        self._leave = asyncio.Event()
        self._entered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold())

    @property
    def broken(self) -> bool:
        return self._task.done()

    @property
    def is_open(self) -> bool:
        return self._entered.done()

    async def client(self) -> Any:
        return await asyncio.shield(self._entered)

    async def close(self) -> None:
        self.leave()
        await asyncio.wait([self._task])

    def leave(self) -> None:
        self._leave.set()
        if not self.is_open:
            self._task.cancel()

    async def _hear(self, message: object) -> None:
        """Give up a program that writes something else before it answers; a few lines may come first."""
        if isinstance(message, ValueError) and not self.is_open:
            asyncio.get_running_loop().call_later(_MOST_NOISE_S, self._give_up, message)

    def _give_up(self, message: ValueError) -> None:
        if not self.is_open:
            line = message.errors()[0]["input"] if hasattr(message, "errors") else message
            self._entered.set_exception(
                _NoServerError(
                    f"it writes lines that are no messages, such as {line!r:.60}; a server of MCP answers on "
                    "stdout, and what else it says goes to stderr"
                )
            )
            self._task.cancel()

    async def _hold(self) -> None:
        try:
            async with _mcp().Client(self._target, message_handler=self._hear) as client:
                self._entered.set_result(client)
                await self._leave.wait()
        except Exception as error:  # noqa: BLE001 (handed to whoever waits for the connection)
            if not self._entered.done():
                self._entered.set_exception(error)


def _mcp() -> Any:
    # The library logs a traceback for each line that is no message; where nobody has set up logging, that
    # would go to the terminal.
    logging.getLogger("mcp").addHandler(_SILENT)
    try:
        return importlib.import_module("mcp")
    except ImportError:
        raise ConfigError('an MCP server needs an extra: pip install "stb-env[mcp]"') from None


async def _call(name: str, arguments: JsonObject, client: Any) -> object:
    return await client.call_tool(name, arguments)


async def _list(client: Any) -> list[Any]:
    found: list[Any] = []
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if not cursor:
            break
    return found


async def _name(client: Any) -> str:
    return str(getattr(client.server_info, "name", ""))


def _reason(error: BaseException) -> str:
    """Return what happened; the library wraps errors in groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


def _response(answer: Any) -> object:
    """Return what a tool answered: structured content, one text (as JSON where it is that), or all."""
    if answer.structured_content is not None:
        return answer.structured_content
    parts: JsonArray = [
        _part(part.model_dump(mode="json", by_alias=True, exclude_none=True)) for part in answer.content
    ]
    texts = [part for part in parts if isinstance(part, str)]
    if len(parts) == len(texts) == 1:
        try:
            return jsontext.loads(texts[0])
        except ValueError:
            return texts[0]
    return parts


def _part(part: Mapping[str, object]) -> object:
    """Return one part of an answer; of images and sounds what can be said of them."""
    if part.get("type") == "text":
        return part["text"]
    data = part.get("data")
    if isinstance(data, str):
        rest = {name: value for name, value in part.items() if name not in ("data", "annotations", "_meta")}
        return rest | {"characters": len(data), "sha256": hashlib.sha256(data.encode()).hexdigest()}
    return {name: value for name, value in part.items() if name not in ("annotations", "_meta")}
