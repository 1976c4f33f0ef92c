"""A store that is made in one go, of any number of entries, and goes on where a killed process stopped."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from stb_env.backend.store import disk
from stb_env.backend.store.disk import FILE, open_diskcache
from stb_env.errors import DataError, StorageError

_MARK = "filled_up_to"


class Filling:
    """A store without index and triggers, which are made at its end: that is several times as fast.

    Until `finish`, no reader takes the file for a store. One process at a time may fill it.

    Args:
        folder: Where it lies; made where it is missing.

    Raises:
        StorageError: The system refuses.
        DataError: What lies there is damaged.

    Attributes:
        mark: What was given with the last items, or empty.
        count: Number of items.
        finished: Whether it is a store already; an empty one counts as none.

    Examples:
        >>> import tempfile
        >>> from contextlib import closing
        >>> from pathlib import Path
        >>> from stb_env.backend.store import TextStore
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with closing(Filling(Path(folder) / "new")) as filling:
        ...         filling.put_many([("b", "1"), ("a", "2")], "up to a")
        ...     with closing(Filling(Path(folder) / "new")) as again:
        ...         again.mark, again.count
        ...         again.finish()
        ...     with closing(TextStore(Path(folder) / "new")) as store:
        ...         store.get("a"), len(store)
        ('up to a', 2)
        ('2', 2)
    """

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self.mark, self.count, self.finished = "", 0, False
        try:
            if not _has_rows(self.file):
                # New, or left half made by a kill or a full disk: diskcache makes whatever it misses.
                open_diskcache(folder).close()
        except sqlite3.OperationalError as error:
            raise self._refused(error) from error
        except sqlite3.Error as error:
            raise DataError(f"cannot go on with {self.file}: {error}; delete its folder") from error
        self._con = sqlite3.connect(self.file, isolation_level=None)
        try:
            self._prepare()
        except sqlite3.Error as error:
            self._con.close()
            raise DataError(f"cannot go on with {self.file}: {error}; delete its folder") from error

    def put_many(self, items: Iterable[tuple[str, str]], mark: str) -> None:
        """Add items, none of which is there yet, and set the mark, in one transaction.

        Raises:
            DataError: A key or value is no text that UTF-8 can encode, or the store is finished.
            StorageError: The system refuses; what was added before stays.
        """
        if self.finished:
            raise DataError(f"{self.file} is a finished store; nothing can be filled into it")
        rows = [disk.row(key, value) for key, value in items]
        try:
            self._con.execute("BEGIN IMMEDIATE")
            with self._con:
                self._con.executemany(disk.ADD, rows)
                self._con.execute("INSERT OR REPLACE INTO Settings VALUES (?, ?)", (_MARK, mark))
        except sqlite3.Error as error:
            raise self._refused(error) from error
        self.mark, self.count = mark, self.count + len(rows)

    def finish(self) -> None:
        """Make it a store.

        Raises:
            StorageError: The system refuses.
            DataError: A key was added twice.
        """
        try:
            # diskcache makes whatever it misses.
            open_diskcache(self.file.parent).close()
            self._con.execute("BEGIN IMMEDIATE")
            with self._con:
                self._con.execute("UPDATE Settings SET value = ? WHERE key = 'count'", (self.count,))
                self._con.execute("DELETE FROM Settings WHERE key = ?", (_MARK,))
            self.finished = True
        except sqlite3.IntegrityError as error:
            raise DataError(f"a key is twice in {self.file}: {error}") from error
        except sqlite3.Error as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Release the handle; what was added stays."""
        self._con.close()

    def _prepare(self) -> None:
        found = self._con.execute("SELECT value FROM Settings WHERE key = ?", (_MARK,)).fetchone()
        # Nothing is ever deleted here, so that the last row's number is the number of rows.
        ((last,),) = self._con.execute("SELECT MAX(rowid) FROM Cache")
        self.count = int(last or 0)
        self.finished = found is None and self.count > 0
        if self.finished:
            return
        self.mark = "" if found is None else str(found[0])
        self._con.execute("BEGIN IMMEDIATE")
        with self._con:
            made = self._con.execute(
                "SELECT type, name FROM sqlite_master WHERE tbl_name = 'Cache' AND sql IS NOT NULL"
                " AND type IN ('index', 'trigger')"
            )
            for kind, name in made.fetchall():
                self._con.execute(f'DROP {kind} "{name}"')
            self._con.execute("INSERT OR REPLACE INTO Settings VALUES (?, ?)", (_MARK, self.mark))

    def _refused(self, error: sqlite3.Error) -> StorageError:
        return StorageError(f"cannot write {self.file}: {error}; free space, and the same command goes on")


def _has_rows(file: Path) -> bool:
    if not file.exists():
        return False
    with closing(sqlite3.connect(file)) as con:
        if con.execute("SELECT name FROM sqlite_master WHERE name = 'Cache'").fetchone() is None:
            return False
        return con.execute("SELECT 1 FROM Cache LIMIT 1").fetchone() is not None
