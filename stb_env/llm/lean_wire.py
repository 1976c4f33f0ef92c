"""The lean wire: JSON over keep-alive connections of this package's own, for plain endpoints."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from urllib.parse import quote, urlsplit

from stb_env.jsontypes import Json
from stb_env.llm.body import encoded
from stb_env.llm.config import ModelConfig
from stb_env.llm.connection import Pool
from stb_env.llm.content_encoding import decoded
from stb_env.llm.credentials import Credentials
from stb_env.llm.endpoint import Endpoint
from stb_env.llm.retry import Patience
from stb_env.llm.wire import REDIRECTS, Body, Reader, Unanswered, redirected

_PORTS = {"http": 80, "https": 443}
_HOPS = 10


class LeanWire:
    """Sends chat completion requests as they are, at a small part of what the openai package takes.

    All lean wires of an event loop to one endpoint share their connections.

    Args:
        config: Names the endpoint.
        credentials: Opens it.
        endpoint: Keeps the connections.
    """

    def __init__(self, config: ModelConfig, credentials: Credentials, endpoint: Endpoint) -> None:
        self._url = config.endpoint
        parts = urlsplit(config.endpoint)
        self._pool = endpoint.pool(
            lambda: Pool(
                parts.hostname or "", parts.port or _PORTS[parts.scheme], secure=parts.scheme == "https"
            )
        )
        headers = {
            "Host": parts.netloc,
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": "stb-env",
            "Authorization": f"Bearer {credentials.key}",
            **credentials.headers,
        }
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("latin-1")
        self._completions = f"{self._url}/chat/completions"
        self._completions_head = self._head("POST", self._completions)

    async def post(self, body: Body, patience: Patience, read: Reader) -> Json:
        """Send a chat completion request and return what is read from its answer; see `Wire`."""
        content = encoded(body)
        end = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(content)
        url, head = self._completions, self._completions_head
        for _ in range(_HOPS):
            there, answer = await self._ask("POST", url, head + end + content, read, patience.left, patience)
            if not there:
                return answer
            url, head = there, self._head("POST", there)
        raise Unanswered(f"the server redirects more than {_HOPS} times")

    async def get(self, url: str, seconds: float, read: Reader) -> Json:
        """Ask for a path of the endpoint, or for another URL of its server; see `Wire`."""
        there = self._url + url if url.startswith("/") else url
        async with asyncio.timeout(seconds):
            for _ in range(_HOPS):
                request = self._head("GET", there) + b"\r\n"
                there, answer = await self._ask("GET", there, request, read, lambda: seconds)
                if not there:
                    return answer
        raise Unanswered(f"the server redirects more than {_HOPS} times")

    async def aclose(self) -> None:
        """Close the connections that nobody uses."""
        self._pool.close()

    def _head(self, method: str, url: str) -> bytes:
        parts = urlsplit(url)
        path = quote(parts.path, safe="/%:@!$&'()*+,;=~") + (f"?{parts.query}" if parts.query else "")
        return f"{method} {path} HTTP/1.1\r\n".encode("ascii") + self._headers

    async def _ask(
        self,
        method: str,
        url: str,
        request: bytes,
        read: Reader,
        left: Callable[[], float],
        patience: Patience | None = None,
    ) -> tuple[str, Json]:
        """Return where a redirect leads, or what is read from the answer."""
        connection = await self._pool.take(left())
        try:
            response = await connection.ask(request, patience)
            location = response.headers.get("location", "") if response.status in REDIRECTS else ""
            if location:
                return redirected(response.status, url, location, method), None
            if "content-encoding" in response.headers:
                response = decoded(response)
            return "", await read(response)
        finally:
            self._pool.give_back(connection)
