"""The wire through httpx2, which knows proxies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from stb_env.core.jsontypes import Json
from stb_env.http.client import HTTPClient
from stb_env.http.exchange import HTTPRequest
from stb_env.http.retry import Patience
from stb_env.http.wire import Reader, Response, Wire, redirected

if TYPE_CHECKING:
    import httpx2


class HTTPXWire(Wire):
    """Sends requests through the `HTTPClient`: behind proxies, and with the headers of OpenAI accounts.

    Args:
        url: Root of the endpoint.
        headers: Sent with each request.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        super().__init__(url)
        self._headers = headers
        self._client = HTTPClient()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(
        self, method: str, url: str, content: bytes, patience: Patience, read: Reader
    ) -> tuple[str, object]:
        kind = {"Content-Type": "application/json"} if content else {}
        request = HTTPRequest(method, url, {**self._headers, **kind}, content)

        async def answered(response: httpx2.Response) -> tuple[str, Json]:
            there = redirected(response.status_code, url, response.headers, method)
            if there:
                return there, None
            pieces = _in_time(response.aiter_bytes(), patience, alarm)
            return "", await read(Response(response.status_code, response.headers, pieces))

        async with asyncio.timeout(patience.left()) as alarm:
            return await self._client.stream(request, patience.whole(), answered)


async def _in_time(
    pieces: AsyncIterator[bytes], patience: Patience, alarm: asyncio.Timeout
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    async for piece in pieces:
        yield piece
        alarm.reschedule(loop.time() + patience.left())
