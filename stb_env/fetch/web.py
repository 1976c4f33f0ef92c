"""GET requests for files: streamed, and with redirects that stay as safe as they began."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin, urlsplit

from stb_env import __version__
from stb_env.fetch.failure import FetchError
from stb_env.http.client import HTTPClient, errors
from stb_env.http.exchange import HTTPFailure, HTTPRequest, is_retryable, status_kind
from stb_env.jsontypes import Json

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

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


def get(url: str, read: Callable[[Response], T], headers: Mapping[str, str] | None = None) -> T:
    """Open a URL whose scheme was checked to be http or https, and return what is read from it.

    Args:
        url: The URL.
        read: Reads the answer.
        headers: Headers to send.

    Raises:
        FetchError: The server cannot be reached, or answers with another status than 200, 206 or 416.
    """
    # An encoded body would have another length and hash than the file.
    sent = {"User-Agent": f"stb-env/{__version__}", "Accept-Encoding": "identity", **(headers or {})}
    passed: dict[str, str] = {}

    def opened(response: httpx2.Response) -> tuple[str, T | None]:
        if response.has_redirect_location:
            passed.update(response.headers)
            return redirected(url, response.headers["location"]), None
        if response.status_code not in (200, 206, 416):
            raise _refused(url, response)
        return "", read(Response(response.status_code, {**passed, **response.headers}, response))

    client = HTTPClient()
    try:
        for _ in range(_MAX_REDIRECTS):
            there, found = client.stream(HTTPRequest("GET", url, sent), _TIMEOUT, opened)
            if not there:
                return found  # type: ignore[return-value] # it was read, since nothing led elsewhere
            url = there
    except HTTPFailure as error:
        raise _unreachable(url, error, error.kind == "timeout") from error
    finally:
        client.close()
    raise FetchError(f"{url} is one of more than {_MAX_REDIRECTS} redirects in a row")


def get_json(url: str) -> tuple[Json, Mapping[str, str]]:
    """Return a JSON answer with its headers.

    Raises:
        FetchError: None came.
    """

    def read(response: Response) -> tuple[bytes, Mapping[str, str]]:
        text = bytearray()
        for chunk in response.chunks():
            text += chunk
            if len(text) > _MAX_JSON:
                raise FetchError(f"{url} answered with more than {_MAX_JSON >> 20} MiB of JSON")
        return bytes(text), response.headers

    try:
        content, headers = get(url, read, {"Accept": "application/json"})
    except Cut as error:
        raise _unreachable(url, error) from error
    try:
        return json.loads(content), headers
    except ValueError as error:
        raise FetchError(f"{url} answered with no JSON: {content[:80]!r}") from error


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


def _unreachable(url: str, reason: Exception, late: bool = False) -> FetchError:
    return FetchError(
        f"cannot reach {urlsplit(url).netloc} ({reason}); fetching needs a network: try again with one, "
        "or put the files there by hand",
        kind="timeout" if late else "transport",
        retryable=True,
    )
