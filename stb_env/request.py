"""Slow work as a value: code that may have to wait yields a `Request`; two short drivers run it.

An environment, a backend or a judge is written once, as a generator. `drive` runs its requests in the
calling thread, `adrive` on the event loop. Code that needs nothing slow yields nothing, so a cache hit
never touches a loop or a thread. Code of other people need not know any of this: `settled` turns whatever
their function returned into such a generator.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from stb_env.background import wait_for

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """One piece of slow work.

    Attributes:
        run: Does it, blocking. What it raises is raised where the request was yielded.
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
            except Exception as error:  # noqa: BLE001 (handed to whoever asked)
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
            except Exception as error:  # noqa: BLE001 (handed to whoever asked)
                request = slow.throw(error)
            else:
                request = slow.send(answer)
    except StopIteration as stop:
        value: T = stop.value
        return value


def settled(value: T | Awaitable[T] | Slow[T]) -> Slow[T]:
    """Return what a value comes to: itself, what awaiting it gives, or what the generator returns.

    Args:
        value: What a plain function, an ``async def`` function or a generator function returned.

    Examples:
        >>> async def later():
        ...     return 42
        >>> drive(settled(later())), drive(settled(42)), asyncio.run(adrive(settled(later())))
        (42, 42, 42)
    """
    if isinstance(value, Generator):
        return (yield from value)
    if inspect.isawaitable(value):
        answer: T = yield Request(run=partial(wait_for, value), arun=partial(_awaited, value))
        return answer
    return value


def is_slow(function: Callable[..., Any]) -> bool:
    """Return whether a function returns a generator, as far as its definition shows.

    Examples:
        >>> is_slow(settled), is_slow(drive)
        (True, False)
    """
    return inspect.isgeneratorfunction(inspect.unwrap(function))


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable
