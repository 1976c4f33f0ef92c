"""GET requests for files: streamed, and with redirects that stay as safe as they began."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from stb_env import __version__
from stb_env.core.jsontypes import Json
from stb_env.fetch.failure import FetchError
from stb_env.http.client import arguments, blocking_client, errors, timeouts
from stb_env.http.exchange import HTTPRequest, is_retryable, status_kind

if TYPE_CHECKING:
    import httpx2

CHUNK = 1 << 20

_TIMEOUT = 60.0
_MAX_JSON = 64 * 2**20
_MAX_REDIRECTS = 20


class Cut(Exception):
    """The connection broke while a body was read."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer whose body is still on its way.

    Attributes:
        status: 200, 206 or 416.
        headers: Headers by lower-case name; those of redirects where the last answer has none of that name.
        body: The open answer.
    """

    status: int
    headers: Mapping[str, str]
    body: httpx2.Response

    @property
    def length(self) -> int | None:
        """Bytes that the body has, where the server says so."""
        text = self.headers.get("content-length", "")
        return int(text) if text.isdecimal() else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the body, as it was sent and as soon as it comes.

        Raises:
            Cut: It ended before its announced length.
        """
        try:
            yield from self.body.iter_raw()
        except errors() as error:
            raise Cut(f"{type(error).__name__}: {error}") from error


@contextmanager
def get(url: str, headers: Mapping[str, str] | None = None) -> Iterator[Response]:
    """Open a URL whose scheme was checked to be http or https.

    Args:
        url: The URL.
        headers: Headers to send.

    Raises:
        FetchError: The server cannot be reached, or answers with another status than 200, 206 or 416.
    """
    # An encoded body would have another length and hash than the file.
    sent = {"User-Agent": f"stb-env/{__version__}", "Accept-Encoding": "identity", **(headers or {})}
    passed: dict[str, str] = {}
    with blocking_client() as client, ExitStack() as opened:
        for _ in range(_MAX_REDIRECTS):
            try:
                answer = client.stream(**arguments(HTTPRequest("GET", url, sent), _TIMEOUT))
                response = opened.enter_context(answer)
            except errors() as error:
                raise _unreachable(url, error) from error
            if not response.has_redirect_location:
                break
            passed |= response.headers
            url = redirected(url, response.headers["location"])
        if response.status_code not in (200, 206, 416):
            raise _refused(url, response)
        yield Response(response.status_code, {**passed, **response.headers}, response)


def get_json(url: str) -> tuple[Json, Mapping[str, str]]:
    """Return a JSON answer with its headers.

    Raises:
        FetchError: None came.
    """
    with get(url, {"Accept": "application/json"}) as response:
        text = bytearray()
        try:
            for chunk in response.chunks():
                text += chunk
                if len(text) > _MAX_JSON:
                    raise FetchError(f"{url} answered with more than {_MAX_JSON >> 20} MiB of JSON")
            return json.loads(text), response.headers
        except Cut as error:
            raise _unreachable(url, error) from error
        except ValueError as error:
            raise FetchError(f"{url} answered with no JSON: {bytes(text[:80])!r}") from error


def redirected(url: str, location: str) -> str:
    """Return where a redirect leads; encryption is never given up.

    Examples:
        >>> redirected("http://x.org/a/b", "../c")
        'http://x.org/c'

    Raises:
        FetchError: It leads away from https, or to what is no web server.
    """
    there = urljoin(url, location)
    allowed = ("https",) if url.startswith("https:") else ("https", "http")
    if urlsplit(there).scheme not in allowed:
        raise FetchError(f"{url} leads to {there[:80]}, which is no {' or '.join(allowed)} URL")
    return there


def _refused(url: str, response: httpx2.Response) -> FetchError:
    status = response.status_code
    spent = status == 403 and response.headers.get("X-RateLimit-Remaining") == "0"
    retryable = is_retryable(status) or spent
    hint = "try again later" if retryable else "it may have moved: see the data set's homepage (--list)"
    kind = "rate_limit" if spent else status_kind(status) if retryable else "transport"
    return FetchError(f"{url} answered HTTP {status}; {hint}", kind=kind, retryable=retryable)


def _unreachable(url: str, reason: Exception) -> FetchError:
    late = isinstance(reason, timeouts())
    return FetchError(
        f"cannot reach {urlsplit(url).netloc} ({reason}); fetching needs a network: try again with one, "
        "or put the files there by hand",
        kind="timeout" if late else "transport",
        retryable=True,
    )
