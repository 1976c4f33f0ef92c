"""Rows of recordings: the first under the canonical key, those of other spellings beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from stb_env.backend.cache.entry import exact_of, read_hit
from stb_env.backend.cache.key import CANONICAL, RowKey, exact_digest


class Place(NamedTuple):
    """Position of the recording of exactly one call, present or not.

    Attributes:
        key: The key of its row.
        value: Its stored form; None where there is none yet.
        first: The stored form under the canonical key where that is of another spelling, else None.
    """

    key: str
    value: str | None
    first: str | None


class Placing:
    """Places recordings among those that are stored, and collects the rows to store.

    The row of the canonical key answers every spelling of a call that was not recorded itself. It has the
    first recording, or the first that nobody simulated where a simulated one came before.

    Args:
        stored: Returns the stored form under a row's key, or None.

    Attributes:
        rows: What is to be stored, by row key.

    Examples:
        >>> from stb_env.backend.cache.entry import CacheEntry
        >>> from stb_env.tools import ToolId
        >>> placing, ping = Placing({}.get), ToolId("Net", "icmp", "ping")
        >>> for count in (1, "1"):
        ...     entry = CacheEntry.of(ping, {"count": count}, count)
        ...     placing.put(placing.find(entry.call.row), entry.written())
        >>> [len(key) for key in placing.rows]
        [49, 82]
    """

    def __init__(self, stored: Callable[[str], str | None]) -> None:
        self.rows: dict[str, str] = {}
        self._stored = stored

    def find(self, key: RowKey) -> Place:
        """Return where the recording of exactly this call lies.

        Raises:
            DataError: What is stored is damaged.
        """
        first = self._get(key.canonical)
        if first is None or exact_digest(exact_of(first)) == key.exact:
            return Place(key.canonical, first, None)
        return Place(key.beside, self._get(key.beside), first)

    def put(self, place: Place, value: str) -> None:
        """Place the recording that `find` was asked for; it replaces that of exactly the same call.

        Raises:
            DataError: What is stored is damaged.
        """
        key, stored, first = place
        if first is not None and stored is None and _gives_way(first, value):
            key = key[:CANONICAL]
            self.rows[RowKey(key, exact_digest(exact_of(first))).beside] = first
        self.rows[key] = value

    def _get(self, key: str) -> str | None:
        placed = self.rows.get(key)
        return self._stored(key) if placed is None else placed


def _gives_way(first: str, value: str) -> bool:
    return read_hit(first).source == "simulator" and read_hit(value).source != "simulator"
