"""Single flight: of equal calls in progress one is asked, and the others wait for its answer."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Hashable
from concurrent.futures import Future
from types import TracebackType
from typing import Literal, Self

from stb_env.core.request import Request

End = Literal["answered", "failed", "left"]
"""How a flight ended; left is one that was cancelled or closed, which says nothing about the call."""

PATIENCE = 120.0
"""Seconds after which who waits asks for itself: a generator that nobody drives any more may be leading."""

_FAILURES = 2
"""Flights that may fail under who waits: one more try may be enough, and nobody is to wait for many."""

# Reentrant: a generator that is collected leaves its flight, in whatever its thread is doing.
_lock = threading.RLock()
_leaders: dict[Hashable, Flight] = {}


class Flight:
    """One episode's call while it is under way: it leads, or waits for who leads with the same call.

    Whoever has made one yields `wait` within a ``with`` block, then looks into the cache, and asks where
    the answer is not there. Only the cache passes answers on. After a flight that brought none, the next one
    leads; all who wait ask at once where the answer was none to keep, and where a second one failed.

    Args:
        call: What makes calls equal: the cache and the key in it.

    Examples:
        >>> from stb_env.core.request import drive
        >>> def asked(call):
        ...     with Flight(call) as flight:
        ...         yield flight.wait
        ...         return flight.leads
        >>> drive(asked("call"))
        True
    """

    def __init__(self, call: Hashable) -> None:
        self._call = call
        self._over = False
        self._waiting: list[Future[End]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        end: End = "answered" if kind is None else "failed" if issubclass(kind, Exception) else "left"
        with _lock:
            self._over = True
            if self.leads:
                del _leaders[self._call]
        for waiting in self._waiting:
            if waiting.set_running_or_notify_cancel():
                waiting.set_result(end)

    @property
    def leads(self) -> bool:
        """True if others wait for this one."""
        return _leaders.get(self._call) is self

    @property
    def wait(self) -> Request:
        """The wait for who leads; without one it takes no time, and this one leads."""
        # An episode leads from when this is run, not from when it is yielded: until then it may wait for its
        # place, which those who wait for it hold.
        return Request(run=self._wait, arun=self._await)

    def _wait(self) -> None:
        failures = 0
        while (end := self._follow()) is not None:
            if _holds_up_a_loop():
                # The leader may be on it.
                return
            try:
                ended = end.result(PATIENCE)
            except TimeoutError:
                return
            failures += ended == "failed"
            if ended == "answered" or failures == _FAILURES:
                return

    async def _await(self) -> None:
        failures = 0
        while (end := self._follow()) is not None:
            try:
                async with asyncio.timeout(PATIENCE):
                    ended = await asyncio.wrap_future(end)
            except TimeoutError:
                return
            failures += ended == "failed"
            if ended == "answered" or failures == _FAILURES:
                return

    def _follow(self) -> Future[End] | None:
        """Return what tells of the leader's end; None where there is no other, and this one leads."""
        with _lock:
            # Who was given up while it waited must not lead: nobody would end it.
            leader = self if self._over else _leaders.setdefault(self._call, self)
            if leader is self:
                return None
            end: Future[End] = Future()
            leader._waiting.append(end)
            return end


def _holds_up_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _after_fork() -> None:
    # Who leads stays in the parent.
    global _lock
    _lock = threading.RLock()
    _leaders.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
