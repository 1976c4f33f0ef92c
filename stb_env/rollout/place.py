"""The places that episodes on one event loop wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress

from stb_env.request import Request
from stb_env.rollout.timing import Stopwatch

# Seconds after which those take the places of episodes that stood ready: by then the answers that came in the
# same moment are dealt with, for which they would else be in the way.
_REFILL = 0.05


class Ready(asyncio.Semaphore):
    """The places of episodes that stand ready.

    Args:
        places: How many there are.
    """

    def __init__(self, places: int) -> None:
        super().__init__(places)
        self._places = self._left = places
        self._empty = asyncio.Event()

    async def enter(self) -> None:
        """Wait for a place, and then for a calm moment, unless nobody else stands ready."""
        if self.locked():
            await self.acquire()
            with suppress(TimeoutError):
                async with asyncio.timeout(_REFILL):
                    await self._empty.wait()
        else:
            await self.acquire()
        self._left -= 1
        self._empty.clear()

    def release(self) -> None:
        """Leave a place."""
        super().release()
        self._left += 1
        if self._left == self._places:
            self._empty.set()


class Place:
    """What an episode needs to go on: a place among those that stand ready, that play, or that are judged.

    Args:
        ready: The places of those that stand ready; one of them is the episode's.
        playing: The places of those that play.
        judged: The places of those that are judged.
    """

    def __init__(
        self, ready: asyncio.Semaphore, playing: asyncio.Semaphore, judged: asyncio.Semaphore
    ) -> None:
        self._ready, self._playing, self._judged = ready, playing, judged
        self._held: asyncio.Semaphore | None = ready

    def enter(self, stopwatch: Stopwatch, request: Request) -> Awaitable[None] | None:
        """Return what waits for the place that a request needs; None where the episode has it.

        Args:
            stopwatch: Takes the episode's time, which stands still meanwhile.
            request: The request.
        """
        wanted = self._judged if request.aside else self._playing
        return None if wanted is self._held else self._move(wanted, stopwatch)

    async def _move(self, wanted: asyncio.Semaphore, stopwatch: Stopwatch) -> None:
        if self._held is not self._ready:
            # Never both at once: who held one while waiting for the other could wait for ever.
            self.leave()
        with stopwatch.stopped():
            await wanted.acquire()
        self.leave()
        self._held = wanted

    def leave(self) -> None:
        """Give up the place that is held."""
        if self._held is not None:
            self._held.release()
            self._held = None
