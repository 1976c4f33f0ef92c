"""The folder in which what was played by hand is kept, as a run keeps its episodes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from stb_env.runs.job import Job
from stb_env.runs.metrics.rates import summarize
from stb_env.runs.run import Run
from stb_env.seeding import derive
from stb_env.trajectory import Trajectory


class PlayedFolder:
    """Keeps each episode as soon as it is over; one that is played again is another trial.

    Args:
        out: Folder of the run; None keeps nothing.
        manifest: What decides the numbers.
        seed: Seed of the run.

    Attributes:
        kept: The episodes of this sitting.

    Raises:
        ConfigError: The folder holds another run.
        StorageError: The disk refuses it.
    """

    def __init__(self, out: Path | None, manifest: Mapping[str, object], seed: int) -> None:
        self._run = None if out is None else Run(out, manifest)
        self._who = {"env": manifest["env"], "agent": manifest["agent"]}
        self._seed = seed
        self._start = time.monotonic()
        self.kept: list[Trajectory] = []

    def job(self, task_id: str) -> Job:
        """Return the next episode of a task: its first trial that is not there."""
        trial = self._trial(task_id)
        return Job(task_id, trial, derive(self._seed, task_id, trial))

    def keep(self, played: Trajectory) -> None:
        """Save an episode, on disk before this returns.

        Raises:
            StorageError: The disk refuses it.
        """
        played = replace(played, trial=self._trial(played.task_id))
        self.kept.append(played)
        if self._run is not None:
            self._run.add(played, time.monotonic() - self._start)
            self._run.finish({**self._who, **summarize(self._run.trajectories)})

    def close(self) -> None:
        """Close the folder."""
        if self._run is not None:
            self._run.close()

    def _trial(self, task_id: str) -> int:
        known = self.kept if self._run is None else self._run.trajectories
        return max((episode.trial + 1 for episode in known if episode.task_id == task_id), default=0)
