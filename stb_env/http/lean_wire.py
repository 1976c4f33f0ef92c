"""The lean wire: keep-alive connections of this package's own, for plain endpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote, urlsplit

from stb_env.http.connection import Pool
from stb_env.http.content_encoding import decoded
from stb_env.http.retry import Patience
from stb_env.http.wire import Reader, Wire, redirected

_PORTS = {"http": 80, "https": 443}


class LeanWire(Wire):
    """Sends requests at a small part of what httpx2 takes: a model is asked many times a second.

    Args:
        url: Root of the endpoint.
        headers: Sent with each request.
        pool: Returns the connections of the running event loop, and makes them where there are none.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], pool: Callable[[Callable[[], Pool]], Pool]
    ) -> None:
        super().__init__(url)
        parts = urlsplit(url)
        self._pool = pool(
            lambda: Pool(
                parts.hostname or "", parts.port or _PORTS[parts.scheme], secure=parts.scheme == "https"
            )
        )
        lines = {"Host": parts.netloc, **headers}
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in lines.items()).encode("latin-1")
        self._heads: dict[tuple[str, str], bytes] = {}

    async def aclose(self) -> None:
        """Close the connections that nobody uses."""
        self._pool.close()

    async def _ask(
        self, method: str, url: str, content: bytes, patience: Patience, read: Reader
    ) -> tuple[str, object]:
        head = self._heads.get((method, url)) or self._head(method, url)
        length = (
            b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(content) if content else b""
        )
        connection = await self._pool.take(patience.left())
        try:
            response = await connection.ask(head + length + b"\r\n" + content, patience)
            there = redirected(response.status, url, response.headers, method)
            if there:
                return there, None
            if "content-encoding" in response.headers:
                response = decoded(response)
            return "", await read(response)
        finally:
            self._pool.give_back(connection)

    def _head(self, method: str, url: str) -> bytes:
        parts = urlsplit(url)
        path = quote(parts.path, safe="/%:@!$&'()*+,;=~") + (f"?{parts.query}" if parts.query else "")
        head = f"{method} {path} HTTP/1.1\r\n".encode("ascii") + self._headers
        if url.startswith(self.url):
            self._heads[method, url] = head
        return head
