"""What the parts of a run on a cluster cost, as noted once or measured here."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import closing
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
from stb_env.trajectory import Trajectory

ENV = "stb/Sandbox-v0"
_EPISODES = 60
_TRIPS = 50


@dataclass(frozen=True, slots=True)
class ClusterFigures:
    """Costs in seconds.

    Attributes:
        cpu: What an episode that computes little takes of a worker's core.
        busy: The same of the agent that computes.
        write: What an episode takes of the driver: to be read, checked and saved.
        reply: What a reply takes of the driver.
        trip: How long a message is on its way.
        told: Where they come from, in a sentence.
    """

    cpu: float
    busy: float
    write: float
    reply: float
    trip: float
    told: str

    @classmethod
    def measured(cls) -> ClusterFigures:
        """Measure them on this machine, with a Ray that is started for it.

        Raises:
            ConfigError: Ray is not installed.
        """
        cpu, episodes = _played(0.0)
        busy, _ = _played(None)
        reply, trip = _asked()
        told = f"Costs were measured on this machine ({os.cpu_count()} cores)."
        return cls(cpu, busy, _written(episodes), reply, trip, told)

    def model(self, workers: int, concurrency: int, waiting: float) -> ClusterModel:
        """Return a cluster where each worker, and the driver, has a core of its own."""
        return ClusterModel(workers, concurrency, self.cpu, waiting, self.write, self.reply, trip=self.trip)

    def here(self, workers: int, concurrency: int, waiting: float) -> ClusterModel:
        """Return a cluster on this machine alone; an agent that waits for nothing computes."""
        return ClusterModel(
            workers,
            concurrency,
            self.cpu if waiting else self.busy,
            waiting,
            self.write,
            self.reply,
            trip=self.trip,
            cores=os.cpu_count() or 1,
        )

    def to_dict(self) -> JsonObject:
        """Return the costs as plain data."""
        return {name: value for name, value in asdict(self).items() if name != "told"}


MEASURED = ClusterFigures(
    cpu=0.004,
    busy=0.02,
    write=0.0004,
    reply=0.001,
    trip=0.002,
    told="Costs are those of a Sandbox episode, as docs/scale.md has them; --set measure=true measures here.",
)


def measured_rate(workers: int, concurrency: int, waiting: float, episodes: int) -> float:
    """Return how many episodes a second a real cluster of this machine saves, once all workers play.

    Args:
        workers: How many workers.
        concurrency: Episodes that each plays at the same time.
        waiting: Seconds that an episode waits; 0 computes.
        episodes: How many are timed.
    """
    first = 2 * workers * (concurrency + 8)
    saved: list[float] = []
    run_batch(
        partial(make_env, ENV, {}),
        partial(LatentGold, waiting or None),
        _jobs(first + episodes),
        concurrency=concurrency,
        progress=lambda _: saved.append(time.perf_counter()),
        cluster=RayCluster(workers=workers),
    )
    return episodes / (saved[-1] - saved[first - 1])


def _jobs(count: int) -> list[Job]:
    tasks = make_env(ENV, {}).tasks
    trials = -(-count // (tasks.size or count))
    return plan(tasks, episodes=None, trials=trials)[:count]


def _played(seconds: float | None) -> tuple[float, list[Trajectory]]:
    start = time.process_time()
    episodes = run_batch(partial(make_env, ENV, {}), partial(LatentGold, seconds), _jobs(_EPISODES))
    return (time.process_time() - start) / len(episodes), episodes


def _written(episodes: list[Trajectory]) -> float:
    lines = [episode.to_json() for episode in episodes]
    with tempfile.TemporaryDirectory() as folder, closing(Run(Path(folder), {})) as run:
        start = time.perf_counter()
        for line in lines:
            run.add(Trajectory.from_json(line), 0.0)
        return (time.perf_counter() - start) / len(lines)


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
