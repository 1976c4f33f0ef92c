"""Reading a store's file with sqlite3 alone.

Handles open on first use, survive pickling (the copy opens its own) and are replaced after a fork.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
import weakref
from array import array
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn, Self, TypeAlias

from stb_env.backend.store import disk
from stb_env.backend.store.disk import CHANGED, KNOWN_SETTINGS, RAW, REFUSED
from stb_env.core.checksums import of_row
from stb_env.errors import DataError

_GET = "SELECT mode, expire_time, value, tag FROM Cache WHERE key = ? AND raw = 1"
_ORDER = "SELECT rowid FROM Cache WHERE {} ORDER BY {}"
_ROW = (
    "SELECT raw, typeof(key), CAST(key AS BLOB), mode, expire_time, typeof(value), CAST(value AS BLOB), tag"
    " FROM {} WHERE Cache.rowid = {}"
)
_ONE = _ROW.format("Cache", "?")
# CROSS JOIN is never reordered, so the rows come in the order in which the array names them.
_SEVERAL = _ROW.format("json_each(?) AS wanted CROSS JOIN Cache", "wanted.value")

_AT_ONCE = 64
_SPOOLED = 1 << 20
_ROWID = "q"

SqlRow: TypeAlias = tuple[Any, ...]
"""A row as sqlite3 gives it; its types follow from the query."""


class Row(NamedTuple):
    """One stored row; ``problem`` says why its value was refused, or is empty."""

    key: str
    value: str
    problem: str


class FrozenStore:
    """Read-only view of a diskcache file that nobody writes to.

    Args:
        file: The ``cache.db`` file.

    Raises:
        DataError: On first use: the file is missing, is no such database, or a row is refused.

    Examples:
        >>> from stb_env.backend.store import FILE, TextStore
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with closing(TextStore(folder)) as store:
        ...         store.put("a", "1")
        ...     with closing(FrozenStore(Path(folder) / FILE)) as frozen:
        ...         frozen.get("a"), frozen.get("b"), len(frozen), list(frozen.items())
        ('1', None, 1, [('a', '1')])
    """

    _access = "mode=ro&immutable=1"
    # Look-ups are a third faster where the file is mapped; a pass over all of it would fill the memory.
    _mapped = 2**31 - 1

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(os.path.abspath(file))
        self._con: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        _LIVE.add(self)

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        return type(self), (self.file,)

    def __len__(self) -> int:
        with closing(self.unmapped()) as store:
            return int(store._query("SELECT COUNT(*) FROM Cache", ())[0][0])

    def get(self, key: str) -> str | None:
        """Return the value of a key, or None."""
        try:
            with self._lock:
                row = (self._con or self._open()).execute(_GET, (key,)).fetchone()
        except UnicodeEncodeError:
            return None
        except sqlite3.Error as error:
            self._fail(error)
        if row is None:
            return None
        mode, expires, value, tag = row
        if mode != RAW or expires is not None or type(value) is not str:
            raise DataError(f"the row {key!r} in {self.file} {REFUSED}")
        if type(tag) is int and tag != of_row(key, value):
            raise DataError(f"the row {key!r} in {self.file} {CHANGED}")
        return value

    def __contains__(self, key: str) -> bool:
        return bool(self._query("SELECT 1 FROM Cache WHERE key = ? AND raw = 1", (key,)))

    @property
    def state(self) -> str:
        """A value that changes with every change of the file, which it names."""
        with self.file.open("rb") as file:
            # SQLite's file change counter.
            header, status = file.read(28), os.stat(file.fileno())
        return f"{self.file} {status.st_size} {status.st_mtime_ns} {header[24:].hex()}"

    def rows(self, prefix: str = "", *, group: int = 0, start: str = "") -> Iterator[Row]:
        """Yield every row in order of its key, refused ones included; no lock is held in between.

        Args:
            prefix: Only keys that begin with it; where not empty, it ends in an ASCII character.
            group: Only the first so many characters of a key count for the order, and keys that share them
                come as they were added; a replaced value keeps its place. 0 for the whole key.
            start: Without a prefix, only keys from here on.
        """
        where, order = "1", f"substr(key, 1, {group:d}), rowid" if group else "key, raw"
        if prefix:
            where = "raw = 1 AND key >= ? AND key < ?"
            yield from self._in_order(_ORDER.format(where, order), _range(prefix))
            return
        if start:
            where = "key >= ?"
        with closing(self.unmapped()) as scanner:
            yield from scanner._in_order(_ORDER.format(where, order), (start,) if start else ())

    def structure(self) -> list[str]:
        """Return what is wrong with the file's tables and indexes, so that a row may not be found."""
        with closing(self.unmapped()) as scanner:
            return [
                str(found) for (found,) in scanner._query("PRAGMA integrity_check(10)", ()) if found != "ok"
            ]

    def items(self, prefix: str = "") -> Iterator[tuple[str, str]]:
        """Yield (key, value) in order of the keys.

        Raises:
            DataError: A row is refused.
        """
        for key, value, problem in self.rows(prefix):
            if problem:
                wrong = problem if problem == CHANGED else f"{REFUSED} ({problem})"
                raise DataError(f"the row {key!r} in {self.file} {wrong}")
            yield key, value

    def close(self) -> None:
        """Release the handle; the next use opens a new one."""
        with self._lock:
            con, self._con = self._con, None
        if con is not None:
            con.close()

    def _query(self, sql: str, arguments: tuple[object, ...]) -> list[SqlRow]:
        try:
            with self._lock:
                return (self._con or self._open()).execute(sql, arguments).fetchall()
        except sqlite3.Error as error:
            self._fail(error)

    def unmapped(self) -> FrozenStore:
        """Return another reader of the file, whose memory does not grow with what it reads."""
        scanner = type(self)(self.file)
        scanner._mapped = 0
        return scanner

    def _in_order(self, sql: str, arguments: tuple[str, ...]) -> Iterator[Row]:
        # However many rows there are, the memory that their order takes is the same.
        with tempfile.SpooledTemporaryFile(_SPOOLED) as spool:
            self._write_order(spool, sql, arguments)
            spool.seek(0)
            while part := spool.read(_AT_ONCE * array(_ROWID).itemsize):
                yield from self._read(array(_ROWID, part))

    def _write_order(self, spool: IO[bytes], sql: str, arguments: tuple[object, ...]) -> None:
        try:
            with self._lock, closing((self._con or self._open()).execute(sql, arguments)) as found:
                while part := found.fetchmany(_SPOOLED // 64):
                    spool.write(array(_ROWID, (rowid for (rowid,) in part)).tobytes())
        except sqlite3.Error as error:
            self._fail(error)

    def _read(self, rowids: array[int]) -> Iterator[Row]:
        try:
            found = self._query(_SEVERAL, (str(rowids.tolist()),))
        except DataError:
            for rowid in rowids:
                yield from self._read_one(rowid)
        else:
            yield from map(_row, found)

    def _read_one(self, rowid: int) -> list[Row]:
        try:
            return [_row(row) for row in self._query(_ONE, (rowid,))]
        except DataError as error:
            return [Row(f"row {rowid}", "", str(error))]

    def _open(self) -> sqlite3.Connection:
        con = self._connect(self.file)
        try:
            _check(con, self.file)
        except BaseException:
            con.close()
            raise
        self._con = con
        return con

    def _connect(self, file: Path) -> sqlite3.Connection:
        con = sqlite3.connect(
            f"{file.as_uri()}?{self._access}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=disk.BUSY_SECONDS,
        )
        con.execute(f"PRAGMA mmap_size = {self._mapped}")
        return con

    def _fail(self, error: Exception) -> NoReturn:
        raise DataError(
            f"cannot read {self.file}: {error}; expected a response cache file, whole and readable;"
            " restore it or import into a new folder"
        ) from error

    def _after_fork(self) -> None:
        # Closing an inherited handle could roll back what the parent is writing, so it is kept for good.
        INHERITED.append(self._con)
        self._con = None
        self._lock = threading.Lock()


class LiveView(FrozenStore):
    """Read-only view of a file that others may be writing to; changes nothing on disk either."""

    _access = "mode=ro"

    def _open(self) -> sqlite3.Connection:
        try:
            return super()._open()
        except sqlite3.OperationalError:
            journal = self.file.with_name(self.file.name + "-journal")
            if not journal.exists():
                raise
            return self._open_recovered(journal)

    def _open_recovered(self, journal: Path) -> sqlite3.Connection:
        # A writer was killed half-way, and undoing its last transaction is a write: done on a copy.
        memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(shutil.copy(self.file, folder))
            shutil.copy(journal, folder)
            with closing(sqlite3.connect(copy)) as con:
                con.backup(memory)
        self._con = memory
        return memory


def _check(con: sqlite3.Connection, file: Path) -> None:
    """Refuse settings that are not diskcache's own: it would set them as attributes and pragmas."""
    for key, value in con.execute("SELECT key, value FROM Settings"):
        known = key in KNOWN_SETTINGS and type(value) in (int, str)
        if not known or (key == "count" and type(value) is not int):
            row = f"{str(key)[:80]!r} = {str(value)[:80]!r}"
            raise DataError(f"damaged settings row {row} in {file}; restore it or import into a new folder")
    con.execute(_GET, ("",))


def _range(prefix: str) -> tuple[str, str]:
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _row(row: SqlRow) -> Row:
    raw, key_type, key, mode, expires, value_type, value, tag = row
    if not raw or key_type != "text":
        return Row(repr(key), "", "its key is not plain text")
    try:
        name, text = key.decode(), value.decode() if value_type == "text" else ""
    except UnicodeDecodeError:
        return Row(repr(key), "", "not UTF-8")
    if mode != RAW or value_type != "text":
        return Row(name, "", "its value is not plain text")
    if type(tag) is int and tag != of_row(name, text):
        return Row(name, text, CHANGED)
    return Row(name, text, "it expires" if expires is not None else "")


_LIVE: weakref.WeakSet[FrozenStore] = weakref.WeakSet()
INHERITED: list[object] = []


def _after_fork() -> None:
    for store in list(_LIVE):
        store._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
