"""A session of a server as its client holds it."""

from __future__ import annotations

import weakref
from typing import NamedTuple

from stb_env.core.jsontypes import JsonMapping
from stb_env.serve.remote.server import Server


class Line:
    """A session that an environment plays on, or that stands still because snapshots or forks go back to it.

    When nobody here refers to it any more, the server is told so. Pickled, it is left to the server, since
    nobody knows who will refer to the copies.

    Args:
        server: Where it is.
        key: Its key.
    """

    __slots__ = ("__weakref__", "_ending", "key")

    def __init__(self, server: Server, key: str) -> None:
        self.key = key
        self._ending: weakref.finalize | None = weakref.finalize(self, server.forget, key)  # type: ignore[type-arg] # not generic when it runs
        self._ending.atexit = False

    def __getstate__(self) -> str:
        if self._ending is not None:
            self._ending.detach()
        return self.key

    def __setstate__(self, key: str) -> None:
        self.key, self._ending = key, None

    def end(self) -> None:
        """Take note that it was closed."""
        if self._ending is not None:
            self._ending.detach()


class Place(NamedTuple):
    """Position of an episode: the data that the client needs besides the mirror to continue it.

    Attributes:
        line: The session, which stands there for as long as anything refers to this place.
        query: The query as it is shown.
        tools: The tools as they are shown.
        opening: The opening messages.
    """

    line: Line
    query: str
    tools: str
    opening: tuple[JsonMapping, ...]
