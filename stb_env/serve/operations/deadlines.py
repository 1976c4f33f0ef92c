"""Ends requests whose answer has not begun in time.

A timer for each request costs a good part of what a hit costs, so one timer looks after all those that wait.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Generator
from types import coroutine
from typing import Any, Protocol

_PARTS = 20
_LONGEST_LOOK = 1.0


class Timed(Protocol):
    """A task with a deadline.

    Attributes:
        began: When it began, by the performance counter.
        status: 0 as long as what is waited for has not begun.
        late: Whether it was ended.
    """

    began: float
    status: int
    late: bool


class Deadlines:
    """Cancels what takes too long, at most a twentieth of its time later.

    Args:
        seconds: How long it may take until an answer begins.

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

    @coroutine
    def watch(self, timed: Timed, work: Awaitable[None]) -> Generator[Any, Any, None]:
        """Do work, and cancel it when its time is over and no answer has begun; ``timed.late`` says so then.

        Work that never waits, as a hit never does, is done before anybody has to look after it.
        """
        steps = work.__await__()
        try:
            waits_for = next(steps)
        except StopIteration:
            return
        task = self._add(timed)
        try:
            yield from _resumed(steps, waits_for)
        finally:
            del self._at_work[timed]
            if timed.late:
                task.uncancel()

    def _add(self, timed: Timed) -> asyncio.Task[Any]:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 (coroutines of a server run in tasks)
        self._at_work[timed] = task
        loop = task.get_loop()
        if loop is not self._loop:
            self._loop = loop
            loop.call_later(self._pause, self._look, loop)
        return task

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


def _resumed(steps: Generator[Any, Any, None], waits_for: object) -> Generator[Any, Any, None]:
    """Go on with a coroutine that has come to its first wait."""
    try:
        while True:
            try:
                got = yield waits_for
            except BaseException as error:  # noqa: BLE001 (handed to who waits)
                waits_for = steps.throw(error)
            else:
                waits_for = steps.send(got)
    except StopIteration:
        return
