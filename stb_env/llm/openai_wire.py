"""The wire through the openai package, which is imported only when it is first needed."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import AsyncIterator, Awaitable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from stb_env.errors import ConfigError
from stb_env.jsontypes import Json
from stb_env.llm.body import sendable
from stb_env.llm.choice import behind_proxy
from stb_env.llm.config import ModelConfig
from stb_env.llm.credentials import Credentials
from stb_env.llm.retry import Patience
from stb_env.llm.wire import CONNECT_TIMEOUT, Body, Reader, Response, Unanswered, Unconnected, redirected

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIWire:
    """Sends through the openai package what only that can: by proxies, and with its own account headers.

    Requests go around its typed parameters, whose transformation costs more than all the rest.

    Args:
        config: Names the endpoint.
        credentials: Opens it.

    Raises:
        ConfigError: The openai package is not installed.
    """

    def __init__(self, config: ModelConfig, credentials: Credentials) -> None:
        self._client: AsyncOpenAI = openai().AsyncOpenAI(
            api_key=credentials.key,
            base_url=config.endpoint,
            default_headers=credentials.headers,
            max_retries=0,
            http_client=openai().DefaultAsyncHttpxClient(
                event_hooks={"response": [_stay]},
                # By a proxy only the library's own way leads, which looks at every connection it has for
                # each request.
                transport=None if behind_proxy(config.endpoint) else _apart(),
                # How many there may be is for the endpoint's limiter to say.
                limits=_library().Limits(max_connections=None, max_keepalive_connections=None),
            ),
        )

    async def post(self, body: Body, patience: Patience, read: Reader) -> Json:
        """Send a chat completion request and return what is read from its answer; see `Wire`."""
        limits = openai().Timeout(patience.whole(), connect=min(CONNECT_TIMEOUT, patience.left()))
        create: Any = self._client.chat.completions.with_streaming_response.create
        asked = create(model=body["model"], messages=[], extra_body=sendable(body), timeout=limits)
        async with asyncio.timeout(patience.left()) as alarm:
            return await self._answered(_streamed(asked, patience, alarm, read), read)

    async def get(self, url: str, seconds: float, read: Reader) -> Json:
        """Ask for a path of the endpoint, or for another URL of its server; see `Wire`."""
        asked = self._client.get(url, cast_to=_library().Response, options={"timeout": seconds})
        return await self._answered(_whole(asked, read), read)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _answered(self, answer: Awaitable[Json], read: Reader) -> Json:
        """Return what is read from an answer, and say in this package's words why there is none."""
        # What is raised is raised after its except block, so that it carries no other exception along:
        # those hold request headers.
        response: Any = None
        failure: Exception | None = None
        try:
            return await answer
        except openai().APIStatusError as error:
            response = error.response
        except _timeouts() as error:
            failure = _late(error)
        except _http_errors() as error:
            failure = _lost(error)
        if failure is not None:
            raise failure
        return await read(_arrived(response))


def _apart() -> Any:
    """Return a transport that keeps every connection to itself, so that none costs the others time."""
    library = _library()
    context = library.create_ssl_context()
    idle: list[Any] = []

    class Apart(library.AsyncBaseTransport):  # type: ignore[name-defined, misc] # of whichever library it is
        async def handle_async_request(self, request: Any) -> Any:
            one = idle.pop() if idle else library.AsyncHTTPTransport(verify=context)
            try:
                response = await one.handle_async_request(request)
            except BaseException:
                await one.aclose()
                raise
            response.stream = Returning(response.stream, one)
            return response

        async def aclose(self) -> None:
            while idle:
                await idle.pop().aclose()

    class Returning(library.AsyncByteStream):  # type: ignore[name-defined, misc]
        def __init__(self, inner: Any, one: Any) -> None:
            self._inner = inner
            self._one = one

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._inner:
                yield piece

        async def aclose(self) -> None:
            await self._inner.aclose()
            idle.append(self._one)

    return Apart()


async def _streamed(asked: Any, patience: Patience, alarm: asyncio.Timeout, read: Reader) -> Json:
    async with asked as response:
        pieces = _in_time(response.iter_bytes(), patience, alarm)
        return await read(Response(response.status_code, response.headers, pieces))


async def _in_time(
    pieces: AsyncIterator[bytes], patience: Patience, alarm: asyncio.Timeout
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    async for piece in pieces:
        yield piece
        alarm.reschedule(loop.time() + patience.left())


async def _whole(asked: Awaitable[Any], read: Reader) -> Json:
    return await read(_arrived(await asked))


def _arrived(response: Any) -> Response:
    return Response(response.status_code, response.headers, _pieces(response.content))


async def _pieces(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _stay(response: Any) -> None:
    if response.has_redirect_location:
        request = response.request
        redirected(response.status_code, str(request.url), response.headers["location"], request.method)


def _late(error: Exception) -> Exception:
    # Its type's name, because there are two libraries that it may come from.
    name = type(error.__cause__ or error).__name__
    return Unconnected(name) if name == "ConnectTimeout" else TimeoutError()


def _lost(error: Exception) -> Exception:
    cause = error.__cause__ or error
    return cause if isinstance(cause, Unanswered) else Unanswered(f"{type(cause).__name__}: {cause}")


def openai() -> ModuleType:
    """Return the openai package.

    Raises:
        ConfigError: It is not installed.
    """
    try:
        return importlib.import_module("openai")
    except ImportError as error:
        raise ConfigError("models need the openai package: pip install 'openai>=1.40'") from error


@cache
def _library() -> ModuleType:
    """Return the HTTP library of the openai package: httpx up to its version 2, httpx2 since."""
    return importlib.import_module(openai().DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])


@cache
def _http_errors() -> tuple[type[Exception], ...]:
    # Errors while a body is read come unwrapped.
    return (openai().OpenAIError, *(library.HTTPError for library in _libraries()))


@cache
def _timeouts() -> tuple[type[Exception], ...]:
    return (openai().APITimeoutError, *(library.TimeoutException for library in _libraries()))


def _libraries() -> list[ModuleType]:
    return [importlib.import_module(name) for name in ("httpx", "httpx2") if importlib.util.find_spec(name)]
