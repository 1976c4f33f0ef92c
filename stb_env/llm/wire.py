"""What carries requests to an endpoint: the protocol, and what both of its implementations have in common."""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol
from urllib.parse import urljoin, urlsplit

from stb_env.errors import FailureKind
from stb_env.jsontypes import Json, JsonMapping
from stb_env.llm.retry import Patience

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Statuses with which a server sends requests on."""

# Those that keep the method; a GET may follow the others too.
_KEEPING = frozenset({307, 308})
_MAX_URL = 300

CONNECT_TIMEOUT = 20.0
"""Seconds for a connection; a server that is there takes no part of a second, whatever its model takes."""

Body = JsonMapping


class Response(NamedTuple):
    """An answer as it begins to arrive.

    Attributes:
        status: HTTP status.
        headers: Its headers; names in lower case, or in any case if the mapping takes them so.
        pieces: The bytes of its body, as they come.
        whole: Returns the body in the place of its pieces, where all of them have come already; else None.
    """

    status: int
    headers: Mapping[str, str]
    pieces: AsyncIterable[bytes]
    whole: Callable[[], bytes | None] = lambda: None


Reader = Callable[[Response], Awaitable[Json]]


class Unanswered(Exception):
    """No answer came, or none to its end; the text says why, and may hold what a server sent."""


class Unconnected(Unanswered):
    """The server did not even take a connection in time."""


class Unusable(Unanswered):
    """An answer that cannot be used and would come again; the text may hold what a server sent.

    Args:
        reason: What is wrong with it, and what to do.
        kind: Class of the failure that it is.
        status: Its HTTP status.
    """

    def __init__(self, reason: str, *, kind: FailureKind, status: int) -> None:
        super().__init__(reason)
        self.kind = kind
        self.status = status


class Wire(Protocol):
    """Connections to one endpoint, of one event loop.

    Redirects are followed on the same server alone: another one would be handed the conversation and
    perhaps a key.
    """

    async def post(self, body: Body, patience: Patience, read: Reader) -> Json:
        """Send a chat completion request and return what is read from its answer, whatever its status.

        A wait that is cancelled, and an answer that is not read to its end, close the connection.

        Args:
            body: The request.
            patience: Ends the wait for the next piece; whoever reads says when one counts.
            read: Reads the answer while it arrives.

        Raises:
            Unanswered: No answer came to its end.
            Unusable: The server sends requests on to where they are not sent, or its answer is of no use.
            TimeoutError: The patience is used up, or the system's.
        """
        ...

    async def get(self, url: str, seconds: float, read: Reader) -> Json:
        """Ask for a path of the endpoint, or for another URL of its server.

        Raises:
            Unanswered: No answer came to its end.
            Unusable: The server sends requests on to where they are not sent, or its answer is of no use.
            TimeoutError: None came within the seconds.
        """
        ...

    async def aclose(self) -> None:
        """Close the connections that nobody uses."""
        ...


def redirected(status: int, here: str, location: str, method: str) -> str:
    """Return where a redirect leads, on the same server.

    Args:
        status: Its HTTP status.
        here: The URL that was asked.
        location: Where the server sends.
        method: What was asked with. A POST cannot follow where it would become a GET.

    Raises:
        Unusable: It leads to another server, or cannot be followed.

    Examples:
        >>> redirected(307, "http://127.0.0.1:8000/v1/models", "/models", "GET")
        'http://127.0.0.1:8000/models'
        >>> redirected(307, "http://127.0.0.1:8000/v1/models", "https://me:password@there/models", "GET")
        Traceback (most recent call last):
        ...
        stb_env.llm.wire.Unusable: HTTP 307: the server sends requests on to https://there, which is not \
followed; if that is right, set base_url to it
    """
    try:
        there = urljoin(here, location)
        old, new = urlsplit(here), urlsplit(there)
    except ValueError:
        raise _unfollowed(status, "what is no URL, which is not followed; check base_url") from None
    same = (old.scheme, old.netloc) == (new.scheme, new.netloc)
    if same and (method == "GET" or status in _KEEPING):
        return there
    # Without what may be secret: a user's name and password, a query.
    base = f"{new.scheme}://{new.netloc.rpartition('@')[2]}{_base(new.path)}"
    raise _unfollowed(
        status, f"{base[:_MAX_URL]}, which is not followed; if that is right, set base_url to it"
    )


def _base(path: str) -> str:
    return path.removesuffix("/chat/completions").removesuffix("/models")


def _unfollowed(status: int, where: str) -> Unusable:
    return Unusable(f"HTTP {status}: the server sends requests on to {where}", kind="internal", status=status)
