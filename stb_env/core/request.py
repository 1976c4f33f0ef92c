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
from functools import partial
from typing import Any, NamedTuple, TypeVar

from stb_env.core.background import cancelled, wait_for

T = TypeVar("T")


class Request(NamedTuple):
    """One piece of slow work.

    Attributes:
        run: Does it, blocking. What it raises is raised where the request was yielded.
        arun: Does it on the event loop; without one, `run` goes to a worker thread.
        aside: Whether the episode plays nothing meanwhile and needs no place among those that play: it waits
            for its judge.
        role: Who is waited for, where that is known: ``judge`` or ``user``.
        inline: Whether `run` is somebody's own function that takes microseconds as a rule: an event loop runs
            it at once and in its own thread, unless there are deadlines to keep.
    """

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]] | None = None
    aside: bool = False
    role: str = ""
    inline: bool = False

    def wait(self) -> Awaitable[Any]:
        """Do it on the event loop that runs."""
        if self.arun is not None:
            return self.arun()
        return _now(self.run) if self.inline else asyncio.to_thread(self.run)


Slow = Generator[Request, Any, T]
"""A generator that yields requests, is sent their answers and returns a ``T``."""

Enter = Callable[[Request], Awaitable[None] | None]
"""Says what is to be awaited before a request is."""


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
            request = after(slow, request)
    except StopIteration as stop:
        value: T = stop.value
        return value
    except BaseException:
        slow.close()
        raise


def after(slow: Slow[T], request: Request) -> Request:
    """Do a request of a generator in the calling thread, and return its next one.

    Raises:
        StopIteration: It has none; the error holds what it returns.
    """
    try:
        answer = request.run()
    except (Exception, SystemExit) as error:  # noqa: BLE001 (handed to whoever asked)
        return slow.throw(error)
    return slow.send(answer)


async def adrive(slow: Slow[T], enter: Enter | None = None) -> T:
    """Run a generator to its end on the event loop.

    Args:
        slow: The generator.
        enter: Given each request; what it returns, if anything, is awaited before the request is.

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
                if enter is not None and (entrance := enter(request)) is not None:
                    await entrance
                answer = await request.wait()
            except (Exception, SystemExit) as error:  # noqa: BLE001 (handed to whoever asked)
                request = slow.throw(error)
            except asyncio.CancelledError as error:
                awaited = cancelled(error)
                if awaited is error:
                    raise
                request = slow.throw(awaited)
            else:
                request = slow.send(answer)
    except StopIteration as stop:
        value: T = stop.value
        return value
    except BaseException:
        # Whoever keeps the traceback would keep it open, with what it holds.
        slow.close()
        raise


def settled(value: T | Awaitable[T] | Slow[T]) -> Slow[T]:
    """Return what a value comes to: itself, what awaiting it gives, or what the generator returns.

    What that gives is waited for in its turn, such as the coroutine of a function that forgot to await one.

    Args:
        value: What a plain function, an ``async def`` function or a generator function returned.

    Examples:
        >>> async def later():
        ...     return 42
        >>> drive(settled(later())), drive(settled(42)), asyncio.run(adrive(settled(later())))
        (42, 42, 42)
    """
    while True:
        if isinstance(value, Generator):
            value = yield from value
        elif inspect.isawaitable(value):
            value = yield Request(run=partial(wait_for, value), arun=partial(_awaited, value))
        else:
            return value


def called(function: Callable[..., object], *args: object) -> Slow[object]:
    """Call somebody else's function, which may block, and return what its result comes to.

    A plain function is slow work as far as anyone can know: on an event loop it goes to a worker thread.

    Examples:
        >>> drive(called(max, 1, 42))
        42
    """
    if inspect.iscoroutinefunction(function) or is_slow(function):
        return (yield from settled(function(*args)))
    return (yield from settled((yield Request(run=partial(function, *args)))))


def changed(slow: Slow[T], change: Callable[[Request], Request]) -> Slow[T]:
    """Yield the requests of a generator as a function changes them, and return what it returns.

    Examples:
        >>> def ask():
        ...     return (yield Request(run=lambda: 21))
        >>> drive(changed(ask(), lambda request: Request(run=lambda: request.run() * 2)))
        42
    """
    try:
        request = next(slow)
    except StopIteration as stop:
        value: T = stop.value
        return value
    return (yield from resumed(slow, request, change))


def resumed(
    slow: Slow[T], request: Request, change: Callable[[Request], Request] = lambda request: request
) -> Slow[T]:
    """Go on with a generator that has yielded its first request; see `changed`.

    Examples:
        >>> def ask():
        ...     return (yield Request(run=lambda: 21))
        >>> slow = ask()
        >>> drive(resumed(slow, next(slow)))
        21
    """
    try:
        while True:
            try:
                answer = yield change(request)
            except (Exception, SystemExit) as error:  # noqa: BLE001 (handed to whoever asked)
                request = slow.throw(error)
            else:
                request = slow.send(answer)
    except StopIteration as stop:
        value: T = stop.value
        return value


def aside(slow: Slow[T]) -> Slow[T]:
    """Yield the requests of a generator as a judge's, while the episode plays nothing; see `Request`."""
    return changed(slow, lambda request: request._replace(aside=True, role="judge"))


def of_role(role: str, slow: Slow[T]) -> Slow[T]:
    """Yield the requests of a generator as ones that wait for a role; see `Request`."""
    return changed(slow, lambda request: request._replace(role=role))


def is_slow(function: Callable[..., object]) -> bool:
    """Return whether a function returns a generator, as far as its definition shows.

    Examples:
        >>> is_slow(settled), is_slow(drive)
        (True, False)
    """
    return inspect.isgeneratorfunction(inspect.unwrap(function))


async def _now(run: Callable[[], T]) -> T:
    return run()


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable
