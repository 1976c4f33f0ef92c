"""Slow work as a value: code that may have to wait yields a `Request`; two short drivers run it.

An environment, a backend or a judge is written once, as a generator. `drive` runs its requests in the
calling thread, `adrive` on the event loop. Code that needs nothing slow yields nothing, so a cache hit
never touches a loop or a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from stb_env.errors import InfrastructureError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """One piece of slow work.

    Attributes:
        run: Does it, blocking. Raises `InfrastructureError` where no answer comes.
        arun: Does it on the event loop; without one, `run` goes to a worker thread.
    """

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]] | None = None


Slow = Generator[Request, Any, T]
"""A generator that yields requests, is sent their answers and returns a ``T``."""


def drive(slow: Slow[T]) -> T:
    """Run a generator to its end in the calling thread.

    Examples:
        >>> def double():
        ...     got = yield Request(run=lambda: 21)
        ...     return got * 2
        >>> drive(double())
        42
    """
    try:
        request = next(slow)
        while True:
            try:
                answer = request.run()
            except InfrastructureError as error:
                request = slow.throw(error)
            else:
                request = slow.send(answer)
    except StopIteration as stop:
        value: T = stop.value
        return value


async def adrive(slow: Slow[T]) -> T:
    """Run a generator to its end on the event loop.

    Examples:
        >>> def double():
        ...     got = yield Request(run=lambda: 21)
        ...     return got * 2
        >>> asyncio.run(adrive(double()))
        42
    """
    try:
        request = next(slow)
        while True:
            try:
                answer = await (request.arun() if request.arun else asyncio.to_thread(request.run))
            except InfrastructureError as error:
                request = slow.throw(error)
            else:
                request = slow.send(answer)
    except StopIteration as stop:
        value: T = stop.value
        return value
