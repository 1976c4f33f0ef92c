"""The response cache: what APIs answered, found by call, the same for everyone who has the same hash.

A cache folder holds ``base/cache.db`` (frozen, read without locks) and ``overlay/`` (what was added since).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from pathlib import Path

from stb_env.backend.cache.entry import CacheEntry, EntrySource, Hit, is_exactly, read_hit
from stb_env.backend.cache.key import PREFIX, CallKey, KeyKind, RowKey, call_key, id_prefix
from stb_env.backend.cache.layers import MANIFEST, Layers, read_manifest
from stb_env.backend.cache.recent import Recent
from stb_env.backend.cache.recording_rows import Placing
from stb_env.backend.cache.report import FilterReport, MergeReport, StatsReport, VerifyReport
from stb_env.backend.cache.resumable_pass import BATCH, Checkpoint, Progress, checked, counted, resumed
from stb_env.backend.cache.snapshot import add_to, digest, freeze
from stb_env.backend.store import FrozenStore, Row
from stb_env.backend.taxonomy import Taxonomy
from stb_env.errors import DataError
from stb_env.tools import ToolId

__all__ = ["CacheEntry", "CallKey", "EntrySource", "Hit", "ResponseCache", "call_key"]


class ResponseCache:
    """Recorded responses of APIs. Picklable and safe to fork: a copy opens its own handles.

    A look-up asks for exactly the call first, and then for one that the API itself could not tell from it:
    the order of arguments does not count there, and ``1``, ``1.0`` and ``"1"`` are equal. What is recorded of
    each spelling is kept.

    Args:
        folder: The cache folder, made at the first `put`; None keeps the entries in memory alone.
        lru: Number of recently used responses kept in memory.
        lru_characters: Bound on their length together.
        read_only: Change nothing on disk, not one byte; the folder must hold a cache.
        overlay: ``redis://HOST:PORT/DATABASE`` of what is added, where several machines share it; the folder
            then holds the frozen base that each of them has.

    Raises:
        ConfigError: Opened for reading, and there is no cache.
        DataError: The folder holds another format or damaged data.

    Examples:
        >>> from stb_env import ResponseCache, ToolEnv, VirtualBackend, load_agent, load_judge, play
        >>> from stb_env.testing.notes import TASKS
        >>> backend = VirtualBackend(ResponseCache(), mode="replay")
        >>> env = ToolEnv(TASKS, backend, load_judge("heuristic"))
        >>> play(env, load_agent("gold")(), task_id="day", seed=0).failure["kind"]
        'cache_miss'
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        lru: int = 50_000,
        lru_characters: int = 100_000_000,
        read_only: bool = False,
        overlay: str | None = None,
    ) -> None:
        self.folder = None if folder is None else Path(os.path.abspath(folder))
        self.read_only = read_only
        self.overlay = overlay
        self._layers = Layers(self.folder, read_only, overlay)
        self._recent: Recent[Hashable, Hit] = Recent(lru, lru_characters, _characters)
        self._hash = ""

    def __repr__(self) -> str:
        return f"ResponseCache({str(self.folder) if self.folder else None!r}, read_only={self.read_only})"

    def __len__(self) -> int:
        return len(self._layers)

    def get(self, call: CallKey) -> Hit | None:
        """Return what was recorded of a call, or None.

        Raises:
            DataError: The row is damaged, or was refused because it is not plain text.

        Examples:
            >>> cache, ping = ResponseCache(), ToolId("Net", "icmp", "ping")
            >>> entries = [CacheEntry.of(ping, {"count": count}, repr(count)) for count in (1, "1")]
            >>> cache.put_many((entry.key, entry) for entry in entries)
            >>> for count in (1, "1", 1.0):
            ...     hit = cache.get(CallKey(ping, {"count": count}))
            ...     print(hit.text, hit.key)
            {"error": "", "response": "1"} exact
            {"error": "", "response": "'1'"} exact
            {"error": "", "response": "1"} canonical
        """
        key = call.short
        return self._recent.young.get(key) or self._recent.get(key) or self._load(key, call)

    def get_anew(self, call: CallKey) -> Hit | None:
        """As `get`, also of an overlay that another has begun since this was opened."""
        self._layers.find_overlay()
        return self.get(call)

    @property
    def place(self) -> Hashable:
        """A value that two caches of this process share if they see each other's answers."""
        return (self.folder, self.overlay) if self.folder or self.overlay else id(self)

    def put(self, key: str, entry: CacheEntry) -> None:
        """Store an entry in the overlay; when this returns, it survives a crash.

        It replaces what was recorded of exactly the same call, and nothing else.

        Args:
            key: The entry's own key of `call_key`.
            entry: The recording.

        Raises:
            ConfigError: The cache is open for reading only.
            DataError: The key is not the entry's own.
            BackendError: The overlay stayed locked, or cannot be written.

        Examples:
            >>> cache, ping = ResponseCache(), ToolId("Net", "icmp", "ping")
            >>> key = call_key(ping, {"host": "a"})
            >>> cache.put(key, CacheEntry.of(ping, {"host": "a"}, {"ms": 4}, source="real"))
            >>> cache.get(CallKey(ping, {"host": "a"})).text, cache.get(CallKey(ping, {})) is None, len(cache)
            ('{"error": "", "response": {"ms": 4}}', True, 1)
            >>> [entry.response for entry in cache.examples(ping, 5)]
            [{'ms': 4}]
        """
        self.put_many([(key, entry)])

    def add(self, key: str, entry: CacheEntry) -> Hit | None:
        """Store an entry where the call has none in any spelling; return what stood there, or None.

        Of several processes that answer one call at the same time, the first one's answer is kept. Errors as
        for `put`.

        Examples:
            >>> cache, ping = ResponseCache(), ToolId("Net", "icmp", "ping")
            >>> answers = [CacheEntry.of(ping, {}, {"ms": ms}, source="real") for ms in (4, 9)]
            >>> [cache.add(call_key(ping, {}), entry) for entry in answers]
            [None, Hit(text='{"error": "", "response": {"ms": 4}}', error='', source='real', key='exact')]
        """
        row, value = _written(key, entry)
        if self._layers.add(row.canonical, value):
            self._hash = ""
            self._recent.put(entry.call.short, entry.hit)
            return None
        return self.get(entry.call)

    def put_many(self, items: Iterable[tuple[str, CacheEntry]]) -> None:
        """Store entries in the overlay, a thousand in one transaction; errors as for `put`."""
        items = iter(items)
        self._recent.clear()
        self._hash = ""
        # A batch is complete before it is written: what yields it may read the same file.
        while batch := [_written(key, entry) for key, entry in islice(items, BATCH)]:
            placing = self.placing()
            for row, value in batch:
                placing.put(placing.find(row), value)
            self.put_placed(placing)

    def placing(self) -> Placing:
        """Return what finds the places of recordings among those that are stored."""
        return Placing(self._row)

    def put_placed(self, placing: Placing) -> None:
        """Store rows that were placed, in one transaction; errors as for `put`."""
        self._recent.clear()
        self._hash = ""
        self._layers.put_many(placing.rows.items())

    def entry(self, call: CallKey) -> CacheEntry | None:
        """Return everything that is known about what `get` finds, or None."""
        value, _ = self._find(call)
        return None if value is None else CacheEntry.read(value)

    def entries(
        self, prefix: str = "", *, start: str = "", progress: Progress | None = None, done: int = 0
    ) -> Iterator[CacheEntry]:
        """Return every entry, those of one API together and in the order in which they were added.

        A replaced answer keeps its place, and what is frozen comes before what was added since.

        Args:
            prefix: Only keys that begin with it.
            start: Without a prefix, only keys from here on.
            progress: Told the number of entries now and then, ``done`` included.
            done: What was done before.

        Raises:
            DataError: A row is damaged or refused; `verify` lists all such rows.
        """
        return self._checked(self._layers.in_order(PREFIX, prefix, start=start), progress, done)

    def examples(self, identity: ToolId, limit: int = 5, *, by_key: bool = False) -> list[CacheEntry]:
        """Return the first recorded answers of one API, simulated ones never.

        Args:
            identity: The API.
            limit: How many at most.
            by_key: Take them in order of their keys, so that equal hashes give equal examples, and not in
                that of their recording.
        """
        prefix = id_prefix(identity)
        rows = self._layers.rows(prefix) if by_key else self._layers.in_order(PREFIX, prefix)
        return list(islice((entry for entry in self._checked(rows) if entry.source != "simulator"), limit))

    @property
    def hash(self) -> str:
        """SHA-256 hex digest over the sorted entries; equal hashes mean equal answers.

        It does not depend on the order of insertion, on what lies in base or overlay, or on file bytes.
        """
        if not self._hash:
            grown = self._layers.overlay is not None and len(self._layers.overlay)
            self._hash = digest(self._layers.rows()) if grown or not self.base_hash else self.base_hash
        return self._hash

    @property
    def state(self) -> str:
        """A value that changes with every change of the entries; empty where changes cannot be detected."""
        return self._layers.state

    @property
    def base_hash(self) -> str:
        """The `hash` of the frozen base alone: what stays the same while the overlay grows.

        As noted when it was frozen; `verify` computes it anew.
        """
        base = self._layers.base
        return self._recorded_hash() or digest(base.rows()) if base is not None else ""

    def snapshot(self, dest: str | os.PathLike[str], *, progress: Progress | None = None) -> str:
        """Freeze base and overlay into the base of a new cache folder and return its hash.

        The same call goes on where a killed one stopped, as long as the cache has not changed. Reports
        progress over twice the number of entries, for they are read once and hashed once.

        Raises:
            ConfigError: The folder exists and is not empty.
            DataError: A row is damaged or refused.
        """
        return freeze(self._layers, Path(dest), progress=progress)

    def filter(
        self,
        dest: str | os.PathLike[str] | None = None,
        *,
        taxonomy: Taxonomy = "default",
        progress: Progress | None = None,
    ) -> FilterReport:
        """Drop the entries of an error class, Other Errors excepted (Guo et al., 2024, Table 2).

        Args:
            dest: Folder of the filtered cache; None counts only. Goes on as `snapshot` does.
            taxonomy: Which reading of Appendix D decides.
            progress: Told the number of entries done.
        """
        report = FilterReport(taxonomy)
        if dest is not None:
            freeze(self._layers, Path(dest), report=report, progress=progress)
            return report
        with Checkpoint(f"filter {taxonomy}", self.state) as checkpoint:
            for _, entry in resumed(self._layers, report, checkpoint, progress):
                report.keeps(entry)
        return report

    def merge(self, other: ResponseCache, *, progress: Progress | None = None) -> MergeReport:
        """Add the entries of another cache.

        Where both know exactly a call, ours stays unless only theirs is real.
        Doing it again, after it was cut off or not, changes only what is not merged yet.
        """
        report = MergeReport()
        entries = other._checked(other._layers.in_order(PREFIX), progress)
        self.put_many(report.wanted(entries, self._row))
        return report

    def verify(self, *, progress: Progress | None = None) -> VerifyReport:
        """Check every row and go on past each that is damaged.

        The same call goes on where a killed one stopped: what was checked is then read for its hash alone.
        """
        report, summed = VerifyReport(), hashlib.sha256()
        with Checkpoint("verify", self.state) as checkpoint:
            if checkpoint.mark is not None:
                report.restore(checkpoint.mark)
            known = report.checked
            for number, row in enumerate(counted(self._layers.rows(), progress), 1):
                add_to(summed, row)
                if number <= known:
                    continue
                report.check(row)
                if not number % BATCH and checkpoint.due:
                    checkpoint.note(report.to_dict())
        for store in (self._layers.base, self._layers.overlay):
            if isinstance(store, FrozenStore):
                for problem in store.structure():
                    report.add(str(store.file), problem)
        recorded = (read_manifest(self.folder) or {}).get("hash") if self.folder else None
        if recorded and self._layers.overlay is None and recorded != summed.hexdigest():
            report.add(MANIFEST, f"the base has hash {summed.hexdigest()}, recorded is {recorded}")
        return report

    def stats(self, *, progress: Progress | None = None) -> dict[str, object]:
        """Return counts of entries by category, source, origin, class and key.

        By key, ``canonical`` are those that answer every spelling of their call that was not recorded itself,
        and ``exact`` those beside them, which answer exactly their own.

        The same call goes on where a killed one stopped.
        """
        report = StatsReport()
        with Checkpoint("stats with keys", self.state) as checkpoint:
            for key, entry in resumed(self._layers, report, checkpoint, progress):
                report.count(key, entry)
            return report.summary() | {"hash": self.hash}

    def close(self) -> None:
        """Release the handles; the next use opens new ones."""
        self._layers.close()

    def _checked(
        self, rows: Iterable[Row], progress: Progress | None = None, done: int = 0
    ) -> Iterator[CacheEntry]:
        return (checked(row, self.folder) for row in counted(rows, progress, done))

    def _recorded_hash(self) -> str:
        noted = (read_manifest(self.folder) if self.folder else None) or {}
        base = self._layers.base
        # Another size is not what was frozen; folders of earlier versions note none.
        whole = base is not None and noted.get("bytes") == base.file.stat().st_size
        return str(noted["hash"]) if whole else ""

    def _load(self, key: Hashable, call: CallKey) -> Hit | None:
        value, kind = self._find(call)
        if value is None:
            return None
        hit = read_hit(value, kind)
        self._recent.put(key, hit)
        return hit

    def _find(self, call: CallKey) -> tuple[str | None, KeyKind]:
        """Return the stored form of what answers a call, or None, and which of its keys found it."""
        first = self._row(call.canonical)
        if first is None or is_exactly(first, call.exact):
            return first, "exact"
        beside = self._row(call.row.beside)
        return (first, "canonical") if beside is None else (beside, "exact")

    def _row(self, key: str) -> str | None:
        return self._layers.get(key)


def _written(key: str, entry: CacheEntry) -> tuple[RowKey, str]:
    if key != entry.key:
        raise DataError(f"the key {key!r} is not that of {entry.id} with these arguments ({entry.key!r})")
    return entry.call.row, entry.written()


def _characters(hit: Hit) -> int:
    return len(hit.text)
