"""The frozen base of a response cache with the overlay that grows over it, as one sorted mapping."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from shlex import quote
from typing import TypeAlias

from stb_env.backend.cache.redis_overlay import RedisOverlay
from stb_env.backend.store import FILE, FrozenStore, LiveView, Row, TextStore, sweep
from stb_env.core.files import sweep_drafts, write_json
from stb_env.errors import ConfigError, DataError

VERSION = 1
BASE, OVERLAY, MANIFEST = "base", "overlay", "cache.json"


class MemoryStore:
    """An overlay that lives and dies with the process.

    Examples:
        >>> store = MemoryStore()
        >>> store.put_many([("b", "2"), ("a", "1")])
        >>> store.get("a"), [row.key for row in store.rows()], len(store)
        ('1', ['a', 'b'], 2)
    """

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: str) -> str | None:
        """Return the value of a key, or None."""
        return self._values.get(key)

    def rows(self, prefix: str = "", *, group: int = 0, start: str = "") -> Iterator[Row]:
        """Yield every row in order of its key, as `FrozenStore.rows` does."""
        for key in sorted(self._values, key=lambda key: key[: group or None]):
            if key.startswith(prefix) and key >= start:
                yield Row(key, self._values[key], "")

    def add(self, key: str, value: str) -> bool:
        """Store a value where the key has none; say whether it was stored."""
        return self._values.setdefault(key, value) is value

    def put_many(self, items: Iterable[tuple[str, str]]) -> None:
        """Store all items."""
        self._values.update(items)

    def close(self) -> None:
        """Do nothing: there is no handle."""


AnyStore: TypeAlias = FrozenStore | MemoryStore | RedisOverlay


class Layers:
    """Base and overlay of one cache folder; an overlay's row hides the base's.

    Args:
        folder: The cache folder, or None for an overlay alone, in memory where it has no URL.
        read_only: Change nothing on disk; the folder must hold a cache.
        url: Where the overlay is shared (`RedisOverlay`); the folder then gives the base alone.

    Raises:
        ConfigError: Opened for reading, and there is no cache.
        DataError: The folder holds another format or damaged data.
    """

    def __init__(self, folder: Path | None, read_only: bool, url: str | None = None) -> None:
        self.folder = folder
        self.read_only = read_only
        self.base: FrozenStore | None = None
        self.overlay: TextStore | LiveView | MemoryStore | RedisOverlay | None = None
        if url is not None:
            self.overlay = RedisOverlay(url)
        elif folder is None:
            self.overlay = MemoryStore()
        if folder is not None:
            self._find(folder)

    def __len__(self) -> int:
        if self.base is None or self.overlay is None:
            return sum(len(store) for store in (self.base, self.overlay) if store is not None)
        with closing(self.base.unmapped()) as base:
            return len(base) + sum(row.key not in base for row in self.overlay.rows())

    def get(self, key: str) -> str | None:
        """Return the value of a key, or None."""
        value = self.overlay.get(key) if self.overlay is not None else None
        return self.base.get(key) if value is None and self.base is not None else value

    def find_overlay(self) -> None:
        """Open an overlay for writing that there was not when the folder was opened."""
        if self.overlay is None and self.folder is not None and not self.read_only:
            overlay = self.folder / OVERLAY
            if (overlay / FILE).exists():
                self.overlay = TextStore(overlay)

    def rows(self, prefix: str = "") -> Iterator[Row]:
        """Yield every row in order of its key, refused ones included."""
        stores = [store.rows(prefix) for store in (self.overlay, self.base) if store is not None]
        last = None
        for row in heapq.merge(*stores, key=lambda row: row.key):
            if row.key != last:
                yield row
            last = row.key

    def in_order(self, group: int, prefix: str = "", *, start: str = "") -> Iterator[Row]:
        """Yield every row in order of the first characters of its key, and as it was added among equals.

        The base comes first; a row of the overlay that hides one of the base takes its place. Of the
        overlay, the rows of one group are held at a time.

        Args:
            group: How many characters count.
            prefix: Only keys that begin with it.
            start: Without a prefix, only keys from here on.
        """
        stores = [store for store in (self.overlay, self.base) if store is not None]
        if len(stores) == 1:
            yield from stores[0].rows(prefix, group=group, start=start)
            return

        def rows(store: AnyStore) -> Iterator[tuple[str, bool, Row]]:
            below = store is self.base
            return ((row.key[:group], below, row) for row in store.rows(prefix, group=group, start=start))

        for _, found in groupby(heapq.merge(*map(rows, stores), key=itemgetter(0)), key=itemgetter(0)):
            added: dict[str, Row] = {}
            for _, below, row in found:
                if below:
                    yield added.pop(row.key, row)
                else:
                    added[row.key] = row
            yield from added.values()

    @property
    def state(self) -> str:
        """A value that changes with every change of the entries; empty where changes cannot be detected."""
        stores = [store for store in (self.base, self.overlay) if store is not None]
        states = [store.state if isinstance(store, FrozenStore) else "" for store in stores]
        return "\n".join(states) if all(states) else ""

    def put_many(self, items: Iterable[tuple[str, str]]) -> None:
        """Store items in the overlay, in one transaction.

        Raises:
            ConfigError: The cache is open for reading only.
        """
        self._writable().put_many(items)

    def add(self, key: str, value: str) -> bool:
        """Store a value in the overlay where neither layer has the key; say whether it was stored.

        Raises:
            ConfigError: The cache is open for reading only.
        """
        if self.base is not None and self.base.get(key) is not None:
            return False
        return self._writable().add(key, value)

    def _writable(self) -> TextStore | MemoryStore | RedisOverlay:
        if self.read_only:
            raise ConfigError(
                f"the response cache {self.folder} is open for reading only; nothing was stored"
            )
        if self.overlay is None and self.folder is not None:
            self.overlay = TextStore(self.folder / OVERLAY)
            if not (self.folder / MANIFEST).exists():
                write_manifest(self.folder, {})
        if not isinstance(self.overlay, TextStore | MemoryStore | RedisOverlay):
            raise TypeError(f"an overlay for writing expected, got {type(self.overlay).__name__}")
        return self.overlay

    def close(self) -> None:
        """Release the handles; the next use opens new ones."""
        for store in (self.base, self.overlay):
            if store is not None:
                store.close()

    def _find(self, folder: Path) -> None:
        base, overlay = folder / BASE / FILE, folder / OVERLAY / FILE
        manifest = read_manifest(folder)
        if not self.read_only:
            sweep(folder / OVERLAY)
            sweep_drafts(folder / MANIFEST)
        if base.exists():
            self.base = FrozenStore(base)
        if self.overlay is not None:
            if overlay.exists():
                raise ConfigError(
                    f"{folder} has an overlay of its own, which the shared one would hide; make a base"
                    f" of both with `stb-env cache snapshot --cache {quote(str(folder))} --out NEW`"
                )
        elif overlay.exists():
            self.overlay = LiveView(overlay) if self.read_only else TextStore(overlay.parent)
        if self.read_only and manifest is None and self.base is None and self.overlay is None:
            what = "no folder" if not folder.exists() else "no response cache in the folder"
            raise ConfigError(
                f"{what} {folder}; make one with `stb-env cache import SRC --cache {quote(str(folder))}`"
            )


def holds_cache(folder: Path) -> bool:
    """Return whether a folder holds a response cache by now; one that is being made may hold drafts alone."""
    return any((folder / part).exists() for part in (MANIFEST, Path(BASE, FILE), Path(OVERLAY, FILE)))


def read_manifest(folder: Path) -> dict[str, object] | None:
    """Return what the folder says about itself, or None where it says nothing.

    Raises:
        DataError: It is damaged, or of another format version.
    """
    file = folder / MANIFEST
    try:
        data = json.loads(file.read_text())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise DataError(
            f"cannot read {file}: {error}; delete it where the folder's data is known good"
        ) from error
    if not isinstance(data, dict) or data.get("format") != VERSION:
        got = data.get("format") if isinstance(data, dict) else type(data).__name__
        raise DataError(
            f"{file}: cache format {got!r}, expected {VERSION}; import the data again with this version"
        )
    return data


def write_manifest(folder: Path, data: dict[str, object]) -> None:
    """Replace what the folder says about itself, atomically."""
    write_json(folder / MANIFEST, {"format": VERSION} | data)
