"""Text to text key-value stores on diskcache's file format, without pickle in either direction.

`TextStore` writes through diskcache and may be shared by many processes. `FrozenStore` reads the same
file without a lock, without diskcache and without changing one byte; it assumes that nobody writes to
the file while it is open. Both refuse rows that are not plain text instead of loading them, because
diskcache would unpickle them, which runs whatever code the file's author chose.

Handles open on first use, survive pickling (the copy opens its own) and are replaced after a fork.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

import diskcache

from stb_env.errors import BackendError, ConfigError, DataError

T = TypeVar("T")

FILE = "cache.db"
BUSY_SECONDS = 60.0

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
_KNOWN_SETTINGS = frozenset(diskcache.DEFAULT_SETTINGS) | {"count", "size", "hits", "misses"}
_RAW = 1

_GET = "SELECT mode, expire_time, value FROM Cache WHERE key = ? AND raw = 1"
_ORDER = "SELECT rowid FROM Cache WHERE {} ORDER BY key, raw"
_ROW = (
    "SELECT raw, typeof(key), CAST(key AS BLOB), mode, expire_time, typeof(value), CAST(value AS BLOB)"
    " FROM Cache WHERE rowid = ?"
)
_REFUSED = "is not plain text and may be a pickle: refused; `stb-env cache verify` lists such rows"


class Row(NamedTuple):
    """One stored row; ``problem`` says why its value was refused, or is empty."""

    key: str
    value: str
    problem: str


class TextDisk(diskcache.Disk):
    """The serialiser that diskcache writes and reads with: text, inline, or a `DataError`."""

    def put(self, key: Any) -> tuple[str, bool]:
        """Return the database form of a key."""
        return _text(key, "key"), True

    def get(self, key: Any, raw: Any) -> str:
        """Return the key of a database row."""
        if not raw or type(key) is not str:
            raise DataError(f"a key in {self._directory} {_REFUSED}")
        return key

    def store(self, value: Any, read: bool, key: Any = None) -> tuple[int, int, None, str]:
        """Return the database form of a value."""
        if read:
            raise DataError(f"this store takes text, got a file for key {key!r}")
        return 0, _RAW, None, _text(value, "value")

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> str:
        """Return the value of a database row."""
        if read or mode != _RAW or filename is not None or type(value) is not str:
            raise DataError(f"a value in {self._directory} {_REFUSED}")
        return value


def _text(value: Any, what: str) -> str:
    if type(value) is not str:
        raise DataError(f"this store takes text, got a {what} of type {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a {what} cannot be stored as UTF-8 ({error.reason}); escape it first") from None
    return value


class FrozenStore:
    """Read-only view of a diskcache file that nobody writes to.

    Args:
        file: The ``cache.db`` file.

    Raises:
        DataError: On first use: the file is missing, is no such database, or a row is refused.

    Examples:
        >>> folder = tempfile.mkdtemp()
        >>> with closing(TextStore(folder)) as store:
        ...     store.put("a", "1")
        >>> frozen = FrozenStore(Path(folder) / FILE)
        >>> frozen.get("a"), frozen.get("b"), len(frozen), list(frozen.items())
        ('1', None, 1, [('a', '1')])
    """

    _access = "mode=ro&immutable=1"

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(os.path.abspath(file))
        self._con: sqlite3.Connection | None = None
        self._lock = threading.Lock()
        _LIVE.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file,)

    def __len__(self) -> int:
        return int(self._query("SELECT COUNT(*) FROM Cache", ())[0][0])

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
        mode, expires, value = row
        if mode != _RAW or expires is not None or type(value) is not str:
            raise DataError(f"the row {key!r} in {self.file} {_REFUSED}")
        return value

    def rows(self, prefix: str = "") -> Iterator[Row]:
        """Yield every row in order of its key, refused ones included; no lock is held in between.

        Args:
            prefix: Only keys that begin with it; where not empty, it ends in an ASCII character.
        """
        where, bounds = ("raw = 1 AND key >= ? AND key < ?", _range(prefix)) if prefix else ("1", ())
        for (rowid,) in self._query(_ORDER.format(where), bounds):
            try:
                found = self._query(_ROW, (rowid,))
            except DataError as error:
                yield Row(f"row {rowid}", "", str(error))
            else:
                yield from map(_row, found)

    def items(self, prefix: str = "") -> Iterator[tuple[str, str]]:
        """Yield (key, value) in order of the keys.

        Raises:
            DataError: A row is refused.
        """
        for key, value, problem in self.rows(prefix):
            if problem:
                raise DataError(f"the row {key!r} in {self.file} {_REFUSED} ({problem})")
            yield key, value

    def close(self) -> None:
        """Release the handle; the next use opens a new one."""
        with self._lock:
            con, self._con = self._con, None
        if con is not None:
            con.close()

    def _query(self, sql: str, arguments: tuple[Any, ...]) -> list[Any]:
        try:
            with self._lock:
                return (self._con or self._open()).execute(sql, arguments).fetchall()
        except sqlite3.Error as error:
            self._fail(error)

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
            timeout=BUSY_SECONDS,
        )
        con.execute(f"PRAGMA mmap_size = {2**31 - 1}")
        return con

    def _fail(self, error: Exception) -> NoReturn:
        raise DataError(
            f"cannot read {self.file}: {error}; expected a response cache file, whole and readable;"
            " restore it or import into a new folder"
        ) from error

    def _after_fork(self) -> None:
        # Closing an inherited handle could roll back what the parent is writing, so it is kept for good.
        _INHERITED.append(self._con)
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


class TextStore(FrozenStore):
    """A store that any number of threads and processes may write to; nothing is ever evicted.

    An entry whose `put` has returned survives a crash of the process and of the machine.

    Args:
        folder: Where the data lies; made where it is missing.

    Raises:
        DataError: The data is damaged.
        ConfigError: The folder cannot be made, or holds something else.

    Examples:
        >>> store = TextStore(tempfile.mkdtemp())
        >>> store.put("a", "1")
        >>> store.put_many([("a", "2"), ("b", "3")])
        >>> list(store.items()), len(store)
        ([('a', '2'), ('b', '3')], 2)
        >>> store.put("c", 4)
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: this store takes text, got a value of type int
        >>> store.close()
    """

    _access = "mode=rw"

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__(Path(folder) / FILE)
        self._cache: Any = None
        if os.path.expandvars(self.file) != str(self.file):
            raise ConfigError(
                f"{str(folder)!r}: diskcache would expand the variable; choose a name without $"
            )
        if not self.file.exists():
            self._create()
        self._query("SELECT 1", ())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.file.parent,)

    def put(self, key: str, value: str) -> None:
        """Store a value under a key, replacing any other.

        Raises:
            DataError: Key or value is no text that UTF-8 can encode.
            BackendError: The store stayed locked, or cannot be written.
        """
        self._write(lambda cache: cache.set(key, value))

    def put_many(self, items: Iterable[tuple[str, str]]) -> None:
        """Store all items in one transaction: all of them, or none where it fails."""

        def write(cache: Any) -> None:
            with cache.transact():
                for key, value in items:
                    cache.set(key, value)

        self._write(write)

    def close(self) -> None:
        """Release the handles; the next use opens new ones."""
        super().close()
        cache, self._cache = self._cache, None
        if cache is not None:
            cache.close()

    def _write(self, write: Callable[[Any], T]) -> T:
        try:
            return write(self._writer())
        except (diskcache.Timeout, sqlite3.OperationalError) as error:
            why = str(error) or f"locked for more than {BUSY_SECONDS:.0f} s, or read-only"
            problem = f"cannot write to {self.file}: {why}"
            raise BackendError(problem, stage="cache", retryable=True) from error
        except sqlite3.DatabaseError as error:
            self._fail(error)

    def _writer(self) -> Any:
        with self._lock:
            if self._cache is None:
                try:
                    self._cache = _open_diskcache(self.file.parent)
                except sqlite3.Error as error:
                    self._fail(error)
            return self._cache

    def _create(self) -> None:
        # Made aside and renamed, so that no other process ever opens a half-made database.
        folder = self.file.parent
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as aside:
                made = Path(aside) / "store"
                _open_diskcache(made).close()
                with suppress(OSError):
                    made.rename(folder)
        except OSError as error:
            raise ConfigError(f"cannot make the cache folder {folder}: {error}") from error
        if not self.file.exists():
            raise ConfigError(f"{folder} holds other files and no {FILE}; name a new or empty folder")

    def _after_fork(self) -> None:
        super()._after_fork()
        _INHERITED.append(self._cache)
        self._cache = None


def _open_diskcache(folder: Path) -> Any:
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return diskcache.Cache(str(folder), timeout=BUSY_SECONDS, disk=TextDisk, **_SETTINGS)
        except sqlite3.OperationalError as error:
            # diskcache sets the file up anew at each opening and does not wait for its neighbours there.
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.005)


def _check(con: sqlite3.Connection, file: Path) -> None:
    """Refuse settings that are not diskcache's own: it would set them as attributes and pragmas."""
    for key, value in con.execute("SELECT key, value FROM Settings"):
        known = key in _KNOWN_SETTINGS and type(value) in (int, str)
        if not known or (key == "count" and type(value) is not int):
            row = f"{str(key)[:80]!r} = {str(value)[:80]!r}"
            raise DataError(f"damaged settings row {row} in {file}; restore it or import into a new folder")
    con.execute(_GET, ("",))


def _range(prefix: str) -> tuple[str, str]:
    return prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _row(row: tuple[Any, ...]) -> Row:
    raw, key_type, key, mode, expires, value_type, value = row
    try:
        name = (key or b"").decode()
        text = (value or b"").decode()
    except UnicodeDecodeError:
        return Row(repr(key), "", "not UTF-8")
    if not raw or key_type != "text":
        return Row(repr(key), "", "its key is not plain text")
    if mode != _RAW or value_type != "text":
        return Row(name, "", "its value is not plain text")
    return Row(name, text, "it expires" if expires is not None else "")


_LIVE: weakref.WeakSet[FrozenStore] = weakref.WeakSet()
_INHERITED: list[Any] = []


def _after_fork() -> None:
    for store in list(_LIVE):
        store._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
