"""What the parts of a run on a cluster cost, as noted once or measured here."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import linear_regression, median

from stb_env.errors import ConfigError
from stb_env.jsontypes import JsonObject
from stb_env.lab.cluster_model import ClusterModel
from stb_env.lab.latent_gold import LatentGold
from stb_env.rollout import Job, Run, plan, run_batch
from stb_env.rollout.cluster.ray_cluster import RayCluster, RayMachines
from stb_env.rollout.collector import seldom
from stb_env.rollout.make import make_env
from stb_env.rollout.timing import Timing
from stb_env.trajectory import Trajectory

ENV = "stb/Sandbox-v1"
_EARLY, _EPISODES = 20, 80
"""Of each worker: what it plays before it is timed, and what is timed."""
_TRIPS = 50
_MANY = 4_000


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
        told: Where they come from, in a sentence.
    """

    cpu: float
    busy: float
    write: float
    sync: float
    reply: float
    trip: float
    told: str

    @classmethod
    def measured(cls) -> ClusterFigures:
        """Measure them on this machine, with a Ray that is started for it where none is connected.

        Raises:
            ConfigError: Ray is not installed.
        """
        # With a worker on each core: where all of them work, each does less than one alone.
        cores = os.cpu_count() or 1
        light, busy = (played_there(cores, 1, seconds) for seconds in (0.0, None))
        write, sync = _written(light.episodes)
        told = f"Costs were measured on this machine ({cores} cores)."
        return cls(light.worker, busy.worker, write, sync, max(0.0, light.driver - write), _trip(), told)

    def model(self, workers: int, concurrency: int, waiting: float) -> ClusterModel:
        """Return a cluster where each worker, and the driver, has a core of its own."""
        return ClusterModel(
            workers, concurrency, self.cpu, waiting, self.write, self.reply, self.trip, self.sync
        )

    def here(self, workers: int, concurrency: int, waiting: float | None, cores: float) -> ClusterModel:
        """Return a cluster on this machine alone, with what others leave of its cores; None computes."""
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

    def to_dict(self) -> JsonObject:
        """Return the costs as plain data."""
        return {name: value for name, value in asdict(self).items() if name != "told"}


MEASURED = ClusterFigures(
    cpu=0.0018,
    busy=0.0041,
    write=0.00027,
    sync=0.0073,
    reply=0.00066,
    trip=0.00067,
    told="Costs are those of a Sandbox episode, as docs/scale.md has them; --set measure=true measures here.",
)


@dataclass(frozen=True, slots=True)
class Played:
    """What was seen of a run on a real cluster of this machine, while all its workers played.

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


class _Roll:
    """A courier by whom one learns when all workers play, and what they take of their cores."""

    def __init__(self) -> None:
        self.taken: dict[int, float] = {}

    def begin(self) -> None:
        pass

    def collect(self) -> JsonObject:
        return {"pid": os.getpid(), "taken": time.process_time()}

    def deliver(self, news: JsonObject) -> None:
        self.taken[news["pid"]] = news["taken"]

    def close(self) -> None:
        pass


@dataclass(frozen=True, slots=True)
class _Moment:
    """What all clocks show when an episode was saved."""

    wall: float
    workers: float
    driver: float
    idle: float

    @classmethod
    def now(cls, roll: _Roll) -> _Moment:
        return cls(time.perf_counter(), sum(roll.taken.values()), time.process_time(), _idle())


class _Enough(Exception):
    """As many episodes are saved as were to be timed."""


def played_there(workers: int, concurrency: int, waiting: float | None) -> Played:
    """Play on a real cluster of this machine, and tell what it took.

    Args:
        workers: How many workers.
        concurrency: Episodes that each plays at the same time.
        waiting: Seconds that an episode waits; None computes.
    """
    roll, played = _Roll(), []
    moments: list[_Moment] = []
    # Each worker's first ones take longer, and come in a heap when the last worker is there.
    early = workers * (_EARLY + 2 * concurrency)

    def timed(episode: Trajectory) -> None:
        if len(roll.taken) == workers:
            moments.append(_Moment.now(roll))
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
            courier=roll,
        )
    return _seen(moments[early:], played)


def _seen(moments: list[_Moment], played: list[Trajectory]) -> Played:
    first, last = moments[0], moments[-1]
    count, seconds = len(moments) - 1, last.wall - first.wall
    worker, driver = last.workers - first.workers, last.driver - first.driver
    # Many are saved at once, so the first and the last alone would tell of the heaps that they stand in.
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
