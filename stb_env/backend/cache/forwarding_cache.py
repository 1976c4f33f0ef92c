"""A cache whose new answers are carried to somebody else, who writes them down."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable
from pathlib import Path

from stb_env.backend.cache.entry import CacheEntry, Hit
from stb_env.backend.cache.layers import holds_cache
from stb_env.backend.cache.response_cache import ResponseCache


class CarriedCache(ResponseCache):
    """Reads a cache folder and changes nothing there; what is added stays in memory until it is drained.

    For a process that plays on another machine: the folder's base is mapped read-only, and one process alone
    adds what all of them bring, the first answer to a call before any other.

    Args:
        folder: The cache folder as this machine has it; where there is none, nothing is known yet.

    Examples:
        >>> from stb_env.backend.cache import CallKey, call_key
        >>> from stb_env.tools import ToolId
        >>> ping = ToolId("Net", "icmp", "ping")
        >>> cache = CarriedCache("no/such/folder")
        >>> answers = [CacheEntry.of(ping, {}, {"ms": ms}, source="real") for ms in (4, 9)]
        >>> [cache.add(call_key(ping, {}), entry) is None for entry in answers]
        [True, False]
        >>> [entry.response for entry in cache.drain()], cache.drain()
        ([{'ms': 4}], [])
        >>> cache.get(CallKey(ping, {})).text
        '{"error": "", "response": {"ms": 4}}'
    """

    def __init__(self, folder: str | Path) -> None:
        there = Path(folder)
        if holds_cache(there):
            super().__init__(there, read_only=True)
            # Of the folder that holds; this takes answers.
            self.read_only = False
        else:
            super().__init__()
        self._added: dict[str, str] = {}
        self._undrained: list[CacheEntry] = []
        self._lock = threading.Lock()

    @property
    def place(self) -> Hashable:
        """This one alone: what is added stays in its memory."""
        return id(self)

    def add(self, key: str, entry: CacheEntry) -> Hit | None:
        """Keep an entry where the call has none in any spelling; return what stood there, or None."""
        with self._lock:
            known = self.get(entry.call)
            if known is None:
                self._added[key] = entry.written()
                self._undrained.append(entry)
            return known

    def put_many(self, items: Iterable[tuple[str, CacheEntry]]) -> None:
        """Keep entries."""
        with self._lock:
            self._recent.clear()
            for _, entry in items:
                placing = self.placing()
                placing.put(placing.find(entry.call.row), entry.written())
                self._added.update(placing.rows)
                self._undrained.append(entry)

    def drain(self) -> list[CacheEntry]:
        """Return what was added since the last time."""
        with self._lock:
            drained, self._undrained = self._undrained, []
            return drained

    def _row(self, key: str) -> str | None:
        return self._added.get(key) or super()._row(key)
