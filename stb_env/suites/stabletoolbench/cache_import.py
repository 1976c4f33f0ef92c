"""Read recorded calls of any known format into a response cache."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path

from stb_env.backend.cache.entry import Hit, read_hit
from stb_env.backend.cache.key import RowKey
from stb_env.backend.cache.response_cache import ResponseCache
from stb_env.core.files import write_json
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError, did_you_mean
from stb_env.suites.stabletoolbench.reading_processes import ReadingProcesses, Rows
from stb_env.suites.stabletoolbench.recording_reader import KINDS, ImportReport, Reading, RecordingReader

FILE = "import.json"
_FLUSH = 20_000
_HELD = 2 * _FLUSH
"""Calls that one file may have before they are stored without waiting for its end."""
_MUCH = 32_000_000
"""So many bytes are worth the start of processes that read them."""


class ImportProgress:
    """The files whose calls are stored, and the counts at that point.

    Args:
        folder: The cache folder; None keeps nothing.
        command: What is imported and how; another command begins anew.

    Examples:
        >>> progress = ImportProgress(None, {"source": "answers"})
        >>> progress.resume([])
        (0, None)
    """

    def __init__(self, folder: Path | None, command: Mapping[str, object]) -> None:
        self._file = None if folder is None else folder / FILE
        self._command = command
        self._seen = hashlib.sha256()

    def resume(self, files: Iterable[Path]) -> tuple[int, JsonObject | None]:
        """Return how many of the files, in their order, are done, and the counts at that point.

        Where one of them has changed since, none counts as done.
        """
        noted = self._read()
        if noted.get("command") != self._command:
            return 0, None
        done = int(noted["done"])
        for file in islice(files, done):
            self.add(file)
        if self._seen.hexdigest() == noted["seen"]:
            return done, noted["counts"]
        self._seen = hashlib.sha256()
        return 0, None

    def add(self, file: Path) -> None:
        """Note a file as read."""
        status = file.stat()
        self._seen.update(
            f"{file}\0{status.st_size}\0{status.st_mtime_ns}\n".encode(errors="surrogateescape")
        )

    def save(self, done: int, counts: Mapping[str, object]) -> None:
        """Note that the calls of so many files are stored."""
        if self._file is not None and self._file.parent.is_dir():
            seen = self._seen.hexdigest()
            write_json(self._file, {"command": self._command, "done": done, "seen": seen, "counts": counts})

    def finish(self) -> None:
        """Forget it all: the import is done."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)

    def _read(self) -> JsonObject:
        try:
            data = json.loads(self._file.read_text()) if self._file is not None else {}
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}


def import_source(
    cache: ResponseCache,
    source: Path,
    *,
    kind: str = "auto",
    queries: Path | None = None,
    origin: str | None = None,
    simulated: bool = False,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Add everything that was recorded at a path; doing it again changes nothing.

    Where a process was killed, the same call goes on after the files that it had stored.

    Args:
        cache: Takes the entries.
        source: A file, or a folder that is searched with all its folders.
        kind: The format, or ``auto`` to tell each file's from its content.
        queries: Query files that name the APIs of answer files; by default those beside or above each.
        origin: What the entries are noted as; by default what an export of ours noted, else the format.
        simulated: Whether the MirrorAPI model's own answers are wanted where no real one is known.
        processes: How many read, beside this one, where there is much to read. A script that asks for more
            than one guards its start (``if __name__ == "__main__"``): each of them imports it.
        progress: Told the number of files done and of all.

    Raises:
        ConfigError: There is nothing at the path, no known format in it, or no such kind.
    """
    if kind not in KINDS:
        raise ConfigError(f"no kind {kind!r}; expected one of {', '.join(KINDS)}.{did_you_mean(kind, KINDS)}")
    for path in filter(None, (source, queries)):
        if not path.exists():
            raise ConfigError(
                f"{path} does not exist; name a file or folder of recorded responses and queries"
            )
    reading = Reading(kind, queries, origin, simulated)
    report, pending = ImportReport(), _Pending(cache)
    sizes = [file.stat().st_size for file in _files(source)]
    state = ImportProgress(
        cache.folder,
        {"source": str(source.absolute()), "kind": kind, "origin": origin, "simulated": simulated}
        | {"queries": str(queries), "files": len(sizes)},
    )
    done, counts = state.resume(_files(source))
    if counts is not None:
        report.include(counts)
    left = islice(_files(source), done, None)
    many = processes > 1 and sum(sizes[done:]) > _MUCH
    with closing(_rows(left, reading, report, processes if many else 1)) as found:
        for number, (file, rows) in enumerate(found, done + 1):
            for key, value in rows:
                pending.add(key, value, report)
                pending.flush(report, at_least=_HELD)
            state.add(file)
            if pending.flush(report, at_least=_FLUSH):
                state.save(number, report.counts())
            if progress is not None:
                progress(number, len(sizes))
    pending.flush(report)
    state.finish()
    if not report.by_kind:
        raise ConfigError(
            f"nothing recorded found in {source}: expected <Category>/<tool>_for_<Category>/<api>.json,"
            " MirrorAPI-Bench .jsonl or answer files with a tree or trys"
        )
    return report


def _files(source: Path) -> Iterator[Path]:
    """Yield the files in order of their paths, without holding them all."""
    if not source.is_dir():
        yield source.absolute()
        return
    for part in sorted(os.scandir(source.absolute()), key=lambda part: part.name):
        if part.is_dir(follow_symlinks=False):
            yield from _files(Path(part.path))
        elif part.name.endswith((".json", ".jsonl")) and part.is_file():
            yield Path(part.path)


def _rows(
    files: Iterator[Path], reading: Reading, report: ImportReport, processes: int
) -> Generator[tuple[Path, Rows]]:
    """Yield each file with its rows."""
    if processes > 1:
        yield from ReadingProcesses(processes, reading, report).rows(files)
        return
    reader = RecordingReader(reading, report)
    for file in files:
        yield file, reader.rows(file)


class _Pending:
    """Rows that are read and not yet stored, the last recording of exactly each call."""

    def __init__(self, cache: ResponseCache) -> None:
        self._cache = cache
        self._rows: dict[RowKey, str] = {}

    def add(self, key: RowKey, value: str, report: ImportReport) -> None:
        earlier = self._rows.get(key)
        if earlier is not None:
            known, hit = read_hit(earlier), read_hit(value)
            if _hides(known, hit):
                return
            report.conflicts += known.source == hit.source and known.text != hit.text
        self._rows[key] = value

    def flush(self, report: ImportReport, *, at_least: int = 1) -> bool:
        if len(self._rows) < at_least:
            return False
        rows, self._rows = self._rows, {}
        placing = self._cache.placing()
        for key, value in rows.items():
            place = placing.find(key)
            if self._is_new(place.value, value, report):
                placing.put(place, value)
        self._cache.put_placed(placing)
        return True

    def _is_new(self, stored: str | None, value: str, report: ImportReport) -> bool:
        if stored is None:
            report.added += 1
            return True
        known, hit = read_hit(stored), read_hit(value)
        if _hides(known, hit) or (known.text == hit.text and known.source == hit.source):
            return False
        report.replaced += 1
        return True


def _hides(known: Hit, hit: Hit) -> bool:
    return hit.source == "simulator" and known.source != "simulator"
