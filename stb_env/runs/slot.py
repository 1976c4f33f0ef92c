"""The places that episodes on one event loop wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Literal

from stb_env.core.request import Request
from stb_env.runs.timing import Stopwatch


class Playing(asyncio.Semaphore):
    """The places of episodes that play.

    Attributes:
        free: How many of them nobody has.

    Args:
        places: How many there are.
    """

    def __init__(self, places: int) -> None:
        super().__init__(places)
        self.free = places

    async def acquire(self) -> Literal[True]:
        """Wait for a place."""
        await super().acquire()
        self.free -= 1
        return True

    def release(self) -> None:
        """Leave a place."""
        super().release()
        self.free += 1


class Ready(asyncio.Semaphore):
    """The places of episodes that stand ready.

    Args:
        places: How many there are.
        playing: The places in which they will play.
    """

    def __init__(self, places: int, playing: Playing) -> None:
        super().__init__(places)
        self._playing = playing
        self._standing = self._stirs = 0

    def stir(self) -> None:
        """Take note that an episode asks something, or leaves its place."""
        self._stirs += 1

    async def enter(self) -> None:
        """Wait for a place, and then for a calm moment where nobody who gets ready now could play at once.

        To get ready takes time, for which answers that have come would wait; while questions are on their
        way there is plenty.
        """
        await self.acquire()
        stirs = -1
        while self._standing >= self._playing.free and stirs != self._stirs:
            stirs = self._stirs
            # What comes from a connection in one turn of the loop wakes its episode in the next.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        self._standing += 1

    def release(self) -> None:
        """Leave a place."""
        super().release()
        self._standing -= 1


class EpisodeSlot:
    """Slot of an episode among those that are ready, that play, or that are judged.

    Args:
        ready: The places of those that stand ready; one of them is the episode's.
        playing: The places of those that play.
        judged: The places of those that are judged.
    """

    def __init__(self, ready: Ready, playing: Playing, judged: asyncio.Semaphore) -> None:
        self._ready, self._playing, self._judged = ready, playing, judged
        self._held: asyncio.Semaphore | None = ready

    def enter(self, stopwatch: Stopwatch, request: Request) -> Awaitable[None] | None:
        """Return what waits for the place that a request needs; None where the episode has it.

        Args:
            stopwatch: Takes the episode's time, which stands still meanwhile.
            request: The request.
        """
        self._ready.stir()
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
            self._ready.stir()
            self._held.release()
            self._held = None
