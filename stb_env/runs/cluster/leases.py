"""Leases: the jobs that each worker of a cluster holds."""

from __future__ import annotations

import heapq
from collections import Counter
from math import ceil

DEATHS = 3
"""Workers that may be lost with a job before it is given up: it is what kills them."""


class Leases:
    """Hands out jobs, by their numbers, in small units; takes back what a lost worker did not return.

    A job that was with two lost workers is played alone on a worker, so that the next loss is its own doing
    and no other job is blamed for it.

    Args:
        count: How many jobs there are.
        unit: How many a worker is given at once.

    Examples:
        >>> leases = Leases(5, unit=2)
        >>> leases.lease("a", 2), leases.lease("b", 2)
        ([0, 1], [2, 3])
        >>> leases.returned("a", 0), leases.returned("a", 0)
        (True, False)
        >>> leases.lost("a"), leases.lease("b", 4)
        ([], [1, 4])
    """

    def __init__(self, count: int, *, unit: int) -> None:
        self.unit = unit
        self._count = count
        self._next = 0
        self._again: list[int] = []
        self._alone: list[int] = []
        self._held: dict[str, set[int]] = {}
        self._lonely: set[str] = set()
        self._over: set[int] = set()
        self._deaths: Counter[int] = Counter()
        # How many are with workers.
        self._away = 0

    @property
    def idle(self) -> bool:
        """True if no worker holds a job."""
        return not self._away

    def add(self, count: int) -> None:
        """Take note of so many further jobs."""
        self._count += count

    def held(self, worker: str) -> int:
        """Return how many jobs a worker holds."""
        return len(self._held.get(worker, ()))

    def lease(self, worker: str, room: int, *, workers: int = 1) -> list[int]:
        """Give a worker its next jobs.

        Args:
            worker: Who asks.
            room: How many it can take.
            workers: How many workers share what is not played yet: none holds more than its part of it, so
                that no one is idle while another has jobs before it.
        """
        held = self._held.setdefault(worker, set())
        if worker in self._lonely:
            return []
        if self._alone:
            # Who is to play it finishes what it has first.
            return [] if held else self._give_alone(worker)
        left = len(self._again) + self._count - self._next
        part = ceil((left + self._away) / workers) - len(held)
        given = [self._take() for _ in range(min(room, self.unit, left, part))]
        held.update(given)
        self._away += len(given)
        return given

    def returned(self, worker: str, number: int) -> bool:
        """Take note that a worker has played a job, and return whether it is the first to have done so."""
        held = self._held.get(worker, set())
        self._away -= number in held
        held.discard(number)
        if not held:
            self._lonely.discard(worker)
        if number in self._over:
            return False
        self._over.add(number)
        return True

    def lost(self, worker: str) -> list[int]:
        """Take back what a lost worker held, and return the jobs that have killed too many."""
        given_up = []
        self._lonely.discard(worker)
        held = self._held.pop(worker, set())
        self._away -= len(held)
        for number in sorted(held - self._over):
            self._deaths[number] += 1
            if self._deaths[number] >= DEATHS:
                self._over.add(number)
                given_up.append(number)
            else:
                heapq.heappush(self._alone if self._deaths[number] == DEATHS - 1 else self._again, number)
        return given_up

    def _give_alone(self, worker: str) -> list[int]:
        number = heapq.heappop(self._alone)
        self._lonely.add(worker)
        self._held[worker].add(number)
        self._away += 1
        return [number]

    def _take(self) -> int:
        if self._again:
            return heapq.heappop(self._again)
        self._next += 1
        return self._next - 1
