"""The folder of a run: many episodes, each saved exactly once by task, trial and seed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from stb_env import jsontext
from stb_env.files import LineWriter, make_folder, write_json, write_text
from stb_env.interrupts import held
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.rollout.job import Job
from stb_env.rollout.manifest_file import settle
from stb_env.rollout.timing import Timing
from stb_env.rollout.verdict_file import Key, forget, read_judgements, verdict_file
from stb_env.trajectory import Trajectory, read_trajectories


class Run:
    """The folder of a run: ``manifest.json``, ``trajectories.jsonl``, ``timings.jsonl``, ``summary.json``.

    What failed for a reason that may pass is played again in the next sitting, and what it was before stays
    in ``failures.jsonl``. Episodes are appended as they come; where some belong before others that are there,
    `arrange` puts the file in order in one act, so that a process which is killed at any moment leaves every
    episode whole.

    Args:
        folder: Made where it does not exist.
        manifest: Everything that decides the numbers, as plain data.

    Raises:
        ConfigError: The folder holds a run with another manifest (the message shows the difference), its
            manifest is gone, or another process plays it.
        DataError: A line in the middle of its episodes is broken.
        StorageError: The disk refuses it.
    """

    def __init__(self, folder: str | Path, manifest: JsonMapping) -> None:
        self.folder = Path(folder)
        self._file = self.folder / "trajectories.jsonl"
        self._judge = str(manifest.get("judge") or "")
        self._places: dict[Key, int] = {}
        make_folder(self.folder)
        # Never replaced, unlike the episodes, so its lock holds for the folder as long as the run is open.
        self._timings = LineWriter(self.folder / "timings.jsonl")
        try:
            settle(self.folder, manifest, holds_results=self._file.exists() and self._file.stat().st_size > 0)
            _cut_torn_line(self._file)
            self._lines = LineWriter(self._file)
        except BaseException:
            self._timings.close()
            raise
        self.trajectories = read_trajectories(self._file)

    @property
    def done(self) -> set[Key]:
        """Keys of the episodes that are saved."""
        return {trajectory.key for trajectory in self.trajectories}

    def left(self, jobs: Iterable[Job]) -> list[Job]:
        """Return the jobs that are still to be played: those not saved, and those to be played again."""
        settled = self.done - {trajectory.key for trajectory in self._passing()}
        return [job for job in jobs if job.key not in settled]

    def begin(self, jobs: Sequence[Job]) -> list[Job]:
        """Begin a sitting, and return the jobs that are still to be played.

        Episodes that are to be played again move to ``failures.jsonl``.

        Args:
            jobs: Every episode of the run, in order; the episodes are saved in this order.

        Raises:
            StorageError: The disk refuses it; nothing is lost.
        """
        self._places = {job.key: place for place, job in enumerate(jobs)}
        again = [trajectory for trajectory in self._passing() if trajectory.key in self._places]
        if again:
            self.set_aside(again)
        self.arrange()
        return self.left(jobs)

    def add(self, trajectory: Trajectory, seconds: float) -> None:
        """Save one episode, on disk before this returns.

        Raises:
            StorageError: The disk refuses it.
        """
        self.add_all([(trajectory, Timing(seconds))])

    def add_all(self, episodes: Sequence[tuple[Trajectory, Timing]]) -> None:
        """Save some episodes, each with the time that it took; all are on disk before this returns.

        Raises:
            StorageError: The disk refuses them; none of them is saved.
        """
        # In between, an episode would be on disk and not among those that are saved.
        with held():
            self._lines.write("\n".join(trajectory.to_json() for trajectory, _ in episodes))
            self.trajectories += [trajectory for trajectory, _ in episodes]
            self._timings.write("\n".join(_timing(trajectory, timing) for trajectory, timing in episodes))

    def arrange(self) -> None:
        """Put the saved episodes in the order of the jobs, where they are not; the file is replaced whole."""
        last = len(self._places)
        ordered = sorted(self.trajectories, key=lambda saved: self._places.get(saved.key, last))
        if ordered != self.trajectories:
            self._replace(ordered)

    def finish(self, summary: JsonMapping) -> None:
        """Write the summary.

        Raises:
            StorageError: The disk refuses it.
        """
        write_json(self.folder / "summary.json", summary)

    def close(self) -> None:
        """Close the files."""
        self._lines.close()
        self._timings.close()

    def _passing(self) -> list[Trajectory]:
        """Return the episodes that nobody judged, and that failed for a reason that may pass."""
        failed = [saved for saved in self.trajectories if may_pass(saved)]
        if not failed:
            return []
        # What `stb-env judge` has mended since is judged.
        judgements = read_judgements(verdict_file(self.folder, self._judge))
        judged = {key for key, judgement in judgements.items() if judgement.verdict is not None}
        return [saved for saved in failed if saved.key not in judged]

    def set_aside(self, again: Sequence[Trajectory]) -> None:
        """Move episodes that are to be played again to ``failures.jsonl``.

        Raises:
            StorageError: The disk refuses it; nothing is lost.
        """
        # Written there before it is taken from here: who is killed in between finds it in both, and a later
        # sitting plays it all the same.
        keys = {saved.key for saved in again}
        failures = LineWriter(self.folder / "failures.jsonl")
        try:
            for saved, line in zip(self.trajectories, self._raw_lines(), strict=True):
                if saved.key in keys:
                    failures.write(line)
        finally:
            failures.close()
        forget(self.folder, keys)
        self._replace([saved for saved in self.trajectories if saved.key not in keys])

    def _replace(self, kept: Sequence[Trajectory]) -> None:
        """Replace the file by one that holds these of its episodes, each line as it was written."""
        lines = dict(zip(map(id, self.trajectories), self._raw_lines(), strict=True))
        write_text(self._file, "".join(f"{lines[id(saved)]}\n" for saved in kept))
        self._lines.close()
        self._lines = LineWriter(self._file)
        self.trajectories = list(kept)

    def _raw_lines(self) -> list[str]:
        return self._file.read_bytes().decode("utf-8").split("\n")[:-1]


def _timing(episode: Trajectory, timing: Timing) -> str:
    task_id, trial, seed = episode.key
    line: JsonObject = {"task_id": task_id, "trial": trial, "seed": seed, "seconds": round(timing.seconds, 6)}
    if timing.waited:
        line["waited"] = {role: round(seconds, 6) for role, seconds in timing.waited.items()}
    if timing.steps:
        line["steps"] = [round(seconds, 6) for seconds in timing.steps]
    return jsontext.dumps(line)


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
