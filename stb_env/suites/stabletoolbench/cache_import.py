"""Reading recorded calls of any known format into a response cache."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from stb_env import jsontext
from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.cache.response_cache import ResponseCache
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.formats.recorded_answer import Notes, RecordedCall
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.suites.stabletoolbench import cache_folder, mirrorapi_bench
from stb_env.suites.stabletoolbench.answers import calls, is_answer, read_json
from stb_env.suites.stabletoolbench.import_progress import ImportProgress

Kind = Literal["official", "mirrorapi", "answers"]
KINDS: tuple[str, ...] = ("auto", *get_args(Kind))

_FLUSH = 20_000
_HELD = 2 * _FLUSH
"""Calls that one file may have before they are stored without waiting for its end."""


@dataclass(slots=True)
class ImportReport:
    """What an import found and did.

    Attributes:
        read: Recorded calls.
        added: Calls that the cache did not know.
        replaced: Calls that it knew with another answer; the last recording of a call wins.
        conflicts: Recordings whose answer differs from an earlier one of the same call in this source.
        failed: Placeholders of failed simulations, never stored.
        cut: Answers that were cut or damaged; what was left of them is stored.
        not_object: Calls whose arguments are no object, keyed by their text.
        by_source: Recorded calls by who answered.
        by_kind: Files by format.
        passed_over: JSON files of no known format.
        notes: What could not be read or resolved.
    """

    read: int = 0
    added: int = 0
    replaced: int = 0
    conflicts: int = 0
    failed: int = 0
    cut: int = 0
    not_object: int = 0
    by_source: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[str] = field(default_factory=Counter)
    passed_over: int = 0
    notes: Notes = field(default_factory=Notes)

    def counts(self) -> JsonObject:
        """Return what `restore` takes."""
        # Not `asdict`, which makes other Counters of Counters.
        counts = {part.name: getattr(self, part.name) for part in fields(self)}
        return counts | {"notes": {part.name: getattr(self.notes, part.name) for part in fields(Notes)}}

    def restore(self, data: JsonMapping) -> None:
        """Go on from the counts of an earlier process."""
        for name, value in data.items():
            if name == "notes":
                for part, noted in value.items():
                    setattr(self.notes, part, Counter(noted) if part == "unresolved" else noted)
            else:
                setattr(self, name, Counter(value) if isinstance(value, dict) else value)

    def to_dict(self) -> JsonObject:
        """Return the report as plain data."""
        notes = self.notes
        return {
            "entries_read": self.read,
            "entries_added": self.added,
            "entries_replaced": self.replaced,
            "conflicts": self.conflicts,
            "failed_simulations": self.failed,
            "cut": self.cut + notes.cut_dropped,
            "cut_dropped": notes.cut_dropped,
            "not_object": self.not_object,
            "unresolved": notes.unresolved.total(),
            "unresolved_names": dict(sorted(notes.unresolved.items())),
            "unreadable_total": notes.unreadable_total,
            "unreadable": list(notes.unreadable),
            "by_source": dict(sorted(self.by_source.items())),
            "files": dict(sorted(self.by_kind.items())),
            "passed_over": self.passed_over,
        }


def import_source(
    cache: ResponseCache,
    source: Path,
    *,
    kind: str = "auto",
    queries: Path | None = None,
    origin: str | None = None,
    simulated: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ImportReport:
    """Add everything that was recorded at a path; doing it again changes nothing.

    Where a process was killed, the same call goes on after the files that it had stored.

    Args:
        cache: Takes the entries.
        source: A file, or a folder that is searched with all its folders.
        kind: The format, or ``auto`` to tell each file's from its content.
        queries: Query files that name the APIs of answer files; by default those beside or above each.
        origin: What the entries are noted as; by default the format.
        simulated: Whether the MirrorAPI model's own answers are wanted where no real one is known.
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
    reader = _Reader(queries, simulated)
    report, pending = ImportReport(notes=reader.notes), _Pending(cache)
    total = sum(1 for _ in _files(source))
    state = ImportProgress(
        cache.folder,
        {"source": str(source.absolute()), "kind": kind, "origin": origin, "simulated": simulated}
        | {"queries": str(queries), "files": total},
    )
    done, counts = state.resume(_files(source))
    if counts is not None:
        report.restore(counts)
    for number, file in enumerate(islice(_files(source), done, None), done + 1):
        found = kind if kind != "auto" else sniff(file)
        if found:
            report.by_kind[found] += 1
            for call in reader.read(file, found):
                pending.add(call, found if origin is None else origin, report)
                pending.flush(report, at_least=_HELD)
        else:
            report.passed_over += 1
        state.add(file)
        if pending.flush(report, at_least=_FLUSH):
            state.save(number, report.counts())
        if progress is not None:
            progress(number, total)
    pending.flush(report)
    state.finish()
    if not report.by_kind:
        raise ConfigError(
            f"nothing recorded found in {source}: expected <Category>/<tool>_for_<Category>/<api>.json,"
            " MirrorAPI-Bench .jsonl or answer files with a tree or trys"
        )
    return report


