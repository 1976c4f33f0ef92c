"""A run: many episodes in one folder, resumable exactly once by task, trial and seed."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym

from stb_env import jsontext
from stb_env.errors import ConfigError
from stb_env.files import LineWriter, write_json
from stb_env.jsontypes import JsonMapping, JsonObject
from stb_env.rollout.agent import AgentFactory
from stb_env.rollout.episode import play
from stb_env.seeding import derive
from stb_env.tasks import TaskSource
from stb_env.trajectory import Trajectory, read_trajectories


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to play.

    Attributes:
        task_id: The task.
        trial: Which repetition of the task it is.
        seed: Seed of the episode and of the agent.

    Examples:
        >>> from stb_env import Job
        >>> Job("588", trial=0, seed=7).key
        ('588', 0, 7)
    """

    task_id: str
    trial: int
    seed: int

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes it unique in a run."""
        return self.task_id, self.trial, self.seed


def plan(tasks: TaskSource, *, episodes: int | None, trials: int = 1, seed: int = 0) -> list[Job]:
    """List the episodes of a run in task order; an episode's seed follows from (seed, task, trial).

    Args:
        tasks: Where tasks come from.
        episodes: How many tasks; None for all of them.
        trials: How often each is played.
        seed: Seed of the run.

    Raises:
        ConfigError: A number is out of range.

    Examples:
        >>> from stb_env import plan
        >>> from stb_env.testing.notes import notes
        >>> [(job.task_id, job.trial) for job in plan(notes().tasks, episodes=2, trials=2)]
        [('day', 0), ('day', 1), ('write', 0), ('write', 1)]
    """
    if trials < 1 or (episodes is not None and episodes < 1):
        raise ConfigError(f"episodes and trials must be at least 1, got {episodes} and {trials}")
    if episodes is None and tasks.size is None:
        raise ConfigError(f"{tasks.name} generates tasks without end; say how many with --episodes N")
    count = tasks.size if episodes is None else episodes
    if tasks.size is not None:
        count = min(count or 0, tasks.size)
    return [
        Job(task_id, trial, derive(seed, task_id, trial))
        for task_id in (tasks.at(index).id for index in range(count or 0))
        for trial in range(trials)
    ]


class Run:
    """The folder of a run: ``manifest.json``, ``trajectories.jsonl``, ``timings.jsonl``, ``summary.json``.

    Args:
        folder: Made where it does not exist.
        manifest: Everything that decides the numbers, as plain data.

    Raises:
        ConfigError: The folder holds a run with another manifest; the message shows the difference.
    """

    def __init__(self, folder: str | Path, manifest: JsonMapping) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._settle_manifest(json.loads(jsontext.dumps(dict(manifest))))
        file = self.folder / "trajectories.jsonl"
        self._lines = LineWriter(file)
        self._timings = LineWriter(self.folder / "timings.jsonl")
        self.trajectories = read_trajectories(file)

    def _settle_manifest(self, manifest: JsonObject) -> None:
        file = self.folder / "manifest.json"
        if file.is_file():
            known = json.loads(file.read_text(encoding="utf-8"))
            different = sorted(
                key for key in known.keys() | manifest.keys() if known.get(key) != manifest.get(key)
            )
            if different:
                shown = "; ".join(
                    f"{key}: there {known.get(key)!r}, now {manifest.get(key)!r}" for key in different
                )
                raise ConfigError(
                    f"{self.folder} holds a run with another configuration ({shown}); use another --out"
                )
        write_json(file, manifest)

    @property
    def done(self) -> set[tuple[str, int, int]]:
        """Keys of the episodes that are saved."""
        return {trajectory.key for trajectory in self.trajectories}

    def add(self, trajectory: Trajectory, seconds: float) -> None:
        """Save one episode, on disk before this returns."""
        self._lines.write(trajectory.to_json())
        task_id, trial, seed = trajectory.key
        self._timings.write(
            jsontext.dumps({"task_id": task_id, "trial": trial, "seed": seed, "seconds": round(seconds, 6)})
        )
        self.trajectories.append(trajectory)

    def finish(self, summary: JsonMapping) -> None:
        """Write the summary."""
        write_json(self.folder / "summary.json", summary)

    def close(self) -> None:
        """Close the files."""
        self._lines.close()
        self._timings.close()


def run_batch(
    make_env: Callable[[], gym.Env[Any, Any]],
    make_agent: AgentFactory,
    jobs: Iterable[Job],
    run: Run | None = None,
    *,
    concurrency: int = 1,
    progress: Callable[[Trajectory], None] | None = None,
) -> list[Trajectory]:
    """Play episodes, saving each in job order whatever the concurrency; skip what the run has already.

    Args:
        make_env: Makes an environment; called once a worker.
        make_agent: Makes an agent; called once a worker.
        jobs: The episodes.
        run: Where to save; None keeps them in memory alone.
        concurrency: Worker threads. Episodes are independent, so a slow one holds up no other.
        progress: Called after each saved episode.

    Returns:
        Every trajectory of the run, the ones of earlier sittings included.

    Raises:
        ConfigError: ``concurrency`` is below 1.

    Examples:
        >>> from stb_env import load_agent, plan, run_batch
        >>> from stb_env.testing.notes import notes
        >>> jobs = plan(notes().tasks, episodes=None)
        >>> played = run_batch(notes, load_agent("gold"), jobs, concurrency=2)
        >>> [trajectory.reward for trajectory in played]
        [1.0, 1.0, 1.0]
    """
    if concurrency < 1:
        raise ConfigError(f"concurrency must be at least 1, got {concurrency}")
    done = run.done if run is not None else set()
    todo = [job for job in jobs if job.key not in done]
    played: list[Trajectory] = []
    for trajectory, seconds in _play_all(make_env, make_agent, todo, concurrency):
        if run is not None:
            run.add(trajectory, seconds)
        played.append(trajectory)
        if progress is not None:
            progress(trajectory)
    return run.trajectories if run is not None else played


def _play_all(
    make_env: Callable[[], gym.Env[Any, Any]], make_agent: AgentFactory, jobs: list[Job], concurrency: int
) -> Iterator[tuple[Trajectory, float]]:
    local = threading.local()
    made: list[gym.Env[Any, Any]] = []

    def work(job: Job) -> tuple[Trajectory, float]:
        if not hasattr(local, "env"):
            local.agent = make_agent()
            local.env = local.agent.wrap(make_env())
            made.append(local.env)
        start = time.perf_counter()
        trajectory = play(local.env, local.agent, task_id=job.task_id, seed=job.seed, trial=job.trial)
        return trajectory, time.perf_counter() - start

    try:
        if concurrency == 1:
            yield from map(work, jobs)
        else:
            yield from _in_order(work, jobs, concurrency)
    finally:
        for env in made:
            env.close()


def _in_order(
    work: Callable[[Job], tuple[Trajectory, float]], jobs: list[Job], concurrency: int
) -> Iterator[tuple[Trajectory, float]]:
    with ThreadPoolExecutor(concurrency, thread_name_prefix="episode") as pool:
        pending: list[Future[tuple[Trajectory, float]]] = []
        try:
            # A thread starts with an empty context; what the caller's holds (a meter) is to hold here too.
            pending = [pool.submit(copy_context().run, work, job) for job in jobs]
            for future in pending:
                yield future.result()
        finally:
            for future in pending:
                future.cancel()
