"""Playing many episodes, one after the other or several at the same time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Generic, Protocol, TypeVar

from stb_env.console.progress import bar
from stb_env.core.background import ended_in_thread, runs_here
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.interrupts import held, passing
from stb_env.errors import ConfigError
from stb_env.runs.agent import AgentFactory
from stb_env.runs.cluster.episode_setup import EpisodeSetup
from stb_env.runs.cluster.players import ClusterPlayers
from stb_env.runs.cluster.worker_setup import JobT, PlayedT, RunLink, WorkerSetup
from stb_env.runs.deadlines import NO_DEADLINES, Deadlines
from stb_env.runs.failure_limit import Breaker
from stb_env.runs.garbage_collection import seldom
from stb_env.runs.guarded_agent import GuardedAgent
from stb_env.runs.job import Job
from stb_env.runs.loop import BackgroundPlayers, LoopPlayers
from stb_env.runs.players import OnePlayer, Players, ThreadPlayers, Timed, Worker
from stb_env.runs.run import Run
from stb_env.runs.two_stages import Keeper
from stb_env.trajectory import Trajectory

_log = logging.getLogger(__name__)

T = TypeVar("T")

EnvFactory = Callable[[], AnyEnv]

Progress = Callable[[Trajectory], None]

Remark = Callable[[str], None]
"""Told in one sentence what a person should know."""


class Cluster(Protocol):
    """Machines that play a batch together, such as a `RayCluster`."""

    def players(
        self,
        setup: WorkerSetup[JobT, PlayedT],
        jobs: Iterable[JobT],
        remark: Remark,
        *,
        ordered: bool = False,
    ) -> ClusterPlayers[JobT, PlayedT]:
        """Return what plays the jobs there."""
        ...


def run_batch(
    make_env: EnvFactory,
    make_agent: AgentFactory,
    jobs: Iterable[Job],
    run: Run | None = None,
    *,
    concurrency: int = 1,
    progress: Progress | bool | None = None,
    breaker: Breaker | None = None,
    remark: Remark = _log.warning,
    deadlines: Deadlines = NO_DEADLINES,
    cluster: Cluster | None = None,
    link: RunLink | None = None,
    outlines: bool = False,
) -> list[Trajectory]:
    """Play episodes, saving each as it ends; skip what the run has already.

    An agent that can wait without a thread (see `Agent.blocks`) plays all its episodes on one event loop,
    each in a fork of one environment; any other plays each in a thread. Whoever is done leaves its place to
    the next, whatever else is still played: a slow episode holds up no other, and is not waited for to save
    them (see `Run`). Whatever ends a batch early, episodes that are finished are saved.

    An exception of the agent's own ends its episode alone, as invalid.

    Args:
        make_env: Makes an environment; called once, or once a thread.
        make_agent: Makes an agent; called once for each episode that is played at the same time, and for
            those that stand ready meanwhile.
        jobs: The episodes.
        run: Where to save; None keeps them in memory alone.
        concurrency: Episodes played at the same time; one that waits for its judge leaves its place to
            another.
        progress: Called after each saved episode, in the order in which they end; True for a bar on the
            terminal or in the notebook.
        breaker: Ends the run where episodes keep failing alike; None plays on.
        remark: Told of each bug of the agent's, once; a log where not given.
        deadlines: How long calls, steps and episodes may take.
        cluster: Machines that play, each worker of theirs as many at the same time as ``concurrency`` says;
            None plays here. ``make_env`` and ``make_agent`` travel there: functions of modules, or partials
            of such with plain arguments. What is saved is the same, byte for byte.
        link: Carries news back from the cluster's workers.
        outlines: Return the outline of each episode alone (`Trajectory.outline`), which takes little memory.

    Returns:
        Every trajectory of the run in job order, the ones of earlier sittings included.

    Raises:
        ConfigError: ``concurrency`` is below 1, or something cannot travel to the cluster.
        RunStopped: The breaker ended it, or the disk refuses what is played.

    Examples:
        >>> from stb_env import load_agent, plan, run_batch
        >>> from stb_env.testing.notes import notes
        >>> jobs = plan(notes().tasks, episodes=None)
        >>> played = run_batch(notes, load_agent("gold"), jobs, concurrency=2)
        >>> [trajectory.reward for trajectory in played]
        [1.0, 1.0, 1.0]
    """
    book = _Book(jobs, run, concurrency, breaker, outlines=outlines)
    guarding = _guarding(make_agent, remark)
    here, there = (book.jobs, []) if cluster is None else book.judged_here()
    with seldom(), _shown(progress, len(book.jobs)) as book.progress, held():
        if here or cluster is None:
            book.keep_all(_players(make_env, guarding, here, concurrency, deadlines, run))
        if there and cluster is not None:
            setup = EpisodeSetup(make_env, make_agent, concurrency, deadlines, link)
            book.keep_all(cluster.players(setup, there, _Once(remark)))
    return book.trajectories


async def arun_batch(
    make_env: EnvFactory,
    make_agent: AgentFactory,
    jobs: Iterable[Job],
    run: Run | None = None,
    *,
    concurrency: int = 1,
    progress: Progress | bool | None = None,
    breaker: Breaker | None = None,
    remark: Remark = _log.warning,
    deadlines: Deadlines = NO_DEADLINES,
    cluster: Cluster | None = None,
    link: RunLink | None = None,
) -> list[Trajectory]:
    """Play episodes on the event loop that runs; see `run_batch`. What is cancelled has saved what it could.

    Agents that block their thread block the loop, unless a cluster plays. Files are written, ``progress`` and
    ``breaker`` called, and machines of a cluster hired, in a worker thread.

    Examples:
        >>> import asyncio
        >>> from stb_env import load_agent, plan
        >>> from stb_env.testing.notes import notes
        >>> jobs = plan(notes().tasks, episodes=None)
        >>> played = asyncio.run(arun_batch(notes, load_agent("gold"), jobs, concurrency=64))
        >>> [trajectory.reward for trajectory in played]
        [1.0, 1.0, 1.0]
    """
    book = _Book(jobs, run, concurrency, breaker)
    here, there = (book.jobs, []) if cluster is None else book.judged_here()
    with seldom(), _shown(progress, len(book.jobs)) as book.progress:
        if here or cluster is None:
            guarding = _guarding(make_agent, remark)
            players = LoopPlayers(make_env, guarding, here, concurrency, deadlines, run)
            await book.akeep_all(players.take, players.stop)
        if there and cluster is not None:
            setup = EpisodeSetup(make_env, make_agent, concurrency, deadlines, link)
            machines = await ended_in_thread(partial(cluster.players, setup, there, _Once(remark)))
            await book.akeep_all(machines.atake, partial(ended_in_thread, machines.stop))
    return book.trajectories


class _Book:
    """Keeps the episodes of a batch.

    Attributes:
        jobs: What is to be played.
        progress: Called after each saved episode.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        run: Run | None,
        concurrency: int,
        breaker: Breaker | None,
        *,
        outlines: bool = False,
    ) -> None:
        if concurrency < 1:
            raise ConfigError(f"concurrency must be at least 1, got {concurrency}")
        self._run, self._breaker = run, breaker
        self._outlines = outlines
        self.progress: Progress | None = None
        self._played: list[Trajectory] = []
        self._taken: list[Timed] = []
        self.jobs = list(jobs) if run is None else run.begin(list(jobs))

    @property
    def trajectories(self) -> list[Trajectory]:
        """Every episode so far, in the order of the jobs."""
        if self._run is not None:
            return [episode.outline if self._outlines else episode for episode in self._run]
        places = {job.key: place for place, job in enumerate(self.jobs)}
        return sorted(self._played, key=lambda episode: places[episode.key])

    def judged_here(self) -> tuple[list[Job], list[Job]]:
        """Return the jobs that are played and wait for a verdict, which no cluster knows, and the others."""
        waiting = {job for job in self.jobs if self._run is not None and self._run.unjudged(job.key)}
        return [job for job in self.jobs if job in waiting], [job for job in self.jobs if job not in waiting]

    def keep_all(self, players: Players) -> None:
        """Save what is played as it ends."""
        try:
            while episodes := players.take():
                self.keep(episodes)
        finally:
            self.close(players.stop())

    async def akeep_all(
        self, take: Callable[[], Awaitable[list[Timed]]], stop: Callable[[], Awaitable[list[Timed]]]
    ) -> None:
        """Save what is played on the event loop as it ends."""
        try:
            while episodes := await take():
                await ended_in_thread(partial(self.keep, episodes))
        finally:
            self.close(await stop())

    def keep(self, episodes: list[Timed]) -> None:
        """Save episodes, and tell of each."""
        self._taken = episodes
        self._save(episodes)
        self._taken = []
        with passing():
            for trajectory, _ in episodes:
                if self.progress is not None:
                    self.progress(trajectory)
                if self._breaker is not None:
                    self._breaker.watch(trajectory)

    def close(self, left: list[Timed]) -> None:
        """Save what is finished."""
        # Who was interrupted while saving has perhaps saved.
        done = set() if self._run is None else self._run.done
        self._save([*(timed for timed in self._taken if timed[0].key not in done), *left])

    def _save(self, episodes: list[Timed]) -> None:
        if self._run is None:
            self._played += [episode.outline if self._outlines else episode for episode, _ in episodes]
        elif episodes:
            self._run.add_all(episodes)


