"""A simulation of a run on many machines: what each part costs decides which of them is the bound."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from math import ceil

from stb_env.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ClusterModel:
    """Workers that play and one driver that writes, as the cluster of a run has them; times in seconds.

    A worker has a core of its own, or all share a few with the driver. An episode takes its part of a core
    and then waits for its models; the core's work comes first in one piece, which changes no rate. Machines
    are alike, nobody dies, and models answer as fast whoever asks.

    Attributes:
        workers: How many workers.
        concurrency: Episodes that each plays at the same time.
        cpu: What an episode takes of a core.
        waiting: What an episode waits for its models in all.
        write: What an episode takes of the driver: to be read, checked and saved.
        reply: What a reply takes of the driver, whatever is in it.
        trip: How long a message is on its way.
        unit: Jobs that are leased at once.
        cores: Cores that all share; None where each has its own.

    Raises:
        ConfigError: A number is out of range.

    Examples:
        >>> model = ClusterModel(workers=4, concurrency=8, cpu=0.001, waiting=0.8, write=0.0005)
        >>> round(model.rate(4_000)), round(model.bound)
        (39, 40)
    """

    workers: int
    concurrency: int = 1
    cpu: float = 0.0
    waiting: float = 0.0
    write: float = 0.0
    reply: float = 0.0
    trip: float = 0.0
    unit: int = 8
    cores: int | None = None

    def __post_init__(self) -> None:
        for name in ("workers", "concurrency", "unit"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("cpu", "waiting", "write", "reply", "trip"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} must not be negative, got {getattr(self, name):g}")
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
        """What the bound is of: ``models``, ``cores`` or ``driver``."""
        if self.write and self.bound == 1 / self.write:
            return "driver"
        places = self.workers * self.concurrency
        waits = self.cpu + self.waiting
        return "models" if self.waiting and waits and self.bound == places / waits else "cores"

    def rate(self, episodes: int) -> float:
        """Return how many of so many episodes are saved a second, from the first lease to the last."""
        return episodes / self.seconds(episodes)

    def seconds(self, episodes: int) -> float:
        """Return how long so many episodes take."""
        return _Simulation(self, episodes).run()


class _Simulation:
    """One run of a model, from event to event: jobs that arrive at a worker, and episodes that end there."""

    def __init__(self, model: ClusterModel, episodes: int) -> None:
        self._model, self._left = model, episodes
        self._driver_free = 0.0
        self._cores = [0.0] * (model.workers if model.cores is None else model.cores)
        self._held = [0] * model.workers
        self._queued = [0] * model.workers
        self._playing = [0] * model.workers
        self._heard = [-1.0] * model.workers
        # When, which worker, and how many jobs arrive; 0 where an episode ends.
        self._events: list[tuple[float, int, int]] = []

    def run(self) -> float:
        for worker in range(self._model.workers):
            while self._left and self._held[worker] <= self._model.concurrency:
                self._lease(worker)
        while self._events:
            when, worker, jobs = heapq.heappop(self._events)
            if jobs:
                self._queued[worker] += jobs
            else:
                self._playing[worker] -= 1
                self._tell(when, worker)
            self._begin(when, worker)
        return self._driver_free

    def _lease(self, worker: int) -> None:
        model = self._model
        room = model.concurrency + model.unit - self._held[worker]
        jobs = min(model.unit, room, ceil(self._left / model.workers))
        self._left -= jobs
        self._held[worker] += jobs
        heapq.heappush(self._events, (self._driver_free + model.trip, worker, jobs))

    def _begin(self, when: float, worker: int) -> None:
        model = self._model
        while self._queued[worker] and self._playing[worker] < model.concurrency:
            self._queued[worker] -= 1
            self._playing[worker] += 1
            done = self._on_core(when, model.cpu, worker)
            heapq.heappush(self._events, (done + model.waiting, worker, 0))

    def _tell(self, when: float, worker: int) -> None:
        """Have the driver save an episode; one that ends before the last reply is read is part of that."""
        model = self._model
        arrives = when + model.trip
        shared = when <= self._heard[worker]
        start = max(arrives, self._driver_free)
        work = model.write + (0.0 if shared else model.reply)
        self._driver_free = start + work if model.cores is None else self._on_core(start, work, -1)
        if not shared:
            self._heard[worker] = start
        self._held[worker] -= 1
        if self._left and self._held[worker] <= model.concurrency:
            self._lease(worker)

    def _on_core(self, when: float, work: float, worker: int) -> float:
        """Return when work is done that is there from a moment on."""
        if self._model.cores is None:
            self._cores[worker] = max(when, self._cores[worker]) + work
            return self._cores[worker]
        done = max(when, heapq.heappop(self._cores)) + work
        heapq.heappush(self._cores, done)
        return done
