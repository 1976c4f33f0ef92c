"""Time of an episode, and the parts that it waited for."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from stb_env.core.request import Request, Slow, changed
from stb_env.models.limiter import QUEUED, Queued

T = TypeVar("T")

ELSEWHERE = "tools"
"""Who is waited for where nobody says: what answers calls, a simulator's model or a real API."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Time of an episode by the clock.

    Attributes:
        seconds: From its reset to its end.
        waited: Seconds of them for each that it waited for: ``agent`` (its decisions), ``tools``, ``user``,
            ``judge``, and ``queue`` (a free connection to an endpoint, which is no time of its model);
            without those that nobody waited for.
        steps: Seconds of each step that was played, the agent's decision included.
    """

    seconds: float
    waited: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[float, ...] = ()


class Stopwatch:
    """Takes the time of one episode, which begins now.

    Args:
        clock: Tells the time in seconds.

    Examples:
        >>> from stb_env.core.request import drive
        >>> moments = iter([0.0, 1.0, 3.5, 4.0])
        >>> stopwatch = Stopwatch(lambda: next(moments))
        >>> def thinking():
        ...     yield Request(run=lambda: None)
        >>> drive(stopwatch.deciding(thinking()))
        >>> stopwatch.read()
        Timing(seconds=4.0, waited={'agent': 2.5}, steps=())
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._stopped = 0.0
        self._waited: defaultdict[str, float] = defaultdict(float)
        self._steps: list[float] = []
        self._queued = Queued()
        # Requests of this episode are made in the context in which its stopwatch is.
        QUEUED.set(self._queued)
        self._began = self._step_began = clock()

    def now(self) -> float:
        """Return the clock's time, less the seconds for which this was stopped."""
        return self._clock() - self._stopped

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Take no time meanwhile."""
        began = self._clock()
        try:
            yield
        finally:
            self._stopped += self._clock() - began

    def begin_step(self) -> None:
        """Begin a step now."""
        self._step_began = self.now()

    def end_step(self) -> None:
        """End the step that was begun last."""
        self._steps.append(self.now() - self._step_began)

    def deciding(self, slow: Slow[T]) -> Slow[T]:
        """Yield the slow work of an agent's decision, which counts as a whole: an agent may block."""
        began, queued = self.now(), self._queued.seconds
        try:
            return (yield from slow)
        finally:
            self._count("agent", began, queued)

    def playing(self, slow: Slow[T]) -> Slow[T]:
        """Yield the slow work of an environment; each piece counts for whom it says it waits."""
        return changed(slow, self._timed)

    def read(self) -> Timing:
        """Return the time until now."""
        return Timing(self.now() - self._began, dict(self._waited), tuple(self._steps))

    def _timed(self, request: Request) -> Request:
        # What has no way of its own to wait on a loop is not given one.
        later = None if request.arun is None else partial(self._arun, request)
        return request._replace(run=partial(self._run, request), arun=later)

    def _run(self, request: Request) -> object:
        began, queued = self.now(), self._queued.seconds
        try:
            return request.run()
        finally:
            self._count(request.role or ELSEWHERE, began, queued)

    async def _arun(self, request: Request) -> object:
        began, queued = self.now(), self._queued.seconds
        try:
            return await request.wait()
        finally:
            self._count(request.role or ELSEWHERE, began, queued)

    def _count(self, role: str, began: float, queued: float) -> None:
        """Count the time since a moment for a role, and for the queue what was waited there."""
        seconds = self.now() - began
        # Requests that wait side by side wait together.
        waited = min(seconds, self._queued.seconds - queued)
        self._waited[role] += seconds - waited
        if waited > 0:
            self._waited["queue"] += waited
