"""Read one file of recorded calls, of any known format, into the rows of a response cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from stb_env.backend.cache.entry import FAILED_SIMULATION, written_answer
from stb_env.backend.cache.key import RowKey, read_arguments
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.formats.recorded_answer import MAX_LISTED, Notes, RecordedCall
from stb_env.suites.stabletoolbench import cache_folder, mirrorapi_bench
from stb_env.suites.stabletoolbench.answers import calls, is_answer, read_json
from stb_env.suites.stabletoolbench.provenance import FILE as PROVENANCE
from stb_env.suites.stabletoolbench.provenance import Provenance, ProvenanceTable, escaped
from stb_env.tools import ToolId

Kind = Literal["official", "mirrorapi", "answers"]
KINDS: tuple[str, ...] = ("auto", *get_args(Kind))


@dataclass(slots=True)
class ImportReport:
    """Counts and notes of an import.

    Attributes:
        read: Recorded calls.
        added: Calls that the cache did not know, each spelling of their arguments by itself.
        replaced: Calls that it knew with another answer; the last recording of exactly a call wins.
        conflicts: Recordings whose answer differs from an earlier one of exactly that call in this source.
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
        """Return what `include` takes."""
        # Not `asdict`, which makes other Counters of Counters.
        counts = {part.name: getattr(self, part.name) for part in fields(self)}
        return counts | {"notes": {part.name: getattr(self.notes, part.name) for part in fields(Notes)}}

    def include(self, counts: JsonMapping) -> None:
        """Add what another report counted, which may be an earlier process's."""
        _add(self, {name: value for name, value in counts.items() if name != "notes"})
        _add(self.notes, counts["notes"])

    def to_dict(self) -> dict[str, object]:
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


def _add(report: ImportReport | Notes, counts: JsonMapping) -> None:
    for name, value in counts.items():
        known = getattr(report, name)
        if isinstance(known, Counter):
            known.update(value)
        elif isinstance(known, list):
            known.extend(value[: MAX_LISTED - len(known)])
        else:
            setattr(report, name, known + value)


class Reading(NamedTuple):
    """Settings for reading files.

    Attributes:
        kind: One of `KINDS`.
        queries: Query files that name the APIs of answer files; None for those beside or above each.
        origin: What the entries are noted as; None for what an export noted, else the format.
        simulated: Whether the MirrorAPI model's own answers are wanted.
    """

    kind: str
    queries: Path | None
    origin: str | None
    simulated: bool


class RecordingReader:
    """Reads files one after the other.

    Args:
        reading: How.
        report: Counts what was read.
    """

    def __init__(self, reading: Reading, report: ImportReport) -> None:
        self.report = report
        self._reading = reading
        self._index = lru_cache(maxsize=64)(self._make_index)
        self._table = lru_cache(maxsize=4)(self._make_table)

    def rows(self, file: Path) -> Iterator[tuple[RowKey, str]]:
        """Yield keys and stored form of each call in a file, in its order, but for failed simulations."""
        kind = self._reading.kind if self._reading.kind != "auto" else sniff(file)
        if not kind:
            self.report.passed_over += 1
            return
        self.report.by_kind[kind] += 1
        for call in self._calls(file, kind):
            self._count(call)
            answer, origin = call.answer, self._reading.origin
            if origin is None:
                origin = kind if call.origin is None else call.origin
            if answer.error != FAILED_SIMULATION:
                yield written_answer(
                    call.id,
                    call.arguments,
                    answer.response,
                    error=answer.error,
                    source=call.source,
                    origin=origin,
                    model=call.model,
                    prompt=call.prompt,
                    recorded=call.recorded,
                )

    def _calls(self, file: Path, kind: str) -> Iterator[RecordedCall]:
        notes = self.report.notes
        if kind == "official":
            return self._exported(file, cache_folder.read_file(file, notes))
        if kind == "mirrorapi":
            return mirrorapi_bench.read_file(file, notes, simulated=self._reading.simulated)
        return calls.read_file(file, self._index(file.parent), notes)

    def _exported(self, file: Path, calls: Iterator[tuple[str, RecordedCall]]) -> Iterator[RecordedCall]:
        """Yield the calls of a file in the official layout with what an export of ours noted of them."""
        table = self._table(file.parent.parent.parent)
        known: Mapping[str, Provenance] | None = None
        for key, call in calls:
            if known is None:
                known = {} if table is None else self._of(table, call.id)
            noted = known.get(escaped(key)) if known else None
            yield call if noted is None else replace(call, **noted._asdict())

    def _of(self, table: ProvenanceTable, identity: ToolId) -> Mapping[str, Provenance]:
        try:
            return table.of(identity)
        except DataError as error:
            self.report.notes.refuse(table.file, str(error))
            return {}

    def _make_table(self, root: Path) -> ProvenanceTable | None:
        file = root / PROVENANCE
        try:
            return ProvenanceTable(file) if file.is_file() else None
        except DataError as error:
            self.report.notes.refuse(file, str(error))
            return None

    def _count(self, call: RecordedCall) -> None:
        report = self.report
        report.read += 1
        report.by_source[call.source] += 1
        report.cut += call.answer.cut
        report.not_object += isinstance(read_arguments(call.arguments), str)
        report.failed += call.answer.error == FAILED_SIMULATION

    def _make_index(self, folder: Path) -> calls.QueryIndex:
        given = self._reading.queries
        if given is not None:
            return calls.QueryIndex(calls.query_files(given))
        return calls.QueryIndex(calls.nearest_query_files(folder))


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
