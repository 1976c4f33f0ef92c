"""Time limits of calls, steps and episodes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from numbers import Real
from typing import Literal, TypeVar

from stb_env.core.background import in_thread, wait_for
from stb_env.core.request import Request, Slow, changed
from stb_env.errors import ConfigError, InfrastructureError

T = TypeVar("T")
Stage = Literal["call", "step", "episode"]


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds after which an episode is given up; None for no end.

    What is cut off is invalid for a reason that may pass: kind ``timeout``, and as its stage what took too
    long. Time is looked at where something is waited for and after each decision. A plain function that
    is a tool or a check of an own environment runs in a thread of its own, which is given up: it goes on
    until the function returns or Python ends. Other code that blocks its thread is not interrupted; its
    episode ends when it returns.

    Attributes:
        call: One question to a model, a backend, a judge or a user, with its own retries.
        step: A decision of the agent with all that follows from it.
        episode: The episode, from its reset.

    Raises:
        ConfigError: One is no number above 0.

    Examples:
        >>> Deadlines(step=0)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: the step deadline must be above 0 seconds, got 0
    """

    call: float | None = None
    step: float | None = None
    episode: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            seconds = getattr(self, field.name)
            if seconds is None:
                continue
            if not _is_number(seconds):
                raise ConfigError(
                    f"the {field.name} deadline must be a number of seconds, got {seconds!r:.80}"
                )
            if not seconds > 0:
                raise ConfigError(f"the {field.name} deadline must be above 0 seconds, got {seconds:g}")


NO_DEADLINES = Deadlines()


class Watch:
    """Keeps one episode to its deadlines.

    Args:
        deadlines: The deadlines.
        clock: Tells the time in seconds.
    """

    def __init__(self, deadlines: Deadlines, clock: Callable[[], float] = time.monotonic) -> None:
        self._deadlines = deadlines
        self._clock = clock
        self._none = deadlines == NO_DEADLINES
        self._ends: dict[Stage, float] = {}
        self._begin("episode")

    def begin_step(self) -> None:
        """Take note that a step begins."""
        self._begin("step")

    def check(self) -> None:
        """See whether there is time left.

        Raises:
            InfrastructureError: The step or the episode has taken too long.
        """
        for stage, end in self._ends.items():
            if self._clock() >= end:
                raise self._failure(stage)

    def keep(self, slow: Slow[T]) -> Slow[T]:
        """Yield slow work within the deadlines; what passes one fails where it was asked for."""
        return slow if self._none else changed(slow, self._bounded)

    def _begin(self, stage: Stage) -> None:
        seconds = getattr(self._deadlines, stage)
        if seconds is not None:
            self._ends[stage] = self._clock() + seconds

    def _bounded(self, request: Request) -> Request:
        return request._replace(run=partial(self._run, request), arun=partial(self._arun, request))

    def _next_end(self) -> tuple[float, Stage]:
        ends = [(end, stage) for stage, end in self._ends.items()]
        if self._deadlines.call is not None:
            ends.append((self._clock() + self._deadlines.call, "call"))
        return min(ends)

    def _run(self, request: Request) -> object:
        if request.arun is not None or request.inline:
            return wait_for(self._arun(request))
        end, stage = self._next_end()
        answer = request.run()
        if self._clock() >= end:
            raise self._failure(stage)
        return answer

    async def _arun(self, request: Request) -> object:
        end, stage = self._next_end()
        scope = asyncio.timeout(max(0.0, end - self._clock()))
        try:
            async with scope:
                return await (in_thread(request.run) if request.inline else request.wait())
        except TimeoutError:
            if not scope.expired():
                raise
        # Outside of the except block, so that it carries no other exception along.
        raise self._failure(stage)

    def _failure(self, stage: Stage) -> InfrastructureError:
        seconds = getattr(self._deadlines, stage)
        message = f"the {stage} took longer than its deadline of {seconds:g} s"
        return InfrastructureError(message, kind="timeout", stage=stage, retryable=True)


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real)
