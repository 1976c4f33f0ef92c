"""Costs of the parts of a run on a cluster: recorded ones, or measured on this machine."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import linear_regression, median

from stb_env import ConfigError, Job, Trajectory, plan, run_batch
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.lab.cluster_model import ClusterModel
from stb_env.runs import Run
from stb_env.runs.baselines.gold import Gold
from stb_env.runs.cluster.ray_cluster import RayCluster, RayMachines
from stb_env.runs.garbage_collection import seldom
from stb_env.runs.make import make_env
from stb_env.runs.timing import Timing

ENV = "stb/Sandbox-v1"
_EARLY, _EPISODES = 20, 80
"""Of each worker: what it plays before it is timed, and what is timed."""
_TRIPS = 50
_MANY = 4_000


# Some milliseconds of a core: more than an episode takes otherwise, and little enough for hundreds of them.
_WORK = 60_000


class LatentGold(Gold):
    """Waits before its first decision as for a model, or computes in the place of waiting.

    Args:
        seconds: How long it waits; None computes.

    Examples:
        >>> from stb_env import play
        >>> from stb_env.testing.notes import notes
        >>> play(notes(), LatentGold(0.0), task_id="day", seed=0).solved
        True
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._rested = False

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Begin an episode."""
        super().reset(env, seed)
        self._rested = False

    async def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> object:
        """Wait or compute once an episode, then do what is right."""
        if not self._rested:
            self._rested = True
            if self._seconds is None:
                sum(number * number for number in range(_WORK))
            elif self._seconds:
                await asyncio.sleep(self._seconds)
        return super().act(observation, info)


@dataclass(frozen=True, slots=True)
class ClusterFigures:
    """Costs in seconds: of a core where it says so, else as a clock on the wall shows them.

    Attributes:
        cpu: What an episode that computes little takes of a worker's core, its reply included.
        busy: The same of the agent that computes.
        write: What an episode takes of the driver's core: to be read, checked and written.
        sync: How long the driver waits for its disk, whatever it writes.
        reply: What a reply takes of the driver's core.
        trip: How long a message is on its way.
        origin: Where they come from, in a sentence.
    """

    cpu: float
    busy: float
    write: float
    sync: float
    reply: float
    trip: float
    origin: str

    @classmethod
    def measured(cls) -> ClusterFigures:
        """Measure them on this machine, with a Ray that is started for it where none is connected.

        Raises:
            ConfigError: Ray is not installed.
        """
        # With a worker on each core: where all of them work, each does less than one alone.
        cores = os.cpu_count() or 1
        light, busy = (play_on_cluster(cores, 1, seconds) for seconds in (0.0, None))
        write, sync = _written(light.episodes)
        origin = f"Costs were measured on this machine ({cores} cores)."
        return cls(light.worker, busy.worker, write, sync, max(0.0, light.driver - write), _trip(), origin)

    def model(
        self, workers: int, concurrency: int, waiting: float | None, cores: float | None = None
    ) -> ClusterModel:
        """Return a cluster; episodes wait for models, or compute where ``waiting`` is None.

        Each worker, and the driver, has a core of its own, or all share as many as are given.
        """
        return ClusterModel(
            workers,
            concurrency,
            self.busy if waiting is None else self.cpu,
            waiting or 0.0,
            self.write,
            self.reply,
            self.trip,
            self.sync,
            cores=cores,
        )

    def to_dict(self) -> dict[str, float]:
        """Return the costs as plain data."""
        return {name: value for name, value in asdict(self).items() if name != "origin"}


MEASURED = ClusterFigures(
    cpu=0.0018,
    busy=0.0041,
    write=0.00027,
    sync=0.0073,
    reply=0.00066,
    trip=0.00067,
    origin="Costs are those of a Sandbox episode, as docs/scale.md has them; --set measure=true measures "
    "here.",
)


@dataclass(frozen=True, slots=True)
class Played:
    """Figures of a run on a real cluster of this machine, while all its workers play.

    Attributes:
        rate: Episodes saved a second.
        worker: What an episode took of its worker's core.
        driver: What it took of the driver's.
        cores: Cores that others left: what the run took, and what nobody did.
        episodes: The episodes.
    """

    rate: float
    worker: float
    driver: float
    cores: float
    episodes: list[Trajectory]


class _WorkerTimes:
    """Carries back the CPU time of each worker, which also tells when all of them play."""

    def __init__(self) -> None:
        self.taken: dict[int, float] = {}

    def begin(self) -> None:
        pass

    def collect(self) -> dict[str, object]:
        return {"pid": os.getpid(), "taken": time.process_time()}

    def deliver(self, news: JsonObject) -> None:
        self.taken[news["pid"]] = news["taken"]

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class _Moment:
    """Readings of all clocks when an episode is saved."""

    wall: float
    workers: float
    driver: float
    idle: float

    @classmethod
    def now(cls, times: _WorkerTimes) -> _Moment:
        return cls(time.perf_counter(), sum(times.taken.values()), time.process_time(), _idle())


class _Enough(Exception):
    """Enough episodes are timed."""


def play_on_cluster(workers: int, concurrency: int, waiting: float | None) -> Played:
    """Play on a real cluster of this machine and measure it; episodes compute where ``waiting`` is None."""
    times, played = _WorkerTimes(), []
    moments: list[_Moment] = []
    # The first episodes of each worker take longer, and arrive together when the last worker starts.
    early = workers * (_EARLY + 2 * concurrency)

    def timed(episode: Trajectory) -> None:
        if len(times.taken) == workers:
            moments.append(_Moment.now(times))
            played.append(episode)
        if len(moments) > early + workers * _EPISODES:
            raise _Enough

    with tempfile.TemporaryDirectory() as folder, closing(Run(Path(folder), {})) as run, suppress(_Enough):
        run_batch(
            partial(make_env, ENV, {}),
            partial(LatentGold, waiting),
            _jobs(_MANY),
            run,
            concurrency=concurrency,
            progress=timed,
            cluster=RayCluster(workers=workers),
            link=times,
        )
    return _seen(moments[early:], played)


def _seen(moments: list[_Moment], played: list[Trajectory]) -> Played:
    first, last = moments[0], moments[-1]
    count, seconds = len(moments) - 1, last.wall - first.wall
    worker, driver = last.workers - first.workers, last.driver - first.driver
    # Episodes are saved in batches, so a fit over all of them is used and not the first and the last alone.
    rate = linear_regression([moment.wall for moment in moments], range(len(moments))).slope
    cores = (worker + driver + last.idle - first.idle) / seconds
    return Played(rate, worker / count, driver / count, min(cores, os.cpu_count() or 1), played)


def _idle() -> float:
    """Return the seconds in which cores of this machine have done nothing, all of them together."""
    try:
        import psutil
    except ImportError as error:
        raise ConfigError("measuring a cluster needs psutil: pip install 'stb-env[ray]'") from error
    times = psutil.cpu_times()
    # Only Linux tells apart what waits for a disk.
    return float(times.idle + getattr(times, "iowait", 0.0))


def _jobs(count: int) -> list[Job]:
    tasks = make_env(ENV, {}).tasks
    trials = -(-count // (tasks.size or count))
    return plan(tasks, episodes=None, trials=trials)[:count]


def _written(episodes: list[Trajectory]) -> tuple[float, float]:
    """Return what an episode takes of a core to be saved, and how long the disk is waited for."""
    lines = [episode.to_json() for episode in episodes[:_EPISODES]]
    with seldom(), tempfile.TemporaryDirectory() as folder, closing(Run(Path(folder), {})) as run:
        run.add(Trajectory.from_json(lines[0]), 0.0)  # what is imported once is no part of a line
        start = time.thread_time()
        run.add_all([(Trajectory.from_json(line), Timing(0.0)) for line in lines])
        together = time.thread_time() - start
        waited = []
        for episode in episodes[:_EPISODES]:
            start, taken = time.perf_counter(), time.thread_time()
            run.add(episode, 0.0)
            waited.append(time.perf_counter() - start - (time.thread_time() - taken))
    return together / len(lines), max(0.0, median(waited))


def _trip() -> float:
    """Return how long a message is on its way, one way."""
    machines = RayMachines(RayCluster(workers=1))
    try:
        worker = machines.hire()
        took = []
        for _ in range(_TRIPS):
            sent = time.perf_counter()
            ticket = machines.ask(worker, "about")
            machines.ready([ticket], None)
            machines.answer(ticket)
            took.append(time.perf_counter() - sent)
        return median(took) / 2
    finally:
        machines.close()
