"""Wires: connections to one endpoint that stream its answers, and follow redirects on the same server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from stb_env.core.jsontypes import Json
from stb_env.http.exchange import HTTPFailure, broken
from stb_env.http.retry import Clock, Deadline, Patience
from stb_env.http.url import shown_url

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Those that keep the method; a GET may follow the others too.
_KEEPING = frozenset({307, 308})
_HOPS = 10
_MAX_URL = 300


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


class Wire(ABC):
    """Connections to one endpoint, of one event loop.

    Redirects are followed on the same server alone: another one would be handed the conversation and
    perhaps a key.

    Args:
        url: Root of the endpoint.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    async def post(self, path: str, content: bytes, patience: Patience, read: Reader) -> Json:
        """Send JSON text and return what is read from the answer, whatever its status.

        A wait that is cancelled, and an answer that is not read to its end, close the connection.

        Args:
            path: Path of the endpoint.
            content: The JSON text.
            patience: Ends the wait for the next piece; whoever reads says when one counts.
            read: Reads the answer while it arrives.

        Raises:
            HTTPFailure: No answer came to its end, or a redirect leads to where it is not followed.
            TimeoutError: The patience is used up, or the system's.
        """
        return await self._follow("POST", self.url + path, content, patience, read)

    async def get(self, url: str, seconds: float, read: Reader) -> Json:
        """Ask for a path of the endpoint, or for another URL of its server; errors as for `post`."""
        patience = Patience(Deadline(seconds, Clock(), "time-out"), seconds, seconds)
        there = self.url + url if url.startswith("/") else url
        return await self._follow("GET", there, b"", patience, read)

    @abstractmethod
    async def aclose(self) -> None:
        """Close the connections that nobody uses."""

    @abstractmethod
    async def _ask(
        self, method: str, url: str, content: bytes, patience: Patience, read: Reader
    ) -> tuple[str, object]:
        """Return where a redirect leads, or an empty text and what is read from the answer."""

    async def _follow(
        self, method: str, url: str, content: bytes, patience: Patience, read: Reader
    ) -> object:
        for _ in range(_HOPS):
            url, answer = await self._ask(method, url, content, patience, read)
            if not url:
                return answer
        raise broken(f"the server redirects more than {_HOPS} times")


def redirected(status: int, here: str, headers: Mapping[str, str], method: str) -> str:
    """Return where a redirect leads, on the same server; an empty text where the answer is no redirect.

    Args:
        status: HTTP status of the answer.
        here: The URL that was asked.
        headers: Headers of the answer.
        method: What was asked with. A POST cannot follow where it would become a GET.

    Raises:
        HTTPFailure: It leads to another server, or cannot be followed.

    Examples:
        >>> redirected(307, "http://127.0.0.1:8000/v1/models", {"location": "/models"}, "GET")
        'http://127.0.0.1:8000/models'
        >>> there = {"location": "https://me:password@there/models"}
        >>> redirected(307, "http://127.0.0.1:8000/v1/models", there, "GET")
        Traceback (most recent call last):
        ...
        stb_env.http.exchange.HTTPFailure: HTTP 307: the server sends requests on to https://there, which is \
not followed; if that is right, set base_url to it
    """
    location = headers.get("location", "") if status in _REDIRECTS else ""
    if not location:
        return ""
    try:
        there = urljoin(here, location)
        old, new = urlsplit(here), urlsplit(there)
    except ValueError:
        raise _unfollowed(status, "what is no URL, which is not followed; check base_url") from None
    same = (old.scheme, old.netloc) == (new.scheme, new.netloc)
    if same and (method == "GET" or status in _KEEPING):
        return there
    # Without what may be secret: a user's name and password, a query.
    path = new.path.removesuffix("/chat/completions").removesuffix("/models")
    base = shown_url(f"{new.scheme}://{new.netloc}{path}")
    raise _unfollowed(
        status, f"{base[:_MAX_URL]}, which is not followed; if that is right, set base_url to it"
    )


def _unfollowed(status: int, where: str) -> HTTPFailure:
    message = f"HTTP {status}: the server sends requests on to {where}"
    return HTTPFailure(message, kind="internal", status_code=status)
