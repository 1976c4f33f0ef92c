"""Endpoints: the address of a model there, and the state that every model behind one shares."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from stb_env.http.url import shown_url
from stb_env.models.limiter import Limiter

if TYPE_CHECKING:
    from stb_env.http.connection import Pool

_LOCK = threading.Lock()
_KNOWN: WeakValueDictionary[str, Endpoint] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """An endpoint and a model of it.

    Attributes:
        endpoint: Root of the API, without user name or password.
        model: The model's name there.

    Examples:
        >>> here = ModelAddress("http://127.0.0.1:8000/v1", "tiny")
        >>> str(here), here.local
        ("model 'tiny' at http://127.0.0.1:8000/v1", True)
    """

    endpoint: str
    model: str

    def __str__(self) -> str:
        return f"model {self.model!r} at {shown_url(self.endpoint)}"

    @property
    def key(self) -> str:
        """The place as one text, for files."""
        return f"{self.endpoint} {self.model}"

    @property
    def local(self) -> bool:
        """True if the endpoint is on this machine."""
        host = urlsplit(self.endpoint).hostname or ""
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"


class Endpoint:
    """One endpoint, for as long as a model of this process uses it.

    Args:
        url: Its base URL, without a user name or password.

    Attributes:
        limiter: Who may send to it now.
        streams: Whether it streams its answers, as far as is known.
        windows: Context windows of its models, by name, as far as it was asked; None where it tells none.

    Examples:
        >>> one = Endpoint.of("http://127.0.0.1:8000/v1")
        >>> one is Endpoint.of("http://127.0.0.1:8000/v1"), one is Endpoint.of("http://127.0.0.1:8001/v1")
        (True, False)
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.limiter = Limiter()
        self.streams = True
        self.windows: dict[str, int | None] = {}
        self._pools: dict[asyncio.AbstractEventLoop, Pool] = {}

    @classmethod
    def of(cls, url: str) -> Endpoint:
        """Return the one of this process that stands for a URL."""
        with _LOCK:
            found = _KNOWN.get(url)
            if found is None:
                found = _KNOWN[url] = cls(url)
            return found

    def pool(self, make: Callable[[], Pool]) -> Pool:
        """Return the connections of the running event loop, which every model of it shares.

        Args:
            make: Makes them where there are none.
        """
        # Connections cannot move to another loop; whoever forks finds none of its parent's here.
        loop = asyncio.get_running_loop()
        with _LOCK:
            if loop not in self._pools:
                self._pools = {known: one for known, one in self._pools.items() if not known.is_closed()}
                self._pools[loop] = make()
            return self._pools[loop]


def _after_fork() -> None:
    # What is in flight there belongs to the parent, and its threads may have held the locks.
    global _LOCK
    _LOCK = threading.Lock()
    for endpoint in _KNOWN.values():
        endpoint.limiter = Limiter()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
