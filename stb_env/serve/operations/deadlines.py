"""Ends requests whose answer has not begun in time.

A timer for each request costs a good part of what a hit costs, so one timer looks after all of them.
"""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

_PARTS = 20
_LONGEST_LOOK = 1.0


class Timed(Protocol):
    """What is ended.

    Attributes:
        began: When it began, by the performance counter.
        status: Its answer's, or 0 as long as that has not begun.
        late: Whether it was ended.
    """

    began: float
    status: int
    late: bool


class Deadlines:
    """Cancels the tasks that take too long, at most a twentieth of their time later.

    Args:
        seconds: How long each may take.

    Examples:
        >>> Deadlines(2.0)
        Deadlines(2.0)
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._pause = seconds, min(_LONGEST_LOOK, seconds / _PARTS)
        self._at_work: dict[Timed, asyncio.Task[object]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"Deadlines({self._seconds})"

    def add(self, timed: Timed, task: asyncio.Task[object]) -> None:
        """Cancel a task when its time is over and no answer has begun; ``timed.late`` says so then."""
        self._at_work[timed] = task
        loop = task.get_loop()
        if loop is not self._loop:
            self._loop = loop
            loop.call_later(self._pause, self._look, loop)

    def remove(self, timed: Timed) -> None:
        """Leave a task alone."""
        self._at_work.pop(timed, None)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        over = time.perf_counter() - self._seconds
        for timed, task in self._at_work.items():
            # The oldest stand first.
            if timed.began > over:
                break
            # An answer that has begun may be a stream without end.
            if not timed.status and not timed.late:
                timed.late = True
                task.cancel()
        if self._at_work:
            loop.call_later(self._pause, self._look, loop)
        elif self._loop is loop:
            self._loop = None
