"""A simulation of a run on many machines, from the cost of each part."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from math import ceil

from stb_env import ConfigError

_DRIVER = -1


@dataclass(frozen=True, slots=True)
class ClusterModel:
    """Workers that play and one driver that writes, as the cluster of a run has them; times in seconds.

    A worker has a core of its own, or all share a few with the driver. An episode takes its part of a core
    and then waits for its models; the core's work comes first in one piece, which changes no rate. Machines
    are alike, nobody dies, and models answer as fast whoever asks.

    Attributes:
        workers: Number of workers.
        concurrency: Episodes that each plays at the same time.
        cpu: What an episode takes of a core.
        waiting: What an episode waits for its models in all.
        write: What an episode takes of the driver: to be read, checked and written.
        sync: How long the driver waits for its disk, once for all episodes that are there.
        reply: What a reply takes of the driver, whatever is in it.
        trip: How long a message is on its way.
        unit: Jobs that are leased at once.
        cores: Cores that all share, less than whole ones where others use them too; None where each has its
            own.

    Raises:
        ConfigError: A number is out of range.

    Examples:
        >>> model = ClusterModel(workers=4, concurrency=8, cpu=0.001, waiting=0.8, write=0.0005)
        >>> round(model.rate(4_000)), round(model.bound), model.limited_by
        (40, 40, 'models')
    """

    workers: int
    concurrency: int = 1
    cpu: float = 0.0
    waiting: float = 0.0
    write: float = 0.0
    reply: float = 0.0
    trip: float = 0.0
    sync: float = 0.0
    unit: int = 8
    cores: float | None = None

    def __post_init__(self) -> None:
        for name in ("workers", "concurrency", "unit"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("cpu", "waiting", "write", "reply", "trip", "sync"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must not be negative, got {getattr(self, name):g}")
        if self.cores is not None and not self.cores > 0:
            raise ConfigError(f"cores must be above 0, got {self.cores:g}")
        if self.cpu + self.waiting + self.write <= 0:
            raise ConfigError("an episode that takes no time at all has no rate; give cpu, waiting or write")

    @property
    def bound(self) -> float:
        """Episodes a second that no order of things could exceed."""
        places = self.workers * self.concurrency
        cores = self.workers if self.cores is None else min(self.workers, self.cores)
        work = self.cpu if self.cores is None else self.cpu + self.write
        rates = [places / (self.cpu + self.waiting) if self.cpu + self.waiting else None]
        rates += [cores / work if work else None, 1 / self.write if self.write else None]
        return min(rate for rate in rates if rate is not None)

    @property
    def limited_by(self) -> str:
        """The part that sets the bound: ``models``, ``cores`` or ``driver``."""
        if self.write and self.bound == 1 / self.write:
            return "driver"
        places = self.workers * self.concurrency
        waits = self.cpu + self.waiting
        return "models" if self.waiting and waits and self.bound == places / waits else "cores"

    def rate(self, episodes: int) -> float:
        """Return how many of so many episodes are saved a second, from the first lease to the last."""
        return episodes / self.seconds(episodes)

    def lasting(self, episodes: int) -> float:
        """Return how many are saved a second between so many and twice as many, when all have long begun."""
        return episodes / (self.seconds(2 * episodes) - self.seconds(episodes))

    def seconds(self, episodes: int) -> float:
        """Return how long so many episodes take."""
        return _Simulation(self, episodes).run()


class _Simulation:
    """One run of a model, from event to event.

    An event is a worker's, or the driver's where the worker is -1: jobs arrive at a worker, an episode ends
    there (no jobs), the driver hears of one, or it has saved what it took and looks for more.
    """

    def __init__(self, model: ClusterModel, episodes: int) -> None:
        self._model, self._left, self._unplayed = model, episodes, episodes
        self._now = self._saved = 0.0
        self._cores = [0.0] * ceil(model.cores or 0)
        self._pace = 1.0 if model.cores is None else len(self._cores) / model.cores
        # When each worker, and the driver, has done its work: none does two things at once.
        self._free = [0.0] * (model.workers + 1)
        self._held = [0] * model.workers
        self._queued = [0] * model.workers
        self._playing = [0] * model.workers
        # What the driver has not taken yet, and what it is saving: episodes by worker.
        self._told: Counter[int] = Counter()
        self._saving: Counter[int] = Counter()
        self._events: list[tuple[float, int, int]] = []

    def run(self) -> float:
        for worker in range(self._model.workers):
            while self._lease(worker):
                pass
        while self._events:
            self._now, worker, jobs = heapq.heappop(self._events)
            if worker == _DRIVER:
                self._save(jobs)
            elif jobs:
                self._queued[worker] += jobs
                self._begin(worker)
            else:
                self._playing[worker] -= 1
                self._at(self._model.trip, _DRIVER, worker)
                self._begin(worker)
        return self._saved

    def _at(self, later: float, worker: int, what: int) -> None:
        heapq.heappush(self._events, (self._now + later, worker, what))

    def _lease(self, worker: int) -> bool:
        """Give a worker its next jobs, and return whether it could take any."""
        model, held = self._model, self._held[worker]
        if held > model.concurrency:
            return False
        part = ceil(self._unplayed / model.workers) - held
        jobs = max(0, min(model.unit, model.concurrency + model.unit - held, self._left, part))
        if jobs:
            self._left -= jobs
            self._held[worker] += jobs
            self._at(model.trip, worker, jobs)
        return jobs > 0

    def _begin(self, worker: int) -> None:
        model = self._model
        while self._queued[worker] and self._playing[worker] < model.concurrency:
            self._queued[worker] -= 1
            self._playing[worker] += 1
            self._at(self._on_core(model.cpu, worker) + model.waiting, worker, 0)

    def _save(self, told: int) -> None:
        """Have the driver hear of an episode, or end what it saves; then save all that is there."""
        if told == _DRIVER:
            self._saved = self._now
            for worker, episodes in self._saving.items():
                self._held[worker] -= episodes
                self._unplayed -= episodes
                self._lease(worker)
            self._saving = Counter()
        else:
            self._told[told] += 1
        if self._told and not self._saving:
            self._saving, self._told = self._told, Counter()
            work = self._model.write * self._saving.total() + self._model.reply * len(self._saving)
            self._at(self._on_core(work, _DRIVER) + self._model.sync, _DRIVER, _DRIVER)

    def _on_core(self, work: float, worker: int) -> float:
        """Return how long it takes from now until work is done, which comes after all that its worker has."""
        begin = max(self._now, self._free[worker])
        if self._model.cores is not None:
            begin = max(begin, heapq.heappop(self._cores))
        done = begin + work * self._pace
        if self._model.cores is not None:
            heapq.heappush(self._cores, done)
        self._free[worker] = done
        return done - self._now
