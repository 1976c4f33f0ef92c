"""The store that is written to."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Self

import diskcache

from stb_env.backend.store import disk
from stb_env.backend.store.disk import FILE, open_diskcache
from stb_env.backend.store.frozen import INHERITED, FrozenStore, LiveView
from stb_env.backend.store.scratch import scratch_folder
from stb_env.errors import BackendError, ConfigError


class TextStore(FrozenStore):
    """A store that any number of threads and processes may write to; nothing is ever evicted.

    An entry whose `put` has returned survives a crash of the process and of the machine.

    Args:
        folder: Where the data lies; made where it is missing.

    Raises:
        DataError: The data is damaged.
        ConfigError: The folder cannot be made, or holds something else.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = TextStore(folder)
        ...     store.put("a", "1")
        ...     store.put_many([("a", "2"), ("b", "3")])
        ...     list(store.items()), len(store)
        ...     store.close()
        ([('a', '2'), ('b', '3')], 2)
    """

    _access = "mode=rw"
    # As much as diskcache maps: who adds millions would come to hold all of them.
    _mapped = 2**26

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__(Path(folder) / FILE)
        self._cache: diskcache.Cache | None = None
        if os.path.expandvars(self.file) != str(self.file):
            raise ConfigError(
                f"{str(folder)!r}: diskcache would expand the variable; choose a name without $"
            )
        if not self.file.exists():
            self._create()
        self._query("SELECT 1", ())

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        return type(self), (self.file.parent,)

    def put(self, key: str, value: str) -> None:
        """Store a value under a key, replacing any other.

        Raises:
            DataError: Key or value is no text that UTF-8 can encode.
            BackendError: The store stayed locked, or cannot be written.
        """
        name, text, _, tag = disk.row(key, value)
        self._write(lambda cache: cache.set(name, text, tag=tag))

    def add(self, key: str, value: str) -> bool:
        """Store a value where the key has none, whoever else tries it too; say whether it was stored.

        Raises:
            DataError: Key or value is no text that UTF-8 can encode.
            BackendError: The store stayed locked, or cannot be written.

        Examples:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     store = TextStore(folder)
            ...     store.add("a", "1"), store.add("a", "2"), store.get("a")
            ...     store.close()
            (True, False, '1')
        """
        name, text, _, tag = disk.row(key, value)
        return bool(self._write(lambda cache: cache.add(name, text, tag=tag)))

    def put_many(self, items: Iterable[tuple[str, str]]) -> None:
        """Store all items in one transaction: all of them, or none where it fails."""
        rows = [disk.row(key, value) for key, value in items]

        def write(_: object) -> None:
            with self._lock:
                con = self._con or self._open()
                con.execute("BEGIN IMMEDIATE")
                # Rolls back where it fails; a connection that is its own master does not begin one itself.
                with con:
                    con.executemany(disk.PUT, rows)

        self._write(write)

    def close(self) -> None:
        """Release the handles; the next use opens new ones."""
        super().close()
        cache, self._cache = self._cache, None
        if cache is not None:
            cache.close()

    def _write(self, write: Callable[[diskcache.Cache], object]) -> object:
        try:
            return write(self._writer())
        except (diskcache.Timeout, sqlite3.OperationalError) as error:
            why = str(error)
            if why in ("", "database is locked"):
                why = f"locked for more than {disk.BUSY_SECONDS:.0f} s, or read-only"
            problem = f"cannot write to {self.file}: {why}"
            raise BackendError(problem, stage="cache", retryable=True) from error
        except sqlite3.DatabaseError as error:
            self._fail(error)

    def _writer(self) -> diskcache.Cache:
        with self._lock:
            if self._cache is None:
                try:
                    self._cache = open_diskcache(self.file.parent)
                except sqlite3.Error as error:
                    self._fail(error)
            return self._cache

    def _create(self) -> None:
        # Made aside and renamed, so that no other process ever opens a half-made database.
        folder = self.file.parent
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with scratch_folder(folder) as aside:
                made = aside / "store"
                open_diskcache(made).close()
                with suppress(OSError):
                    made.rename(folder)
        except OSError as error:
            raise ConfigError(f"cannot make the cache folder {folder}: {error}") from error
        if not self.file.exists():
            raise ConfigError(f"{folder} holds other files and no {FILE}; name a new or empty folder")

    def unmapped(self) -> FrozenStore:
        """Return a reader of the file, whose memory does not grow with what it reads."""
        scanner = LiveView(self.file)
        scanner._mapped = 0
        return scanner

    def _after_fork(self) -> None:
        super()._after_fork()
        INHERITED.append(self._cache)
        self._cache = None
