"""What the parts of a run on a cluster cost, as noted once or measured here."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

from stb_env.baselines.gold import Gold
from stb_env.jsontypes import JsonObject
from stb_env.lab.cluster_model import ClusterModel
from stb_env.lab.latent_gold import LatentGold
from stb_env.rollout import Job, Run, plan, run_batch
from stb_env.rollout.cluster.courier import Luggage
from stb_env.rollout.cluster.ray_cluster import RayCluster, RayMachines
from stb_env.rollout.deadlines import NO_DEADLINES
from stb_env.rollout.make import make_env
from stb_env.rollout.timing import Timing
from stb_env.trajectory import Trajectory

ENV = "stb/Sandbox-v0"
_EPISODES = 60
_TRIPS = 50
_MANY = 4_000


@dataclass(frozen=True, slots=True)
class ClusterFigures:
    """Costs in seconds.

    Attributes:
        cpu: What an episode that computes little takes of a worker's core.
        busy: The same of the agent that computes.
        write: What an episode takes of the driver: to be read, checked and written.
        sync: How long the driver waits for its disk, whatever it writes.
        reply: What a reply takes of the driver.
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
        """Measure them on this machine, with a Ray that is started for it.

        Raises:
            ConfigError: Ray is not installed.
        """
        _played(0.0)  # what is made and imported once is no part of an episode
        cpu, episodes = _played(0.0)
        busy, _ = _played(None)
        reply, trip = _asked()
        told = f"Costs were measured on this machine ({os.cpu_count()} cores)."
        return cls(cpu, busy, *_written(episodes), reply, trip, told)

    def model(self, workers: int, concurrency: int, waiting: float) -> ClusterModel:
        """Return a cluster where each worker, and the driver, has a core of its own."""
        return ClusterModel(
            workers, concurrency, self.cpu, waiting, self.write, self.reply, self.trip, self.sync
        )

    def here(self, workers: int, concurrency: int, waiting: float) -> ClusterModel:
        """Return a cluster on this machine alone; an agent that waits for nothing computes."""
        return ClusterModel(
            workers,
            concurrency,
            self.cpu if waiting else self.busy,
            waiting,
            self.write,
            self.reply,
            self.trip,
            self.sync,
            cores=os.cpu_count() or 1,
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


class _Roll:
    """A courier by whom one learns when all workers play."""

    def __init__(self) -> None:
        self.present: set[int] = set()

    def collect(self) -> JsonObject:
        return {"pid": os.getpid()}

    def deliver(self, news: JsonObject) -> None:
        self.present.add(news["pid"])

    def close(self) -> None:
        pass


class _Enough(Exception):
    """As many episodes are saved as were to be timed."""


def measured_rate(workers: int, concurrency: int, waiting: float, episodes: int) -> float:
    """Return how many episodes a second a real cluster of this machine saves while all workers play.

    Args:
        workers: How many workers.
        concurrency: Episodes that each plays at the same time.
        waiting: Seconds that an episode waits; 0 computes.
        episodes: How many are timed.
    """
    roll, saved = _Roll(), []

    def timed(_: Trajectory) -> None:
        if len(roll.present) == workers:
            saved.append(time.perf_counter())
        if len(saved) > episodes:
            raise _Enough

    with tempfile.TemporaryDirectory() as folder, closing(Run(Path(folder), {})) as run, suppress(_Enough):
        run_batch(
            partial(make_env, ENV, {}),
            partial(LatentGold, waiting or None),
            _jobs(_MANY),
            run,
            concurrency=concurrency,
            progress=timed,
            cluster=RayCluster(workers=workers),
            courier=roll,
        )
    return (len(saved) - 1) / (saved[-1] - saved[0])


def _jobs(count: int) -> list[Job]:
    tasks = make_env(ENV, {}).tasks
    trials = -(-count // (tasks.size or count))
    return plan(tasks, episodes=None, trials=trials)[:count]


def _played(seconds: float | None) -> tuple[float, list[Trajectory]]:
    start = time.perf_counter()
    episodes = run_batch(partial(make_env, ENV, {}), partial(LatentGold, seconds), _jobs(_EPISODES))
    return (time.perf_counter() - start) / len(episodes), episodes


def _written(episodes: list[Trajectory]) -> tuple[float, float]:
    """Return what an episode takes to be saved, and what saving takes whatever is saved."""
    lines = [episode.to_json() for episode in episodes]
    with tempfile.TemporaryDirectory() as folder, closing(Run(Path(folder), {})) as run:
        start = time.perf_counter()
        run.add_all([(Trajectory.from_json(line), Timing(0.0)) for line in lines])
        together = time.perf_counter() - start
        single = []
        for episode in episodes:
            start = time.perf_counter()
            run.add(episode, 0.0)
            single.append(time.perf_counter() - start)
    sync = median(single)
    return max(0.0, together - sync) / len(lines), sync


def _asked() -> tuple[float, float]:
    """Return what an empty reply takes of this process, and how long one way takes."""
    machines = RayMachines(RayCluster(workers=1))
    try:
        worker = machines.hire()
        luggage = machines.pack(Luggage(partial(make_env, ENV, {}), Gold, 1, NO_DEADLINES))
        for method, *given in (("begin", luggage), ("about",)):
            _answer(machines, worker, method, *given)
        start, begun = time.process_time(), []
        for _ in range(_TRIPS):
            sent = time.perf_counter()
            _answer(machines, worker, "about")
            begun.append(time.perf_counter() - sent)
        return (time.process_time() - start) / _TRIPS, median(begun) / 2
    finally:
        machines.close()


def _answer(machines: RayMachines, worker: object, method: str, *given: object) -> JsonObject:
    ticket = machines.ask(worker, method, *given)
    machines.ready([ticket], None)
    return machines.answer(ticket)
