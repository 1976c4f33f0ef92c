"""Share of CPU time spent in this package, by sampling the running frames."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

_PERIOD = 0.001
"""CPU seconds between looks; many systems look no oftener than every four thousandths."""
_PACKAGE = str(Path(__file__).parents[3])
_BENCH = str(Path(__file__).parents[1])
_WAITING = ("threading.py", "selectors.py", "queue.py")


@dataclass
class Share:
    """Looks at what was running.

    Attributes:
        looks: How many.
        ours: In how many of them it was this package, or what it called.
    """

    looks: int = 0
    ours: int = 0

    @property
    def part(self) -> float:
        """The share that was this package's."""
        return self.ours / self.looks if self.looks else 0.0


@contextmanager
def looking(framework: str, ignored: Callable[[], bool]) -> Iterator[Share]:
    """Sample the running code while the block runs in the main thread.

    A look counts for this package where the innermost frame that is the framework's or this package's is of
    this package, these measurements aside: what a library does is charged to who called it.

    Args:
        framework: Module of the framework.
        ignored: Whether a look is not to be counted.
    """
    spec, share = find_spec(framework), Share()
    folder = str(Path((spec and spec.origin) or "").parent)

    def look(number: int, frame: FrameType | None) -> None:
        del number
        if not ignored():
            share.looks += 1
            share.ours += _is_ours(_running(frame), folder)

    before = signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, _PERIOD, _PERIOD)
    try:
        yield share
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _running(frame: FrameType | None) -> FrameType | None:
    """Return where the thread is that runs: others wait, for a lock or for what is sent to them."""
    for each in (frame, *sys._current_frames().values()):
        if each is not None and not each.f_code.co_filename.endswith(_WAITING):
            return each
    return frame


def _is_ours(frame: FrameType | None, framework: str) -> bool:
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_PACKAGE):
            return not file.startswith(_BENCH)
        if file.startswith(framework):
            return False
        frame = frame.f_back
    return False
