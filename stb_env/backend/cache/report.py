"""Reports of cache operations: statistics, integrity, filtering and merging."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from stb_env.backend.cache.entry import CacheEntry, Hit
from stb_env.errors import DataError
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.metrics.taxonomy import Taxonomy, classify
from stb_env.store import Row

MAX_LISTED = 1000


def stats(entries: Iterable[CacheEntry]) -> JsonObject:
    """Count entries by category, source, origin and class; those of one API must come together.

    ``close_calls`` are answers that match more than one error class of Appendix D.

    Examples:
        >>> stats([])["entries"]
        0
    """
    total = close_calls = apis = 0
    last = None
    by: dict[str, Counter[str]] = {name: Counter() for name in ("category", "source", "origin", "class")}
    for entry in entries:
        total += 1
        apis += entry.id != last
        last = entry.id
        by["category"][entry.id.category] += 1
        by["source"][entry.source] += 1
        by["origin"][entry.origin] += 1
        found = entry.classes
        by["class"][found[0].value] += 1
        close_calls += len(found) > 1
    counts = {f"by_{name}": dict(sorted(counter.items())) for name, counter in by.items()}
    return {"entries": total, "apis": apis, "close_calls": close_calls} | counts


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
        """Whether nothing is damaged."""
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

    def to_dict(self) -> JsonObject:
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
    if entry.key != row.key:
        return f"its key does not follow from its content; expected {entry.key}"
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
        if self.taxonomy == "default":
            found = entry.klass
        else:
            found = classify(entry.error, entry.response, taxonomy=self.taxonomy)
        if found.kept:
            self.after[entry.origin] += 1
        else:
            self.dropped[found.value] += 1
        return found.kept

    def restore(self, data: JsonMapping) -> None:
        """Go on from the counts of `to_dict`."""
        self.before, self.after, self.dropped = (
            Counter(data[name]) for name in ("before", "after", "dropped")
        )

    def to_dict(self) -> JsonObject:
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
    """What became of another cache's entries.

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
        self, entries: Iterable[CacheEntry], known: Callable[[str], Hit | None]
    ) -> Iterator[tuple[str, CacheEntry]]:
        """Yield what to store, counting as it goes."""
        for entry in entries:
            key = entry.key
            ours = known(key)
            if ours is None:
                self.added += 1
                yield key, entry
            elif ours.source == "simulator" and entry.source != "simulator":
                self.replaced += 1
                yield key, entry
            elif ours.text == entry.text:
                self.equal += 1
            else:
                self.kept += 1

    def to_dict(self) -> dict[str, int]:
        """Return the report as plain data."""
        return {"added": self.added, "replaced": self.replaced, "equal": self.equal, "kept": self.kept}
