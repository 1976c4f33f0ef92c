"""Requests, answers and failures of HTTP, as values."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from stb_env.errors import BackendError, FailureKind
from stb_env.http.retry import Clock, retry_after

_CHARSET = re.compile(r"charset=\"?([\w.:-]+)", re.IGNORECASE)
_RETRIED = frozenset({408, 409, 425, 429})


class HTTPFailure(BackendError):
    """An exchange gave no usable answer.

    Args:
        message: What happened, without secrets.
        kind: Class of the failure.
        retryable: Whether the same request may succeed later.
        status_code: HTTP status, where one came.
        wait: Seconds that the server asks to wait, where it does.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind = "transport",
        retryable: bool = False,
        status_code: int | None = None,
        wait: float | None = None,
    ) -> None:
        super().__init__(message, kind=kind, stage="real", retryable=retryable, status_code=status_code)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class HTTPRequest:
    """A request. URL and headers may hold a key, so they show in no repr."""

    method: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = b""


@dataclass(frozen=True, slots=True)
class HTTPAnswer:
    """A whole answer; header names are in lower case. ``injected`` where a fault made it or changed it."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    injected: bool = False

    @property
    def charset(self) -> str:
        r"""Encoding that the content type names, where it is known; else UTF-8.

        Examples:
            >>> HTTPAnswer(200, {"content-type": "text/plain; charset=ISO-8859-1"}, b"caf\xe9").text
            'caf\xe9'
        """
        found = _CHARSET.search(self.headers.get("content-type", ""))
        try:
            return codecs.lookup(found[1]).name if found else "utf-8"
        except LookupError:
            return "utf-8"

    @property
    def text(self) -> str:
        """The body as text."""
        try:
            return self.body.decode(self.charset, "replace")
        except LookupError:
            # A codec from bytes to bytes.
            return self.body.decode("utf-8", "replace")

    def failure(self, said: str, clock: Clock) -> HTTPFailure:
        """Return the failure that the status means.

        Args:
            said: What to add to the message, without secrets.
            clock: Tells the time.

        Examples:
            >>> failure = HTTPAnswer(429, {"retry-after": "7"}).failure(": slow down", Clock())
            >>> failure.kind, failure.wait, str(failure)
            ('rate_limit', 7.0, 'HTTP 429: slow down')
        """
        return HTTPFailure(
            f"HTTP {self.status}{said}",
            kind=status_kind(self.status),
            retryable=is_retryable(self.status),
            status_code=self.status,
            wait=retry_after(self.headers, clock.wall()),
        )


def is_retryable(status: int) -> bool:
    """Return whether a request that got an HTTP status may succeed later."""
    return status in _RETRIED or status >= 500


def status_kind(status: int) -> FailureKind:
    """Return the class of failure that an HTTP status means.

    Examples:
        >>> [status_kind(status) for status in (400, 408, 429, 503, 504)]
        ['internal', 'timeout', 'rate_limit', 'transport', 'timeout']
    """
    if status == 429:
        return "rate_limit"
    if status in (408, 504):
        return "timeout"
    return "transport" if is_retryable(status) else "internal"


def late(limit: object) -> HTTPFailure:
    """Return the failure of an answer that did not come in time; ``limit`` names the time."""
    return HTTPFailure(f"no answer within the {limit}", kind="timeout", retryable=True)


def broken(reason: str) -> HTTPFailure:
    """Return the failure of a connection that was refused or lost."""
    return HTTPFailure(f"the connection failed: {reason}", retryable=True)


def check_size(size: int, most: int) -> None:
    """Check that a body is not too long.

    Raises:
        HTTPFailure: It has more bytes than ``most``.
    """
    if size > most:
        raise HTTPFailure(f"the answer is longer than {most >> 20} MiB")
