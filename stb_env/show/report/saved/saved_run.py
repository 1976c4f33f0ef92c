"""One run as a reader follows it: rows of its episodes, and each of them in full, while it may go on."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import orjson

from stb_env.core import jsontext
from stb_env.core.checksums import check_line
from stb_env.core.jsontypes import JsonObject
from stb_env.core.run_identity import saved_identity
from stb_env.errors import DataError
from stb_env.runs.verdict_file import Judgement, manifest_of, read_judgements, verdict_file
from stb_env.show.report.saved.episode_row import key_of, read_line, row_of, wrong_line
from stb_env.show.report.saved.index import LineIndex
from stb_env.trajectory import Key

Stamp = tuple[tuple[str, int, int], ...]


class SavedRun:
    """Reads a run's folder as it grows, and writes nothing to it. Threads may share one.

    Args:
        folder: The run.

    Examples:
        >>> import tempfile
        >>> SavedRun(Path(tempfile.mkdtemp())).rows(0, 100)
        {'generation': 0, 'total': 0, 'rows': []}
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lines = LineIndex(folder / "trajectories.jsonl")
        self._journal = LineIndex(folder / "played.jsonl")
        self._keys: list[Key] = []
        self._waiting: list[int] = []
        self._looked = (0, 0, 0)
        self._timings = LineIndex(folder / "timings.jsonl")
        self._seconds: dict[Key, float] = {}
        self._steps: dict[Key, list[float]] = {}
        self._timed = 0
        self._rows: list[JsonObject] = []
        self._own: dict[Key, Judgement] = {}
        self._judged: Stamp = ()
        self._generation = 0
        self._seen = 0
        self._lock = threading.Lock()

    @property
    def manifest(self) -> JsonObject:
        """Settings that decide the run's numbers; empty where they are missing.

        Raises:
            DataError: It is broken.
        """
        return manifest_of(self.folder)

    def rows(self, first: int, count: int) -> JsonObject:
        """Return what the list says about some episodes.

        Args:
            first: Place of the first one, from 0.
            count: How many at most.

        Returns:
            The rows, how many episodes there are by now, and a generation: where it differs from before,
            rows that were given earlier hold no longer.

        Raises:
            DataError: A file of verdicts is broken.
        """
        with self._lock:
            total = self._refresh()
            stop = min(total, first + count)
            if len(self._rows) < stop:
                begin, run = len(self._rows), saved_identity(self.folder)
                self._rows += [
                    row_of(number, line, run, self._seconds, self._own)
                    for number, line in enumerate(self._read(begin, stop), begin)
                ]
            return {"generation": self._generation, "total": total, "rows": self._rows[first:stop]}

    def episode(self, number: int) -> JsonObject:
        """Return an episode as it is saved, with what other files of the run say about it.

        Raises:
            DataError: There is no such episode, or its line is damaged.
        """
        with self._lock:
            total = self._refresh()
            if not 0 <= number < total:
                raise DataError(f"the run has {total} episodes; there is none of number {number}")
            (line,) = self._read(number, number + 1)
            own = self._own
            seconds = self._seconds
        try:
            episode = read_line(line)
            key = key_of(episode)
            if wrong := wrong_line(line, episode, saved_identity(self.folder)):
                raise ValueError(wrong)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"episode {number} is damaged ({error!r:.200}): {line[:80]!r}") from error
        judged = {"": own[key]} if key in own else {}
        judged |= {name: found[key] for name, found in self._foreign().items() if key in found}
        return {
            "n": number,
            "episode": episode,
            "seconds": seconds.get(key),
            "step_seconds": self._steps.get(key, []),
            "judgements": [json.loads(judgement.to_json()) for judgement in judged.values()],
        }

    def search(self, text: str) -> list[int]:
        """Return the numbers of the episodes in which a text stands, whatever its capital letters."""
        # As it is escaped in a file of ours, and in one of a writer that leaves other scripts as they are.
        needles = {written[1:-1].encode().lower() for written in (json.dumps(text), jsontext.dumps(text))}
        with self._lock:
            total = self._refresh()
        found: list[int] = []
        for first in range(0, total, 500):
            lines = self._read(first, min(total, first + 500))
            for number, line in enumerate(lines, first):
                small = line.lower()
                if any(needle in small for needle in needles):
                    found.append(number)
        return found

    def _read(self, first: int, stop: int) -> list[bytes]:
        """Return the lines of neighbouring episodes: those in their place, then those that wait for it."""
        there = len(self._lines)
        lines = self._lines.read_all(first, min(stop, there)) if first < there else []
        waiting = self._waiting[max(0, first - there) : max(0, stop - there)]
        return lines + [self._journal.read(number) for number in waiting]

    def _await(self) -> bool:
        """Look which lines of the journal have no place yet, and return whether these are others than before.

        The last line on an episode counts.
        """
        before, looked = self._waiting, self._looked
        self._looked = (self._journal.refresh(), self._journal.generation, len(self._lines))
        if self._looked == looked:
            return False
        if not self._looked[0]:
            self._waiting = []
            return bool(before)
        for number in range(len(self._keys), len(self._lines)):
            self._keys.append(_key(self._lines.read(number)))
        known = set(self._keys)
        lines = self._journal.read_all(0, len(self._journal))
        newest = {_key(line): number for number, line in enumerate(lines)}
        self._waiting = sorted(number for key, number in newest.items() if key not in known)
        return self._waiting[: len(before)] != before or self._looked[1] != looked[1]

    def _refresh(self) -> int:
        """Follow the files; what was said about episodes holds no longer where they were replaced."""
        placed = len(self._lines)
        self._lines.refresh()
        if self._seen != self._lines.generation:
            self._keys = []
        moved = self._await() or (bool(self._waiting) and len(self._lines) != placed)
        stamp = self._stamp()
        if stamp != self._judged:
            self._own = read_judgements(verdict_file(self.folder, str(self.manifest.get("judge") or "")))
        if stamp != self._judged or self._seen != self._lines.generation or moved:
            self._generation += bool(self._rows)
            self._rows = []
            self._judged, self._seen = stamp, self._lines.generation
        self._time()
        return len(self._lines) + len(self._waiting)

    def _time(self) -> None:
        # Written after the episodes that it is about, at the end of each add: what is missing comes.
        before = self._timings.generation
        total = self._timings.refresh()
        if self._timings.generation != before:
            self._timed = 0
        for line in self._timings.read_all(self._timed, total):
            try:
                said = orjson.loads(line)
                check_line(line.decode(), said)
                key = (said["task_id"], said["trial"], said["seed"])
                self._seconds[key] = float(said["seconds"])
                self._steps[key] = list(map(float, said.get("steps", ())))
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, DataError):
                continue
        self._timed = total

    def _stamp(self) -> Stamp:
        files = sorted(self.folder.glob("verdicts.jsonl"))
        return tuple((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files)

    def _foreign(self) -> dict[str, dict[Key, Judgement]]:
        """Return the verdicts of judges other than the run's own, by file."""
        files = sorted(self.folder.glob("verdicts-*.jsonl"))
        return {file.name: read_judgements(file) for file in files}


def _key(line: bytes) -> Key:
    """Return whose line it is; a damaged one is nobody's."""
    try:
        return key_of(read_line(line))
    except (ValueError, KeyError, TypeError):
        return "", 0, 0
