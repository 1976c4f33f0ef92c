"""GET requests with the standard library: streamed, and with redirects that stay as safe as they began."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPMessage
from typing import IO, Any
from urllib.parse import urlsplit

from stb_env import __version__
from stb_env.errors import FailureKind
from stb_env.fetch.failure import FetchError
from stb_env.jsontypes import Json

CHUNK = 1 << 20

_TIMEOUT = 60.0
_MAX_JSON = 64 * 2**20
_KINDS: Mapping[int, FailureKind] = {408: "timeout", 429: "rate_limit", 504: "timeout"}


class Cut(Exception):
    """The connection broke while a body was read."""


@dataclass(frozen=True, slots=True)
class Response:
    """What a server answered.

    Attributes:
        status: 200, 206 or 416.
        headers: Headers by lower-case name; those of redirects where the last answer has none of that name.
        body: The open connection.
    """

    status: int
    headers: Mapping[str, str]
    body: Any

    @property
    def length(self) -> int | None:
        """Bytes that the body has, where the server says so."""
        text = self.headers.get("content-length", "")
        return int(text) if text.isdecimal() else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the body.

        Raises:
            Cut: It ended before its announced length.
        """
        got = 0
        while True:
            try:
                # What is there, at once: waiting for a full chunk would lose the rest of a broken one.
                chunk = self.body.read1(CHUNK)
            except (OSError, http.client.HTTPException) as error:
                raise Cut(f"{type(error).__name__}: {error}") from error
            if not chunk:
                break
            got += len(chunk)
            yield chunk
        if self.length is not None and got < self.length:
            raise Cut(f"{got} of {self.length} bytes came")


class _Redirects(urllib.request.HTTPRedirectHandler):
    def __init__(self) -> None:
        self.headers: dict[str, str] = {}

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        allowed = ("https",) if req.full_url.startswith("https:") else ("https", "http")
        if urlsplit(newurl).scheme not in allowed:
            raise FetchError(f"{req.full_url} leads to {newurl[:80]}, which is no {' or '.join(allowed)} URL")
        self.headers |= _lower(headers)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


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
    redirects = _Redirects()
    opener = urllib.request.build_opener(redirects)
    try:
        answer = opener.open(urllib.request.Request(url, headers=sent), timeout=_TIMEOUT)  # noqa: S310 (scheme checked)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            error.close()
            raise _refused(url, error) from None
        answer = error
    except (OSError, http.client.HTTPException) as error:
        raise _unreachable(url, error) from error
    with answer:
        yield Response(answer.status, redirects.headers | _lower(answer.headers), answer)


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


def _lower(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _refused(url: str, error: urllib.error.HTTPError) -> FetchError:
    status = error.code
    spent = status == 403 and error.headers.get("X-RateLimit-Remaining") == "0"
    retryable = status in _KINDS or status >= 500 or spent
    hint = "try again later" if retryable else "it may have moved: see the data set's homepage (--list)"
    kind: FailureKind = "rate_limit" if spent else _KINDS.get(status, "transport")
    return FetchError(f"{url} answered HTTP {status}; {hint}", kind=kind, retryable=retryable)


def _unreachable(url: str, error: Exception) -> FetchError:
    reason = getattr(error, "reason", None) or error
    late = isinstance(reason, TimeoutError)
    return FetchError(
        f"cannot reach {urlsplit(url).netloc} ({reason}); fetching needs a network: try again with one, "
        "or put the files there by hand",
        kind="timeout" if late else "transport",
        retryable=True,
    )
