"""Limiter of an endpoint: first come, first served, over all threads and event loops."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class Queued:
    """Seconds for which requests waited for a free connection, added up.

    Attributes:
        seconds: The sum.
    """

    seconds: float = 0.0


QUEUED: ContextVar[Queued | None] = ContextVar("stb_env_queued", default=None)
"""Adds up the waits of the requests that are made in a context, such as those of one episode."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ticket:
    """A place in the line; its future is done when it is its turn."""

    limit: int
    turn: Future[None] = field(default_factory=Future)


class Limiter:
    """Lets so many requests of a process be in flight at once.

    Models may ask for different limits. A request starts only while fewer than its own limit are in
    flight, whoever made those; one that came later does not overtake it.

    Examples:
        >>> limiter = Limiter()
        >>> asyncio.run(limiter.acquire(2))
        >>> limiter.flying
        1
        >>> limiter.release()
        >>> limiter.flying
        0
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: deque[_Ticket] = deque()
        self._flying = 0
        self._rest_until = float("-inf")

    @property
    def flying(self) -> int:
        """Requests in flight."""
        return self._flying

    def hold(self, until: float) -> None:
        """Take note that the endpoint wants no request before a moment of the monotonic clock."""
        with self._lock:
            self._rest_until = max(self._rest_until, until)

    def rest(self, now: float) -> float:
        """Return for how many seconds the endpoint wants no request."""
        return max(0.0, self._rest_until - now)

    def take(self, limit: int) -> bool:
        """Count a request in if it may start at once, and say whether it may; `release` counts it out.

        Args:
            limit: Most requests in flight with this one, whoever made the others.
        """
        with self._lock:
            free = not self._line and self._flying < limit
            self._flying += free
            return free

    async def acquire(self, limit: int) -> None:
        """Wait until a request may start, and count it in; whoever does so calls `release` at its end.

        Args:
            limit: Most requests in flight with this one, whoever made the others.
        """
        if self.take(limit):
            return
        ticket = _Ticket(limit)
        with self._lock:
            self._line.append(ticket)
            self._call_next()
        queued, began = QUEUED.get(), time.perf_counter()
        try:
            await asyncio.wrap_future(ticket.turn)
        except asyncio.CancelledError:
            self._give_back(ticket)
            raise
        finally:
            if queued is not None:
                queued.seconds += time.perf_counter() - began

    def release(self) -> None:
        """Count a request out."""
        with self._lock:
            self._flying -= 1
            if self._line:
                self._call_next()

    def _give_back(self, ticket: _Ticket) -> None:
        # Its turn may have come in the very moment in which it gave up.
        if not ticket.turn.cancel():
            self.release()
            return
        with self._lock:
            if ticket in self._line:
                self._line.remove(ticket)
            # The next may have stood behind its lower limit.
            self._call_next()

    def _call_next(self) -> None:
        while self._line and self._flying < self._line[0].limit:
            turn = self._line.popleft().turn
            if turn.set_running_or_notify_cancel():
                self._flying += 1
                turn.set_result(None)
