"""Access control: a token, if the operator set one, and no page of a foreign web site."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from stb_env.serve.operations.refusals import Refusal
from stb_env.serve.settings import is_loopback

OPEN_PATHS = ("/health",)
"""Paths that need no token: what asks whether the server lives holds none."""

_KEY_HEADER = "toolbench_key".encode()  # noqa: UP012
_UNKNOWN = Refusal(
    "a token is needed; send it as the header 'Authorization: Bearer TOKEN'",
    kind="unauthorized",
    status=401,
    headers={"www-authenticate": "Bearer"},
)

Headers = Mapping[bytes, bytes]


class Entry:
    """Lets requests in.

    Without a token only this machine may ask; then the host that was asked for must be this machine's own
    name, so that no web site can make its name mean this machine.

    Args:
        token: What clients must show; empty for nothing.
        origins: Web origins whose pages may ask.

    Examples:
        >>> entry = Entry("a-token-of-16-or-more", ())
        >>> entry.check("/virtual", {b"authorization": b"Bearer a-token-of-16-or-more"})
        >>> entry.check("/virtual", {})
        Traceback (most recent call last):
        ...
        stb_env.serve.operations.refusals.Refusal: a token is needed; send it as the header ...
    """

    def __init__(self, token: str, origins: Collection[str]) -> None:
        self._token = token.encode()
        self._origins = frozenset(origins)

    def check(self, path: str, headers: Headers) -> None:
        """Check one request.

        The original's clients have one header for a key; a token there will do.

        Raises:
            Refusal: It may not come in.
        """
        host = headers.get(b"host", b"")
        if not _is_host(host):
            raise Refusal(
                f"the header Host is a name with or without a port, as in localhost:8080, not {host!r:.100}",
                kind="bad_request",
            )
        if b"origin" in headers:
            self._check_origin(headers[b"origin"].decode("latin-1"), host.decode("latin-1"))
        if not self._token:
            if not _is_ours(host):
                raise _foreign(host)
        elif path not in OPEN_PATHS and not self._shows_token(headers):
            raise _UNKNOWN

    def _shows_token(self, headers: Headers) -> bool:
        scheme, _, shown = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer":
            shown = headers.get(_KEY_HEADER, b"")
        return hmac.compare_digest(shown.strip(), self._token)

    def _check_origin(self, origin: str, host: str) -> None:
        parts = _split(origin)
        if origin in self._origins or (parts is not None and parts.netloc == host):
            return
        raise Refusal(
            f"pages of {origin!r:.100} may not ask this server; its operator can allow it with --cors",
            kind="forbidden",
            status=403,
        )


# Each request names it, and to take it apart takes as long as to answer a hit.
@lru_cache(maxsize=64)
def _is_host(host: bytes) -> bool:
    """Return whether a header names a host and no more, or is empty."""
    try:
        parts = urlsplit(f"//{host.decode('latin-1')}")
        return not host or (parts.port != 0 and parts.netloc.encode("latin-1") == host and b"@" not in host)
    except ValueError:
        return False


@lru_cache(maxsize=64)
def _is_ours(host: bytes) -> bool:
    parts = _split(f"//{host.decode('latin-1')}")
    return not host or (parts is not None and is_loopback(parts.hostname or ""))


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL, or None where it is none."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _foreign(host: bytes) -> Refusal:
    said = host.decode("latin-1")
    return Refusal(
        f"without a token this server is asked as 127.0.0.1 or localhost, not as {said!r:.100}",
        kind="forbidden",
        status=403,
    )