@contextmanager
def _shown(progress: Progress | bool | None, episodes: int) -> Iterator[Progress | None]:
    """Yield what is to be called after each saved episode: a bar's, where a bar is asked for."""
    if not isinstance(progress, bool):
        yield progress
        return
    with bar("episodes", quiet=not progress) as tell:
        saved = count(1)
        tell(0, episodes)
        yield lambda _: tell(next(saved), episodes)


class _Spare(Generic[T]):
    """Makes things; the first can be looked at before it is asked for."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._spare: list[T] = []
        self._lock = threading.Lock()

    def first(self) -> T:
        """Return what the first call will return."""
        self._spare = self._spare or [self._make()]
        return self._spare[0]

    def __call__(self) -> T:
        with self._lock:
            if self._spare:
                return self._spare.pop()
        return self._make()


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


def _guarding(make_agent: AgentFactory, remark: Remark) -> Callable[[], GuardedAgent]:
    tell = _Once(remark)
    return lambda: GuardedAgent(make_agent(), tell)


def _players(
    make_env: EnvFactory,
    make_agent: AgentFactory,
    jobs: list[Job],
    concurrency: int,
    deadlines: Deadlines,
    keeper: Keeper | None,
) -> Players:
    agents = _Spare(make_agent)
    make_worker = partial(Worker, make_env, agents, deadlines, keeper)
    concurrency = min(concurrency, len(jobs))
    if concurrency <= 1:
        return OnePlayer(make_worker, jobs)
    # On the background loop itself nothing may wait for that loop.
    if agents.first().blocks or runs_here():
        return ThreadPlayers(make_worker, jobs, concurrency)
    base = _Spare(make_env)
    base.first()
    return BackgroundPlayers(LoopPlayers(base, agents, jobs, concurrency, deadlines, keeper))
