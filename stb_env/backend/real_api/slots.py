"""Slots that bound requests in flight, so that one stuck API leaves room for the others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager
from weakref import WeakKeyDictionary

from stb_env.http.exchange import HTTPFailure
from stb_env.http.retry import Deadline


class Slots:
    """Bounds requests in flight: at most ``total``, and for one tool one fewer, the last is for others.

    Threads share one pool and each event loop has its own, because neither can wait for the other.

    Args:
        total: Requests in flight at once, at least 1.

    Examples:
        >>> from stb_env.llm import Clock
        >>> slots = Slots(2)
        >>> with slots.held("films", Deadline(1, Clock(), "deadline")):
        ...     pass
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self._lock = threading.Lock()
        self._all = threading.BoundedSemaphore(total)
        self._own: dict[Hashable, threading.BoundedSemaphore] = {}
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopSlots] = WeakKeyDictionary()

    @contextmanager
    def held(self, tool: Hashable, deadline: Deadline) -> Iterator[None]:
        """Hold a slot, in a thread.

        Raises:
            HTTPFailure: None became free in time.
        """
        with self._lock:
            own = self._own.setdefault(tool, threading.BoundedSemaphore(max(1, self.total - 1)))
        if not own.acquire(timeout=deadline.left()):
            raise self._crowded(deadline)
        try:
            if not self._all.acquire(timeout=deadline.left()):
                raise self._crowded(deadline)
            try:
                yield
            finally:
                self._all.release()
        finally:
            own.release()

    @asynccontextmanager
    async def aheld(self, tool: Hashable, deadline: Deadline) -> AsyncIterator[None]:
        """Hold a slot on the running event loop; see `held`."""
        with self._lock:
            pool = self._loops.setdefault(asyncio.get_running_loop(), _LoopSlots(self.total))
        own = pool.own(tool)
        await self._acquire(own, deadline)
        try:
            await self._acquire(pool.all, deadline)
            try:
                yield
            finally:
                pool.all.release()
        finally:
            own.release()

    async def _acquire(self, slot: asyncio.Semaphore, deadline: Deadline) -> None:
        try:
            async with asyncio.timeout(deadline.left()):
                await slot.acquire()
        except TimeoutError:
            raise self._crowded(deadline) from None

    def _crowded(self, deadline: Deadline) -> HTTPFailure:
        message = f"none of the {self.total} connections became free within the {deadline}"
        return HTTPFailure(message, kind="timeout", retryable=True)


class _LoopSlots:
    def __init__(self, total: int) -> None:
        self.all = asyncio.Semaphore(total)
        self._each = max(1, total - 1)
        self._own: dict[Hashable, asyncio.Semaphore] = {}

    def own(self, tool: Hashable) -> asyncio.Semaphore:
        return self._own.setdefault(tool, asyncio.Semaphore(self._each))
