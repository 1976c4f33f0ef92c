"""Passes over all entries of a cache: how far one has come, and where the same one goes on after a kill."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import platformdirs

from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.cache.key import PREFIX
from stb_env.backend.cache.layers import Layers
from stb_env.backend.store import Row
from stb_env.core.files import write_text
from stb_env.core.jsontypes import Json
from stb_env.errors import DataError, StorageError

BATCH = 1000
EVERY = 5.0
"""Seconds between two marks; a pass that takes less leaves none."""

Progress = Callable[[int], None]
"""Told the number of rows that a pass has come to."""


class Report(Protocol):
    """Counts of a pass."""

    def to_dict(self) -> dict[str, object]:
        """Return the counts."""

    def restore(self, data: Mapping[str, object]) -> None:
        """Go on from the counts of `to_dict`."""


@dataclass(slots=True)
class Position:
    """Position of a pass in the order of recording.

    Attributes:
        api: What the keys of the API begin with that it is at.
        read: How many rows of that API it has read.
        total: How many rows it has read.
    """

    api: str = ""
    read: int = 0
    total: int = 0

    def rows(self, layers: Layers, progress: Progress | None) -> Iterator[Row]:
        """Yield the rows from here on, moving along."""
        rows = islice(layers.in_order(PREFIX, start=self.api), self.read, None)
        for row in counted(rows, progress, self.total):
            if row.key[:PREFIX] != self.api:
                self.api, self.read = row.key[:PREFIX], 0
            self.read, self.total = self.read + 1, self.total + 1
            yield row


class Checkpoint:
    """Progress of a pass that only reads, in the user's cache folder until its block ends well.

    What cannot be noted there is no reason to stop: the pass then begins anew after a kill.

    Args:
        work: Which pass.
        state: `Layers.state` of what it reads; where that is empty or has changed since, nothing is known.

    Attributes:
        mark: What was noted last, or None.

    Examples:
        >>> with Checkpoint("stats", "") as checkpoint:
        ...     checkpoint.mark is None, checkpoint.due
        (True, False)
    """

    def __init__(self, work: str, state: str) -> None:
        # One file a pass and cache: what was noted of its earlier states is written over.
        places = "\n".join(line.rsplit(" ", 3)[0] for line in state.splitlines())
        name = hashlib.sha256(f"{work}\n{places}".encode(errors="surrogateescape")).hexdigest()[:32]
        folder = platformdirs.user_cache_path("stb_env", appauthor=False) / "passes"
        self._file = folder / f"{name}.json" if state else None
        self._made_from = hashlib.sha256(f"{work}\n{state}".encode(errors="surrogateescape")).hexdigest()
        self.mark = self._read()
        self._noted = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)

    @property
    def due(self) -> bool:
        """True if it is time to save the position."""
        return self._file is not None and time.monotonic() - self._noted >= EVERY

    def note(self, mark: object) -> None:
        """Note where the pass is."""
        if self._file is not None:
            with suppress(OSError, StorageError):
                self._file.parent.mkdir(parents=True, exist_ok=True)
                write_text(self._file, json.dumps([self._made_from, mark]))
        self._noted = time.monotonic()

    def _read(self) -> Json:
        try:
            made_from, mark = json.loads(self._file.read_text()) if self._file is not None else ("", None)
        except (OSError, ValueError, TypeError):
            return None
        return mark if made_from == self._made_from else None


def resumed(
    layers: Layers, report: Report, checkpoint: Checkpoint, progress: Progress | None
) -> Iterator[tuple[str, CacheEntry]]:
    """Yield the row keys and entries that a report has yet to count, each counted before the next."""
    position = Position()
    if checkpoint.mark is not None:
        place, counts = checkpoint.mark
        position = Position(*place)
        report.restore(counts)
    for row in position.rows(layers, progress):
        yield row.key, checked(row, layers.folder)
        if not position.total % BATCH and checkpoint.due:
            checkpoint.note([astuple(position), report.to_dict()])


def checked(row: Row, folder: Path | None) -> CacheEntry:
    """Return the entry of a row.

    Raises:
        DataError: The row is damaged or refused.
    """
    if row.problem:
        raise DataError(f"row {row.key!r} of {folder}: {row.problem}; see `stb-env cache verify`")
    return CacheEntry.read(row.value)


def counted(rows: Iterable[Row], progress: Progress | None, done: int = 0) -> Iterator[Row]:
    """Yield rows, telling now and then how many there were, ``done`` included."""
    for done, row in enumerate(rows, done + 1):  # noqa: B020 (goes on from there)
        yield row
        if progress is not None and not done % BATCH:
            progress(done)
    if progress is not None:
        progress(done)
