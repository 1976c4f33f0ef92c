"""Players of a batch: one job after the other, in threads, or (see `loop`) on an event loop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from itertools import islice
from typing import Protocol

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.interrupts import REMINDER_S, passing, remind
from stb_env.core.request import drive
from stb_env.runs.agent import AgentFactory
from stb_env.runs.deadlines import Deadlines
from stb_env.runs.episode import episode
from stb_env.runs.job import Job
from stb_env.runs.timing import Stopwatch, Timing
from stb_env.runs.two_stages import Keeper
from stb_env.trajectory import Trajectory

Timed = tuple[Trajectory, Timing]
"""An episode, and how long it took."""

AHEAD = 4
"""Episodes in memory for each that is played at the same time: those that stand ready, that are judged, and
that have ended and are still to be saved."""


class Players(Protocol):
    """Plays jobs, and hands out each episode as it ends, whatever else is still played."""

    def take(self) -> list[Timed]:
        """Wait for an episode to end, and return all that have ended since the last time.

        Returns:
            Episodes in the order in which they ended; none at the end.
        """
        ...

    def stop(self) -> list[Timed]:
        """End what is played, and return the episodes that have ended and were not taken."""
        ...


class Worker:
    """Plays one job after the other with an agent and an environment of its own, made for the first one.

    Args:
        make_env: Makes the environment.
        make_agent: Makes the agent.
        deadlines: How long things may take.
        keeper: Saves episodes before they are judged; None saves nothing.
    """

    def __init__(
        self,
        make_env: Callable[[], AnyEnv],
        make_agent: AgentFactory,
        deadlines: Deadlines,
        keeper: Keeper | None = None,
    ) -> None:
        self.agent = make_agent()
        self.env = self.agent.wrap(make_env())
        self._deadlines = deadlines
        self._keeper = keeper

    def play(self, job: Job) -> Timed:
        """Play a job."""
        stopwatch = Stopwatch()
        slow = episode(
            self.env,
            self.agent,
            task_id=job.task_id,
            seed=job.seed,
            trial=job.trial,
            deadlines=self._deadlines,
            stopwatch=stopwatch,
            keeper=self._keeper,
        )
        return drive(slow), stopwatch.read()


class OnePlayer:
    """Plays one job after the other in the thread that takes them.

    Args:
        make_worker: Makes who plays.
        jobs: The jobs.
    """

    def __init__(self, make_worker: Callable[[], Worker], jobs: list[Job]) -> None:
        self._make_worker = make_worker
        self._jobs = iter(jobs)
        self._worker: Worker | None = None

    def take(self) -> list[Timed]:
        """Play the next job."""
        for job in self._jobs:
            with passing():
                if self._worker is None:
                    self._worker = self._make_worker()
                return [self._worker.play(job)]
        return []

    def stop(self) -> list[Timed]:
        """Close the environment; nothing is ever left."""
        if self._worker is not None:
            self._worker.env.close()
        return []


class ThreadPlayers:
    """Plays jobs in threads.

    Args:
        make_worker: Makes who plays; called once a thread.
        jobs: The jobs.
        concurrency: How many threads.
    """

    def __init__(self, make_worker: Callable[[], Worker], jobs: list[Job], concurrency: int) -> None:
        self._make_worker = make_worker
        self._jobs = iter(jobs)
        # So that a thread which is free finds the next job there.
        self._begun = 2 * concurrency
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="episode")
        self._local = threading.local()
        self._workers: list[Worker] = []
        self._pending: list[Future[Timed]] = []

    def take(self) -> list[Timed]:
        """Wait for an episode to end; see `Players`."""
        if not any(_failed(future) for future in self._pending):
            for job in islice(self._jobs, self._begun - len(self._pending)):
                # A thread starts with an empty context; the caller's (a meter) is to hold here too.
                self._pending.append(self._pool.submit(copy_context().run, self._play, job))
        if not self._pending:
            return []
        with passing():
            while not wait(self._pending, REMINDER_S, FIRST_COMPLETED).done:
                remind()
        return self._ended() or [future.result() for future in self._pending if _failed(future)]

    def stop(self) -> list[Timed]:
        """Wait for the episodes that are being played; see `Players`."""
        with passing(again=True):
            self._pool.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.env.close()
        return self._ended()

    def _ended(self) -> list[Timed]:
        there = [future for future in self._pending if future.done() and not _failed(future)]
        episodes = [future.result() for future in there if not future.cancelled()]
        self._pending = [future for future in self._pending if future not in there]
        return episodes

    def _play(self, job: Job) -> Timed:
        if not hasattr(self._local, "worker"):
            self._local.worker = self._make_worker()
            self._workers.append(self._local.worker)
        worker: Worker = self._local.worker
        return worker.play(job)


def _failed(episode: Future[Timed]) -> bool:
    return episode.done() and not episode.cancelled() and episode.exception() is not None
