"""Episodes on a cluster: each job is one, played on the event loop of its worker or in a thread there."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from stb_env.errors import InfrastructureError
from stb_env.runs.cluster.worker_setup import WorkerSetup
from stb_env.runs.episode import unplayed
from stb_env.runs.guarded_agent import GuardedAgent
from stb_env.runs.job import Job
from stb_env.runs.loop import Stage
from stb_env.runs.players import Timed, Worker
from stb_env.runs.timing import Timing
from stb_env.trajectory import Trajectory

Play: TypeAlias = Callable[[Job], Awaitable[Timed]]


@dataclass(frozen=True)
class EpisodeSetup(WorkerSetup[Job, Timed]):
    """A worker that plays episodes."""

    def player(self, tell: Callable[[str], None]) -> Play:
        """Return what plays an episode; see `WorkerSetup`."""
        spare = [self.make_env()]
        make_env = lambda: spare.pop() if spare else self.make_env()  # noqa: E731
        guarding = partial(_guarded, self, tell)
        if guarding().blocks:
            return _in_threads(partial(Worker, make_env, guarding, self.deadlines), self.concurrency)
        return _on_loop(Stage(make_env, guarding, self.concurrency, self.deadlines))

    def written(self, played: Timed) -> tuple[str, Timing]:
        """Return an episode as its line."""
        trajectory, timing = played
        return trajectory.to_json(), timing

    def read(self, written: tuple[str, Timing]) -> Timed:
        """Return the episode of a line."""
        line, timing = written
        return Trajectory.from_json(line), timing

    def given_up(self, job: Job, failure: InfrastructureError) -> Timed:
        """Return an episode that failed before it was begun."""
        return unplayed(job.task_id, job.seed, job.trial, failure), Timing(0.0)


def _guarded(setup: EpisodeSetup, tell: Callable[[str], None]) -> GuardedAgent:
    return GuardedAgent(setup.make_agent(), tell)


def _on_loop(stage: Stage) -> Play:
    async def play(job: Job) -> Timed:
        place = await stage.place()
        try:
            return await stage.play(job, place)
        finally:
            place.leave()

    return play


def _in_threads(make_worker: Callable[[], Worker], concurrency: int) -> Play:
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="episode")
    local, lock = threading.local(), threading.Lock()

    def play_here(job: Job) -> Timed:
        if not hasattr(local, "worker"):
            with lock:
                local.worker = make_worker()
        worker: Worker = local.worker
        return worker.play(job)

    async def play(job: Job) -> Timed:
        return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, play_here, job)

    return play
