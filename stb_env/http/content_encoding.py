"""Answers that come compressed, as some proxies send them whatever was asked for."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator

from stb_env.http.exchange import HTTPFailure, broken
from stb_env.http.wire import Response

_READ = frozenset({"gzip", "x-gzip", "deflate"})
# Bytes that come out at once: a small answer may hold a huge one, and whoever reads it bounds its size.
_PIECE = 2**16
_GZIP_OR_ZLIB = zlib.MAX_WBITS | 32
_BARE = -zlib.MAX_WBITS
_DEFLATED = 8


def decoded(response: Response) -> Response:
    """Return an answer whose body is no longer compressed.

    Args:
        response: One with a ``Content-Encoding``.

    Raises:
        HTTPFailure: The encoding is unknown. A refusal in such a one is told by its status alone.
    """
    encoding = response.headers["content-encoding"].strip().lower()
    if encoding in ("", "identity"):
        return response
    if encoding in _READ:
        return Response(response.status, response.headers, _inflated(response.pieces, encoding))
    failure = (
        f"the answer is compressed as {encoding[:50]!r}, though none was asked for; set the "
        "server, or the proxy before it, to gzip, deflate or none"
    )
    if 200 <= response.status < 300:
        raise HTTPFailure(failure, kind="transport", status_code=response.status)
    return response._replace(whole=failure.encode)


async def _inflated(pieces: AsyncIterable[bytes], encoding: str) -> AsyncIterator[bytes]:
    inflate = None
    async for piece in pieces:
        if inflate is None:
            # By deflate the zlib format is meant, but some send what that format wraps.
            bare = encoding == "deflate" and piece[0] % 16 != _DEFLATED
            inflate = zlib.decompressobj(_BARE if bare else _GZIP_OR_ZLIB)
        rest = piece
        while not inflate.eof:
            try:
                part = inflate.decompress(rest, _PIECE)
            except zlib.error as error:
                raise broken(f"DecodingError: {error} (Content-Encoding: {encoding})") from error
            if part:
                yield part
            if len(part) < _PIECE:
                break
            rest = inflate.unconsumed_tail
