"""Slots that bound requests in flight, so that one stuck API leaves room for the others."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary

from stb_env.http.exchange import HTTPFailure
from stb_env.http.retry import Deadline


class Slots:
    """Bounds requests in flight: at most ``total``, and for one tool one fewer, the last is for others.

    Each event loop has its own, because none can wait for another.

    Args:
        total: Requests in flight at once, at least 1.

    Examples:
        >>> from stb_env.http.retry import Clock
        >>> async def held(slots):
        ...     async with slots.held("films", Deadline(1, Clock(), "deadline")):
        ...         return "held"
        >>> asyncio.run(held(Slots(2)))
        'held'
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopSlots] = WeakKeyDictionary()

    @asynccontextmanager
    async def held(self, tool: Hashable, deadline: Deadline) -> AsyncIterator[None]:
        """Hold a slot on the running event loop.

        Raises:
            HTTPFailure: None became free in time.
        """
        slots = self._loops.setdefault(asyncio.get_running_loop(), _LoopSlots(self.total))
        own = slots.own[tool]
        await self._acquire(own, deadline)
        try:
            await self._acquire(slots.all, deadline)
            try:
                yield
            finally:
                slots.all.release()
        finally:
            own.release()

    async def _acquire(self, slot: asyncio.Semaphore, deadline: Deadline) -> None:
        try:
            async with asyncio.timeout(deadline.left()):
                await slot.acquire()
        except TimeoutError:
            message = f"none of the {self.total} connections became free within the {deadline}"
            raise HTTPFailure(message, kind="timeout", retryable=True) from None


class _LoopSlots:
    def __init__(self, total: int) -> None:
        self.all = asyncio.Semaphore(total)
        self.own: defaultdict[Hashable, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(max(1, total - 1))
        )
