"""Settings of diskcache for text: stored inline, in one file that nothing is evicted from."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import diskcache

from stb_env.core.checksums import of_row
from stb_env.errors import DataError

FILE = "cache.db"
BUSY_SECONDS = 60.0
RAW = 1
REFUSED = "is not plain text and may be a pickle: refused; `stb-env cache verify` lists such rows"
KNOWN_SETTINGS = frozenset(diskcache.DEFAULT_SETTINGS) | {"count", "size", "hits", "misses"}

CHANGED = "was changed: its checksum is another; restore the cache, or record the call again"

# What `diskcache.Cache.set` stores for a text and its tag, in one statement where that takes several; a
# replaced value keeps its row. The tag is a checksum, which rows of earlier versions lack.
ADD = """
    INSERT INTO Cache (key, raw, store_time, access_time, access_count, tag, size, mode, value)
    VALUES (?1, 1, ?3, ?3, 0, ?4, 0, 1, ?2)
"""
PUT = f"""
    {ADD}
    ON CONFLICT (key, raw) DO UPDATE SET
        store_time = excluded.store_time, expire_time = NULL, access_time = excluded.access_time,
        access_count = 0, tag = excluded.tag, size = 0, mode = 1, filename = NULL, value = excluded.value
"""

_SETTINGS = {
    "eviction_policy": "none",
    "cull_limit": 0,
    "size_limit": 2**62,
    "disk_min_file_size": 2**62,
    "sqlite_synchronous": 2,
    # A rollback journal instead of the write-ahead log: readers then need no side files, so that opening
    # for reading changes nothing on disk, and network file systems work.
    "sqlite_journal_mode": "delete",
}


class TextDisk(diskcache.Disk):  # type: ignore[misc]  # diskcache has no types
    """The serialiser that diskcache writes and reads with: text, inline, or a `DataError`."""

    def put(self, key: object) -> tuple[str, bool]:
        """Return the database form of a key."""
        return _text(key, "key"), True

    def get(self, key: object, raw: object) -> str:
        """Return the key of a database row."""
        if not raw or type(key) is not str:
            raise DataError(f"a key in {self._directory} {REFUSED}")
        return key

    def store(self, value: object, read: bool, key: object = None) -> tuple[int, int, None, str]:
        """Return the database form of a value."""
        if read:
            raise DataError(f"this store takes text, got a file for key {key!r}")
        return 0, RAW, None, _text(value, "value")

    def fetch(self, mode: int, filename: str | None, value: object, read: bool) -> str:
        """Return the value of a database row."""
        if read or mode != RAW or filename is not None or type(value) is not str:
            raise DataError(f"a value in {self._directory} {REFUSED}")
        return value


def open_diskcache(folder: Path) -> diskcache.Cache:
    """Open a folder through diskcache, waiting for other processes that are opening it."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return diskcache.Cache(str(folder), timeout=BUSY_SECONDS, disk=TextDisk, **_SETTINGS)
        except sqlite3.OperationalError as error:
            # diskcache sets the file up anew at each opening and does not wait for its neighbours there.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def row(key: object, value: object) -> tuple[str, str, float, int]:
    """Return what `ADD` and `PUT` take.

    Raises:
        DataError: Key or value is no text that UTF-8 can encode.
    """
    name, text = _text(key, "key"), _text(value, "value")
    return name, text, time.time(), of_row(name, text)


def _text(value: object, what: str) -> str:
    if type(value) is not str:
        raise DataError(f"this store takes text, got a {what} of type {type(value).__name__}")
    # str.isascii is a flag look-up, so the usual case costs nothing.
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a {what} cannot be stored as UTF-8 ({error.reason}); escape it first") from None
    return value