def sniff(file: Path) -> Kind | None:
    """Return the format of a file, or None where it is none that records calls."""
    if cache_folder.is_cache_file(file):
        return "official"
    try:
        if file.suffix == ".jsonl":
            with file.open(encoding="utf-8") as lines:
                return "mirrorapi" if mirrorapi_bench.is_record(jsontext.loads(lines.readline())) else None
        return "answers" if is_answer(read_json(file)) else None
    except (OSError, ValueError, DataError):
        return None


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


class _Reader:
    """Reads one file of a known format."""

    def __init__(self, queries: Path | None, simulated: bool) -> None:
        self.notes = Notes()
        self._simulated = simulated
        self._given = queries
        self._index = lru_cache(maxsize=64)(self._make_index)

    def read(self, file: Path, kind: str) -> Iterator[RecordedCall]:
        if kind == "official":
            return cache_folder.read_file(file, self.notes)
        if kind == "mirrorapi":
            return mirrorapi_bench.read_file(file, self.notes, simulated=self._simulated)
        return calls.read_file(file, self._index(file.parent), self.notes)

    def _make_index(self, folder: Path) -> calls.QueryIndex:
        if self._given is not None:
            return calls.QueryIndex(calls.query_files(self._given))
        return calls.QueryIndex(calls.nearest_query_files(folder))


class _Pending:
    """Entries that are read and not yet stored, the last recording of each call."""

    def __init__(self, cache: ResponseCache) -> None:
        self._cache = cache
        self._entries: dict[str, CacheEntry] = {}

    def add(self, call: RecordedCall, origin: str, report: ImportReport) -> None:
        answer = call.answer
        entry = CacheEntry.of(
            call.id,
            call.arguments,
            answer.response,
            error=answer.error,
            source=call.source,
            origin=origin,
        )
        report.read += 1
        report.by_source[call.source] += 1
        report.cut += answer.cut
        report.not_object += isinstance(entry.arguments, str)
        if entry.failed_simulation:
            report.failed += 1
            return
        key = entry.key
        earlier = self._entries.get(key)
        if earlier is not None and _hides(earlier, entry):
            return
        report.conflicts += (
            earlier is not None and earlier.source == entry.source and earlier.text != entry.text
        )
        self._entries[key] = entry

    def flush(self, report: ImportReport, *, at_least: int = 1) -> bool:
        if len(self._entries) < at_least:
            return False
        entries, self._entries = self._entries, {}
        self._cache.put_many([item for item in entries.items() if self._is_new(*item, report)])
        return True

    def _is_new(self, key: str, entry: CacheEntry, report: ImportReport) -> bool:
        known = self._cache.entry(key)
        if known is None:
            report.added += 1
            return True
        if _hides(known, entry) or (known.text == entry.text and known.source == entry.source):
            return False
        report.replaced += 1
        return True


def _hides(known: CacheEntry, entry: CacheEntry) -> bool:
    return entry.source == "simulator" and known.source != "simulator"
