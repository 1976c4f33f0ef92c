"""What an import found and did."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields

from stb_env.formats.recorded_answer import MAX_LISTED, Notes
from stb_env.jsontypes import JsonMapping, JsonObject


@dataclass(slots=True)
class ImportReport:
    """What an import found and did.

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


def _add(report: ImportReport | Notes, counts: JsonMapping) -> None:
    for name, value in counts.items():
        known = getattr(report, name)
        if isinstance(known, Counter):
            known.update(value)
        elif isinstance(known, list):
            known.extend(value[: MAX_LISTED - len(known)])
        else:
            setattr(report, name, known + value)
