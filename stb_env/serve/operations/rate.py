"""Rate limit of one client."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from stb_env.serve.operations.refusals import Refusal

_CLIENTS = 10_000
_BURST = 2.0
_ROUNDING = 1e-6


class Rate:
    """Lets every client ask so many times a second, after a burst of twice as many.

    Of each client the moment is kept at which all that it asked will have been let in at that pace (the
    generic cell rate algorithm): one number.

    Args:
        per_second: Requests a second; 0 for any number.
        clock: Seconds that only grow.

    Examples:
        >>> rate = Rate(1.0, clock=lambda: 0.0)
        >>> rate.take("10.0.0.7"), rate.take("10.0.0.7")
        (None, None)
        >>> rate.take("10.0.0.7")
        Traceback (most recent call last):
        ...
        stb_env.serve.operations.refusals.Refusal: more than 1 requests a second; try again in 1 s
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._clock = per_second, clock
        self._paid: dict[str, float] = {}

    def take(self, client: str) -> None:
        """Let one request of a client in.

        Raises:
            Refusal: It asks too often.
        """
        if not self._per_second:
            return
        now, each = self._clock(), 1 / self._per_second
        paid = max(self._paid.get(client, now), now) + each
        wait = paid - now - max(_BURST, each)
        if wait > _ROUNDING:
            seconds = math.ceil(wait - _ROUNDING)
            raise Refusal(
                f"more than {self._per_second:g} requests a second; try again in {seconds} s",
                kind="rate_limit",
                status=429,
                headers={"retry-after": str(seconds)},
            )
        if len(self._paid) >= _CLIENTS:
            self._paid = {name: until for name, until in self._paid.items() if until > now}
        self._paid[client] = paid
