"""What plays the jobs of a batch: one after the other, in threads, or (see `loop`) on an event loop."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from itertools import takewhile
from typing import Any, Protocol

import gymnasium as gym

from stb_env.interrupts import passing
from stb_env.request import drive
from stb_env.rollout.agent import AgentFactory
from stb_env.rollout.deadlines import Deadlines
from stb_env.rollout.episode import episode
from stb_env.rollout.job import Job
from stb_env.rollout.timing import Stopwatch, Timing
from stb_env.trajectory import Trajectory

Timed = tuple[Trajectory, Timing]
"""An episode, and how long it took."""

AHEAD = 4
"""Episodes begun and not yet saved, for each that is played at the same time: one that hangs keeps the later
ones from being saved, and no more of them than this are held in memory for it."""


class Players(Protocol):
    """Plays jobs and hands the episodes out in their order; who takes them says how many are saved."""

    def take(self, saved: int) -> list[Timed]:
        """Wait for the next episode, and return it with those after it that are finished too.

        Args:
            saved: How many episodes from the first on are saved: they are not held any more.

        Returns:
            Episodes in job order; none at the end.
        """
        ...

    def stop(self, saved: int) -> list[Timed]:
        """End what is played, and return what is finished and was not saved, in job order."""
        ...


class Worker:
    """Plays one job after the other with an agent and an environment of its own, made for the first one.

    Args:
        make_env: Makes the environment.
        make_agent: Makes the agent.
        deadlines: How long things may take.
    """

    def __init__(
        self, make_env: Callable[[], gym.Env[Any, Any]], make_agent: AgentFactory, deadlines: Deadlines
    ) -> None:
        self.agent = make_agent()
        self.env = self.agent.wrap(make_env())
        self._deadlines = deadlines

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
        self._jobs = jobs
        self._worker: Worker | None = None

    def take(self, saved: int) -> list[Timed]:
        """Play the next job."""
        if saved == len(self._jobs):
            return []
        with passing():
            if self._worker is None:
                self._worker = self._make_worker()
            return [self._worker.play(self._jobs[saved])]

    def stop(self, saved: int) -> list[Timed]:  # noqa: ARG002 (as `Players` has it)
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
        self._jobs = jobs
        self._ahead = AHEAD * concurrency
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="episode")
        self._local = threading.local()
        self._workers: list[Worker] = []
        self._pending: deque[Future[Timed]] = deque()
        self._first = 0

    def take(self, saved: int) -> list[Timed]:
        """Wait for the next episode; see `Players`."""
        while self._first < saved:
            self._pending.popleft()
            self._first += 1
        begun = self._first + len(self._pending)
        for job in self._jobs[begun : saved + self._ahead]:
            # A thread starts with an empty context; what the caller's holds (a meter) is to hold here too.
            self._pending.append(self._pool.submit(copy_context().run, self._play, job))
        if not self._pending:
            return []
        first, *later = self._pending
        with passing():
            wait([first])
        also = takewhile(_is_there, later)
        return [first.result(), *(future.result() for future in also)]

    def stop(self, saved: int) -> list[Timed]:
        """Wait for the episodes that are being played; see `Players`."""
        with passing(again=True):
            self._pool.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.env.close()
        left = list(self._pending)[saved - self._first :]
        return [future.result() for future in left if _is_there(future)]

    def _play(self, job: Job) -> Timed:
        if not hasattr(self._local, "worker"):
            self._local.worker = self._make_worker()
            self._workers.append(self._local.worker)
        worker: Worker = self._local.worker
        return worker.play(job)


def _is_there(episode: Future[Timed]) -> bool:
    return episode.done() and not episode.cancelled() and episode.exception() is None
