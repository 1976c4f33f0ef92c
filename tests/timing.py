"""CPU seconds of a call, without what else its process does."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


def seconds_of(call: Callable[[], object], *, within: float, tries: int = 5) -> float:
    """Return the least CPU seconds that a call took, trying again while one takes more than is allowed.

    Where thousands of tests have run, the collector takes seconds, threads of earlier tests may still run and
    a busy machine slows every call; a call that is quadratic exceeds its bound every time.
    """
    least = float("inf")
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(tries):
            start = time.thread_time()
            call()
            least = min(least, time.thread_time() - start)
            if least < within:
                break
    finally:
        if collecting:
            gc.enable()
    return least
