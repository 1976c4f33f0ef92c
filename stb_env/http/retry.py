"""Clocks, deadlines and pauses between attempts. Nothing here waits by itself."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from stb_env import seeding

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
LONGEST_RETRY_AFTER = 60.0


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as a value, so that a test needs not wait.

    Attributes:
        monotonic: Seconds that only grow.
        wall: Seconds since the epoch, for dates that a server sends.
        sleep: Waits so many seconds.
        asleep: Waits so many seconds on the event loop.
    """

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    asleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Deadline:
    """A point in time.

    Args:
        seconds: How far off it is.
        clock: Tells the time.
        name: What the time is for, to be named in failures.
        now: What the clock tells, where it was read already.

    Examples:
        >>> now = Clock(monotonic=lambda: 100.0)
        >>> whole = Deadline(30, now, "deadline")
        >>> part = whole.within(50, "time-out")
        >>> part.left(), str(part), str(whole.within(5, "time-out"))
        (30.0, 'deadline of 30 s', 'time-out of 5 s')
    """

    __slots__ = ("_clock", "_end", "_name", "_seconds")

    def __init__(self, seconds: float, clock: Clock, name: str, now: float | None = None) -> None:
        self._clock = clock
        self._end = (clock.monotonic() if now is None else now) + seconds
        self._name = name
        self._seconds = seconds

    def __str__(self) -> str:
        return f"{self._name} of {self._seconds:g} s"

    def left(self) -> float:
        """Return the seconds that are left, at least 0."""
        left = self._end - self._clock.monotonic()
        return left if left > 0 else 0.0

    def within(self, seconds: float, name: str) -> Deadline:
        """Return a deadline so many seconds off, or this one where it comes first."""
        now = self._clock.monotonic()
        return self if self._end - now <= seconds else Deadline(seconds, self._clock, name, now)


class Patience:
    """Time limits of an answer: until its first piece, between two pieces, and as a whole.

    Args:
        whole: When everything ends.
        first: Seconds until the first piece.
        between: Seconds between two pieces.

    Examples:
        >>> patience = Patience(Deadline(900, Clock(), "deadline"), first=300, between=60)
        >>> str(patience.clock)
        'time-out of 300 s'
        >>> patience.go_on()
        >>> str(patience.clock)
        'time-out between pieces of 60 s'
    """

    __slots__ = ("_between", "_whole", "clock")

    def __init__(self, whole: Deadline, first: float, between: float) -> None:
        self._whole = whole
        self._between = between
        self.clock = whole.within(first, "time-out")

    def left(self) -> float:
        """Return the seconds that are left for the next piece."""
        return self.clock.left()

    def whole(self) -> float:
        """Return the seconds that are left for all of them."""
        return self._whole.left()

    def go_on(self) -> None:
        """Take note that a piece came."""
        self.clock = self._whole.within(self._between, "time-out between pieces")


def pause(attempt: int, seed: int) -> float:
    """Return the seconds to wait after a failed attempt, growing and spread by a seeded jitter.

    Args:
        attempt: Number of the attempt that failed, from 0.
        seed: Spreads requests that fail together.

    Examples:
        >>> all(0.25 <= pause(0, seed) <= 0.5 and 4 <= pause(9, seed) <= 8 for seed in range(100))
        True
    """
    spread = seeding.mix(seed, attempt) / 2**64
    return float(min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE) * (1 + spread) / 2)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that a response asks to wait, at most a minute, or None.

    Args:
        headers: Response headers; names in any case if the mapping takes them so, else in lower case.
        now: Seconds since the epoch, to compare a date with.

    Examples:
        >>> retry_after({"retry-after": "7"}, 0.0), retry_after({"retry-after": "soon"}, 0.0)
        (7.0, None)
        >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 10.0)
        20.0
        >>> retry_after({"retry-after": "Thu, 01 Jan 99999999999 00:00:30 GMT"}, 10.0) is None
        True
    """
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            # A year can have any number of digits.
            return None
        seconds = moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now
    return min(max(0.0, seconds), LONGEST_RETRY_AFTER) if math.isfinite(seconds) else None
