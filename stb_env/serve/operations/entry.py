"""Who may ask: a token, where the operator set one, and no page of a foreign web site."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Iterable
from urllib.parse import urlsplit

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

Headers = Iterable[tuple[bytes, bytes]]


class Entry:
    """Lets requests in.

    Without a token only this machine may ask; then the host that was asked for must be this machine's own
    name, so that no web site can make its name mean this machine.

    Args:
        token: What clients must show; empty for nothing.
        origins: Web origins whose pages may ask.

    Examples:
        >>> entry = Entry("a-token-of-16-or-more", ())
        >>> entry.check("/virtual", [(b"authorization", b"Bearer a-token-of-16-or-more")])
        >>> entry.check("/virtual", [])
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
        found = {
            name: value
            for name, value in headers
            if name in (b"authorization", b"host", b"origin", _KEY_HEADER)
        }
        if b"origin" in found:
            self._check_origin(found[b"origin"].decode("latin-1"), found.get(b"host", b"").decode("latin-1"))
        if not self._token:
            self._check_host(found.get(b"host", b"").decode("latin-1"))
        elif path not in OPEN_PATHS and not self._shows_token(found):
            raise _UNKNOWN

    def _shows_token(self, found: dict[bytes, bytes]) -> bool:
        scheme, _, shown = found.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer":
            shown = found.get(_KEY_HEADER, b"")
        return hmac.compare_digest(shown.strip(), self._token)

    def _check_origin(self, origin: str, host: str) -> None:
        if origin in self._origins or urlsplit(origin).netloc == host:
            return
        raise Refusal(
            f"pages of {origin!r:.100} may not ask this server; its operator can allow it with --cors",
            kind="forbidden",
            status=403,
        )

    def _check_host(self, host: str) -> None:
        if host and not is_loopback(urlsplit(f"//{host}").hostname or ""):
            raise Refusal(
                f"without a token this server is asked as 127.0.0.1 or localhost, not as {host!r:.100}",
                kind="forbidden",
                status=403,
            )
