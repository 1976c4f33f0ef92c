"""Reports of cache operations: statistics, integrity, filtering and merging."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from stb_env.backend.cache.entry import CacheEntry, read_hit
from stb_env.backend.cache.key import CANONICAL
from stb_env.backend.cache.recording_rows import Placing
from stb_env.backend.store import Row
from stb_env.backend.taxonomy import ApiClass, Taxonomy, classify
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError

MAX_LISTED = 1000

_COUNTED = ("category", "source", "origin", "class", "key")


@dataclass(slots=True)
class StatsReport:
    """Entries by category, source, origin, class and key; those of one API must come together.

    Attributes:
        entries: Number of all.
        apis: Number of their APIs.
        close_calls: Answers that match more than one error class of Appendix D.
        by: Counts by what is counted.
        last: The API of the last entry.

    Examples:
        >>> StatsReport().summary()["entries"]
        0
    """

    entries: int = 0
    apis: int = 0
    close_calls: int = 0
    by: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in _COUNTED})
    last: tuple[str, ...] = ()

    def count(self, key: str, entry: CacheEntry) -> None:
        """Count one entry, which lies under a row's key."""
        self.entries += 1
        self.apis += entry.id != self.last
        self.last = entry.id
        found = entry.classes
        self.close_calls += len(found) > 1
        kind = "canonical" if len(key) == CANONICAL else "exact"
        values = (entry.id.category, entry.source, entry.origin, found[0].value, kind)
        for name, value in zip(_COUNTED, values, strict=True):
            self.by[name][value] += 1

    def restore(self, data: JsonMapping) -> None:
        """Go on from the counts of `to_dict`."""
        self.entries, self.apis, self.close_calls = (
            data[name] for name in ("entries", "apis", "close_calls")
        )
        self.by = {name: Counter(data[f"by_{name}"]) for name in _COUNTED}
        self.last = tuple(data["last"])

    def summary(self) -> JsonObject:
        """Return the counts alone."""
        counts = {f"by_{name}": dict(sorted(counter.items())) for name, counter in self.by.items()}
        totals = {"entries": self.entries, "apis": self.apis, "close_calls": self.close_calls}
        return totals | counts

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain data, with the API of which more may follow."""
        return self.summary() | {"last": list(self.last)}


@dataclass(slots=True)
class VerifyReport:
    """Damage found in a cache.

    Attributes:
        checked: Number of rows looked at.
        damaged: Number of problems.
        problems: The first `MAX_LISTED` of them, each with the row's key.
    """

    checked: int = 0
    damaged: int = 0
    problems: list[dict[str, str]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if nothing is damaged."""
        return not self.damaged

    def check(self, row: Row) -> None:
        """Look at one row."""
        self.checked += 1
        problem = row.problem or _problem(row)
        if problem:
            self.add(row.key, problem)

    def add(self, key: str, problem: str) -> None:
        """Note a problem."""
        self.damaged += 1
        if len(self.problems) < MAX_LISTED:
            self.problems.append({"key": key, "problem": problem})

    def restore(self, data: JsonMapping) -> None:
        """Go on from the counts of `to_dict`."""
        self.checked, self.damaged = data["checked"], data["damaged"]
        self.problems = list(data["problems"])

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain data."""
        return {
            "ok": self.ok,
            "checked": self.checked,
            "damaged": self.damaged,
            "problems": list(self.problems),
        }


def _problem(row: Row) -> str:
    try:
        entry = CacheEntry.read(row.value)
    except DataError as error:
        return str(error)
    keys = entry.call.row
    if row.key not in (keys.canonical, keys.beside):
        return f"its key does not follow from its content; expected {keys.canonical}"
    return ""


@dataclass(slots=True)
class FilterReport:
    """Entries before and after the Appendix D filter, by origin, and what was dropped, by class."""

    taxonomy: Taxonomy
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)

    def keeps(self, entry: CacheEntry) -> bool:
        """Say whether the filter keeps an entry, counting it."""
        self.before[entry.origin] += 1
        found = self.classified(entry)
        if found.kept:
            self.after[entry.origin] += 1
        else:
            self.dropped[found.value] += 1
        return found.kept

    def classified(self, entry: CacheEntry) -> ApiClass:
        """Return the class of an entry in this reading."""
        if self.taxonomy == "default":
            return entry.klass
        return classify(entry.error, entry.response, taxonomy=self.taxonomy)

    def restore(self, data: JsonMapping) -> None:
        """Go on from the counts of `to_dict`."""
        self.before, self.after, self.dropped = (
            Counter(data[name]) for name in ("before", "after", "dropped")
        )

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain data."""
        return {
            "taxonomy": self.taxonomy,
            "entries_before": self.before.total(),
            "entries_after": self.after.total(),
            "before": dict(sorted(self.before.items())),
            "after": {origin: self.after[origin] for origin in sorted(self.before)},
            "dropped": dict(sorted(self.dropped.items())),
        }


@dataclass(slots=True)
class MergeReport:
    """Counts of a merge with another cache.

    Attributes:
        added: Calls that were not known.
        replaced: Simulated answers that gave way to real ones.
        equal: Known, with the same answer.
        kept: Known, with another answer, which stays.
    """

    added: int = 0
    replaced: int = 0
    equal: int = 0
    kept: int = 0

    def wanted(
        self, entries: Iterable[CacheEntry], stored: Callable[[str], str | None]
    ) -> Iterator[tuple[str, CacheEntry]]:
        """Yield what to store, counting as it goes.

        Args:
            entries: The other cache's.
            stored: Returns the stored form under a row's key of this cache, or None.
        """
        placing = Placing(stored)
        for entry in entries:
            key = entry.key
            value = placing.find(entry.call.row).value
            if value is None:
                self.added += 1
                yield key, entry
                continue
            ours = read_hit(value)
            if ours.source == "simulator" and entry.source != "simulator":
                self.replaced += 1
                yield key, entry
            elif ours.text == entry.text:
                self.equal += 1
            else:
                self.kept += 1

    def to_dict(self) -> dict[str, int]:
        """Return the report as plain data."""
        return {"added": self.added, "replaced": self.replaced, "equal": self.equal, "kept": self.kept}
