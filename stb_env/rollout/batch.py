"""Playing many episodes, one after the other or several at the same time."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from typing import Any

import gymnasium as gym

from stb_env.errors import ConfigError
from stb_env.rollout.agent import AgentFactory
from stb_env.rollout.breaker import Breaker
from stb_env.rollout.episode import play
from stb_env.rollout.guarded_agent import GuardedAgent
from stb_env.rollout.job import Job
from stb_env.rollout.run import Run
from stb_env.trajectory import Trajectory

_log = logging.getLogger(__name__)

Timed = tuple[Trajectory, float]
"""An episode, and how many seconds it took."""

Remark = Callable[[str], None]
"""Told in one sentence what a person should know."""


def run_batch(
    make_env: Callable[[], gym.Env[Any, Any]],
    make_agent: AgentFactory,
    jobs: Iterable[Job],
    run: Run | None = None,
    *,
    concurrency: int = 1,
    progress: Callable[[Trajectory], None] | None = None,
    breaker: Breaker | None = None,
    remark: Remark = _log.warning,
) -> list[Trajectory]:
    """Play episodes, saving each in job order whatever the concurrency; skip what the run has already.

    An exception of the agent's own ends its episode alone, as invalid.

    Args:
        make_env: Makes an environment; called once a worker.
        make_agent: Makes an agent; called once a worker.
        jobs: The episodes.
        run: Where to save; None keeps them in memory alone.
        concurrency: Worker threads. Episodes are independent, so a slow one holds up no other.
        progress: Called after each saved episode.
        breaker: Ends the run where episodes keep failing alike; None plays on.
        remark: Told of each bug of the agent's, once; a log where not given.

    Returns:
        Every trajectory of the run, the ones of earlier sittings included.

    Raises:
        ConfigError: ``concurrency`` is below 1.
        RunStopped: The breaker ended it, or the disk refuses what is played.

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
    todo = list(jobs)
    if run is not None:
        todo = run.begin(todo)
    played: list[Trajectory] = []
    tell = _Once(remark)

    def guarded() -> GuardedAgent:
        return GuardedAgent(make_agent(), tell)

    try:
        with closing(_play_all(make_env, guarded, todo, concurrency)) as episodes:
            for trajectory, seconds in episodes:
                if run is not None:
                    run.add(trajectory, seconds)
                played.append(trajectory)
                if progress is not None:
                    progress(trajectory)
                if breaker is not None:
                    breaker.watch(trajectory)
    finally:
        if run is not None:
            run.arrange()
    return run.trajectories if run is not None else played


class _Once:
    """Tells each remark once, whichever worker has it first."""

    def __init__(self, remark: Remark) -> None:
        self._remark = remark
        self._told: set[str] = set()
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        with self._lock:
            if text not in self._told:
                self._told.add(text)
                self._remark(f"{text}; such an episode is invalid")


def _play_all(
    make_env: Callable[[], gym.Env[Any, Any]], make_agent: AgentFactory, jobs: list[Job], concurrency: int
) -> Generator[Timed, None, None]:
    local = threading.local()
    made: list[gym.Env[Any, Any]] = []

    def work(job: Job) -> Timed:
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
    work: Callable[[Job], Timed], jobs: list[Job], concurrency: int
) -> Generator[Timed, None, None]:
    with ThreadPoolExecutor(concurrency, thread_name_prefix="episode") as pool:
        pending: list[Future[Timed]] = []
        try:
            # A thread starts with an empty context; what the caller's holds (a meter) is to hold here too.
            pending = [pool.submit(copy_context().run, work, job) for job in jobs]
            for future in pending:
                yield future.result()
        finally:
            for future in pending:
                future.cancel()
