"""The folder of a run: many episodes, each saved exactly once by task, trial and seed."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stb_env.core import checksums, jsontext
from stb_env.core.files import LineWriter, make_folder, write_json
from stb_env.core.interrupts import held
from stb_env.core.jsontypes import JsonObject
from stb_env.core.run_identity import run_identity
from stb_env.runs.episode_file import EpisodeFile
from stb_env.runs.job import Job
from stb_env.runs.manifest_file import settle
from stb_env.runs.timing import Timing
from stb_env.runs.verdict_file import Judgement, drop, forget
from stb_env.saved_episodes import iter_trajectories, saved_lines
from stb_env.trajectory import Key, Trajectory, verdict_lines

# Lines that are moved at one go.
_TOGETHER = 64

# What is whole when a run has ended; groups are written by `GroupRun`.
_LINES = ("trajectories.jsonl", "timings.jsonl", "verdicts.jsonl", "groups.jsonl")
_FINISHED = ("manifest.json", *_LINES, "summary.json")


class Run:
    """The folder of a run: ``manifest.json``, ``trajectories.jsonl``, ``timings.jsonl``, ``summary.json``.

    ``trajectories.jsonl`` is in the order of the jobs. An episode that ends before its turn waits in
    ``played.jsonl``, and so does one whose verdict is still to come; verdicts that come later are appended to
    ``verdicts.jsonl``. All are appended to, each line on disk before the next, so a process that is killed
    at any moment leaves every episode whole. With the last episode in its place, the two journals are
    removed. Memory holds where lines stand, and no episode.

    What failed for a reason that may pass is played again in the next sitting, and what it was before stays
    in ``failures.jsonl``. Where only the judge failed, only the judge is asked again.

    Args:
        folder: Made where it does not exist.
        manifest: Everything that decides the numbers, as plain data.

    Raises:
        ConfigError: The folder holds a run with another manifest (the message shows the difference), its
            manifest is gone, or another process plays it.
        DataError: A line of its episodes is broken, was changed, is of another run, or stands twice.
        StorageError: The disk refuses it.
    """

    def __init__(self, folder: str | Path, manifest: Mapping[str, object]) -> None:
        self.folder = Path(folder)
        self._judge = str(manifest.get("judge") or "")
        self._identity = run_identity(manifest)
        self._file = EpisodeFile(self.folder / "trajectories.jsonl")
        self._waiting = EpisodeFile(self.folder / "played.jsonl")
        self._verdicts = EpisodeFile(self.folder / "verdicts.jsonl")
        self._order: list[Key] = []
        self._planned: set[Key] = set()
        self._next = 0
        # Waiting for a verdict; saved, and to be judged or played again in a later sitting.
        self._unjudged: set[Key] = set()
        self._judged_again: set[Key] = set()
        self._played_again: set[Key] = set()
        # Those whose verdict stands in the journal, too.
        self._decided: set[Key] = set()
        # An episode is saved by who plays it before it is judged.
        self._lock = threading.RLock()
        self._finished = True
        make_folder(self.folder)
        self._timings = LineWriter(self.folder / "timings.jsonl")
        try:
            file = self._file.path
            settle(self.folder, manifest, holds_results=file.exists() and file.stat().st_size > 0)
            for each in (self._file, self._waiting):
                _cut_torn_line(each.path)
            self._file.open()
            self._load()
            # Episodes that are gone are played again; what is gone from these nobody could tell later.
            for name in ("timings.jsonl", "groups.jsonl"):
                checksums.check(self.folder / name)
            self._go_on()
        except BaseException:
            self.close()
            raise

    @property
    def trajectories(self) -> list[Trajectory]:
        """Every saved episode, in the order of the jobs, read from the disk."""
        return list(self)

    def __iter__(self) -> Iterator[Trajectory]:
        """Yield every saved episode, in the order of the jobs, one in memory at a time."""
        if self._file:
            yield from map(self._with_verdict, iter_trajectories(self._file.path))
        waiting = self._waiting_done()
        for key in (key for key in self._order or self._waiting.keys if key in waiting):
            yield Trajectory.from_json(self._line(key))

    @property
    def done(self) -> set[Key]:
        """Keys of the episodes that are saved, and judged where that was possible."""
        return {*self._file.keys, *self._waiting_done()}

    def left(self, jobs: Iterable[Job]) -> list[Job]:
        """Return the jobs that are still to be played or judged, those included that are so again."""
        settled = self.done - self._played_again - self._judged_again
        return [job for job in jobs if job.key not in settled]

    def begin(self, jobs: Sequence[Job]) -> list[Job]:
        """Begin a sitting, and return the jobs that are still to be played or judged.

        Episodes that are to be played again move to ``failures.jsonl``.

        Args:
            jobs: Every episode of the run, in order; the episodes are saved in this order.

        Raises:
            StorageError: The disk refuses it; nothing is lost.
        """
        self._order = list(dict.fromkeys(job.key for job in jobs))
        self._planned = set(self._order)
        self._unjudged |= self._judged_again & self._planned
        self._judged_again -= self._planned
        self.set_aside(self._played_again & self._planned)
        return self.left(jobs)

    def unjudged(self, key: Key) -> Trajectory | None:
        """Return an episode that was played and waits for its verdict; None where there is none."""
        with self._lock:
            return Trajectory.from_json(self._waiting.read(key)) if key in self._unjudged else None

    def keep(self, episode: Trajectory) -> None:
        """Save an episode that was played and is still to be judged, on disk before this returns.

        Raises:
            StorageError: The disk refuses it.
        """
        with self._lock, held():
            self._go_on()
            self._waiting.append([(episode.key, self._written(episode))])
            self._unjudged.add(episode.key)

    def decide(self, judgement: Judgement) -> None:
        """Save the verdict on an episode that was kept, on disk before this returns.

        Raises:
            StorageError: The disk refuses it.
        """
        with self._lock, held():
            self._go_on()
            self._verdicts.open()
            # Who judges a run that goes on may have ended, and noted the file, since this run began.
            checksums.forget(self.folder, self._verdicts.path.name)
            self._verdicts.append([(judgement.key, judgement.to_json())])
            self._unjudged.discard(judgement.key)
            self._decided.add(judgement.key)

    def add(self, trajectory: Trajectory, seconds: float) -> None:
        """Save one episode, on disk before this returns.

        Raises:
            StorageError: The disk refuses it.
        """
        self.add_all([(trajectory, Timing(seconds))])

    def add_all(self, episodes: Sequence[tuple[Trajectory, Timing]]) -> None:
        """Save some episodes, each with the time that it took; all are on disk before this returns.

        Raises:
            StorageError: The disk refuses them.
        """
        # In between, an episode would be on disk and not among those that are saved.
        with self._lock, held():
            self._go_on()
            new = (trajectory for trajectory, _ in episodes if trajectory.key not in self._file)
            fresh = {trajectory.key: self._written(trajectory) for trajectory in new}
            early = self._early(fresh)
            self._waiting.append([(key, fresh.pop(key)) for key in early])
            self._unjudged.difference_update(trajectory.key for trajectory, _ in episodes)
            self._advance(fresh)
            for trajectory, _ in episodes:
                self._note_failure(trajectory)
            self._timings.write("\n".join(_timing(trajectory, timing) for trajectory, timing in episodes))

    def arrange(self) -> None:
        """End a run of which not every job was played: what waits takes its place all the same."""
        with self._lock, held():
            self._go_on()
            waiting = self._waiting_done()
            self._order = [key for key in self._order if key in self._file or key in waiting]
            self._next = len(self._file)
            self._advance({})

    def finish(self, summary: Mapping[str, object]) -> None:
        """Write the summary, and note the checksums of what is finished with it.

        Raises:
            StorageError: The disk refuses it.
        """
        write_json(self.folder / "summary.json", summary)
        self._finished = True
        checksums.note(self.folder, *_FINISHED)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        self._waiting.close()
        self._verdicts.close()
        self._timings.close()

    def set_aside(self, again: set[Key]) -> None:
        """Move episodes that are to be played again to ``failures.jsonl``, and put the others in order.

        Raises:
            StorageError: The disk refuses it; nothing is lost.
        """
        self._go_on()
        # Written there before it is taken from here: who is killed in between finds it in both, and a later
        # sitting plays it all the same.
        if again:
            failures = EpisodeFile(self.folder / "failures.jsonl")
            there = [key for key in (*self._file.keys, *self._waiting.keys) if key in again]
            failures.append(
                (key, (self._file if key in self._file else self._waiting).read(key))
                for key in dict.fromkeys(there)
            )
            failures.close()
            self._verdicts.close()
            forget(self.folder, again)
            self._load_verdicts()
            self._played_again -= again
        self._reorder(again)

    def _go_on(self) -> None:
        """Forget the checksums of a run that has ended, before its files are written to."""
        if self._finished:
            checksums.forget(self.folder, *_FINISHED)
            self._finished = False

    def _load(self) -> None:
        given = {line.key: line for line in verdict_lines(self._verdicts.path)}
        for file, once in ((self._file, True), (self._waiting, False)):
            for line in saved_lines(file.path, once=once) if file.path.is_file() else ():
                key = line.episode.key
                later = given.get(key)
                verdict = later.verdict if later is not None and line.episode.is_judged_by(later) else None
                file.note(key, line.begin, line.length)
                if file is self._waiting and key in self._file:
                    continue
                if verdict is None:
                    self._note_failure(line.episode)
                elif file is self._waiting or verdict == line.episode.verdict:
                    self._decided.add(key)
        self._load_verdicts()
        waiting = self._judged_again - set(self._file.keys)
        self._unjudged |= waiting
        self._judged_again -= waiting

    def _load_verdicts(self) -> None:
        self._verdicts.clear()
        for line in verdict_lines(self._verdicts.path):
            if line.verdict is not None:
                self._verdicts.note(line.key, line.begin, line.length)

    def _note_failure(self, episode: Trajectory) -> None:
        """Take note of what is to be done again in a later sitting."""
        self._played_again.discard(episode.key)
        self._judged_again.discard(episode.key)
        if episode.awaits_verdict:
            self._judged_again.add(episode.key)
        elif may_pass(episode):
            self._played_again.add(episode.key)

    def _reorder(self, gone: set[Key]) -> None:
        """Have ``trajectories.jsonl`` end where the order of the jobs does; what stands behind waits."""
        saved = dict.fromkeys((*self._file.keys, *self._waiting.keys))
        self._order += [key for key in saved if key not in self._planned and key not in gone]
        self._planned = set(self._order)
        kept = 0
        for key, wanted in zip(self._file.keys, self._order, strict=False):
            if key != wanted or key in gone or key in self._unjudged:
                break
            kept += 1
        moved = [key for key in self._file.keys[kept:] if key not in gone]
        waits = [key for key in self._waiting.keys if key not in gone and key not in self._file]
        if moved or len(waits) < len(self._waiting):
            self._waiting.replace(waits, self._file, moved)
        if kept < len(self._file):
            self._file.cut(kept)
        self._next = kept
        self._advance({})

    def _early(self, fresh: Mapping[Key, str]) -> list[Key]:
        """Return which new episodes have to wait for an earlier one."""
        turn = set()
        for place in range(self._next, len(self._order)):
            key = self._order[place]
            if key not in fresh and not self._is_ready(key):
                break
            turn.add(key)
        return [key for key in fresh if key in self._planned and key not in turn and not self._is_ready(key)]

    def _advance(self, fresh: dict[Key, str]) -> None:
        """Append the lines whose turn it is, new ones and such as wait."""
        while True:
            lines = []
            for key in self._order[self._next : self._next + _TOGETHER]:
                if key not in fresh and not self._is_ready(key):
                    break
                lines.append((key, fresh.pop(key) if key in fresh else self._line(key)))
            if not lines:
                break
            self._file.append(lines)
            self._next += len(lines)
        # Nobody planned these.
        self._file.append((key, line) for key, line in fresh.items() if key not in self._waiting)
        if self._order and self._next == len(self._order):
            self._end_journals()

    def _written(self, episode: Trajectory) -> str:
        """Return the line of an episode of this run."""
        return replace(episode, run=self._identity).to_json()

    def _with_verdict(self, episode: Trajectory) -> Trajectory:
        """Return an episode with the verdict that it lacked and `stb-env judge` has given since."""
        if not episode.awaits_verdict or episode.key not in self._verdicts:
            return episode
        later = Judgement.from_json(self._verdicts.read(episode.key))
        return later.over(episode) if later.verdict is not None and later.fits(episode) else episode

    def _is_ready(self, key: Key) -> bool:
        """Return whether an episode waits for nothing but its turn."""
        return key in self._waiting and key not in self._unjudged

    def _waiting_done(self) -> set[Key]:
        return {key for key in self._waiting.keys if key not in self._file and self._is_ready(key)}

    def _line(self, key: Key) -> str:
        """Return the line of an episode that waits for its turn."""
        line = self._waiting.read(key)
        if key not in self._verdicts:
            return line
        episode, judgement = Trajectory.from_json(line), Judgement.from_json(self._verdicts.read(key))
        if not episode.awaits_verdict or judgement.verdict is None or not judgement.fits(episode):
            return line
        return episode.judged(judgement.verdict, judgement.usage).to_json()

    def _end_journals(self) -> None:
        """Remove what stands in ``trajectories.jsonl`` by now."""
        if self._unjudged:
            return
        if self._waiting:
            self._waiting.replace([], self._file, [])
        if self._decided:
            self._verdicts.close()
            drop(self._verdicts.path, self._decided)
            self._decided.clear()
            self._load_verdicts()


def _timing(episode: Trajectory, timing: Timing) -> str:
    task_id, trial, seed = episode.key
    line: JsonObject = {"task_id": task_id, "trial": trial, "seed": seed, "seconds": round(timing.seconds, 6)}
    if timing.waited:
        line["waited"] = {role: round(seconds, 6) for role, seconds in timing.waited.items()}
    if timing.steps:
        line["steps"] = [round(seconds, 6) for seconds in timing.steps]
    return checksums.sealed(jsontext.dumps(line))


def may_pass(episode: Trajectory) -> bool:
    """Say whether an episode failed for a reason that may pass, so that it is to be played again."""
    failure = episode.failure
    return episode.verdict is None and failure is not None and bool(failure.get("retryable"))


def _cut_torn_line(file: Path) -> None:
    """Cut off a last line that a crash left unreadable; one that has no end is cut by `LineWriter`."""
    if not file.exists():
        return
    data = file.read_bytes()
    end = data.rfind(b"\n") + 1
    start = data.rfind(b"\n", 0, max(0, end - 1)) + 1
    try:
        json.loads(data[start:end] or b"0")
    except ValueError:
        os.truncate(file, start)
