"""The background event loop of a process, where blocking code waits for asynchronous code."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from typing import TypeVar

from stb_env.core.interrupts import REMINDER_S, remind

T = TypeVar("T")

# Blocking work of many episodes waits at once; a thread costs nothing until it is needed.
_THREADS = 256

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def wait_for(awaitable: Awaitable[T]) -> T:
    """Wait in this thread for something awaitable, whether or not an event loop runs here.

    It is awaited on one loop of the process, so that what is bound to a loop, such as a client with open
    connections, can be used again in the next call.

    Examples:
        >>> wait_for(asyncio.sleep(0, "done"))
        'done'
    """
    loop = _background_loop()
    try:
        if _is_running(loop):
            # Whoever blocks the background loop would wait for themselves.
            with ThreadPoolExecutor(1, thread_name_prefix="stb-env-await") as pool:
                return pool.submit(copy_context().run, asyncio.run, _carried(awaitable)).result()
        future = asyncio.run_coroutine_threadsafe(_carried(awaitable), loop)
        try:
            while not wait([future], REMINDER_S).done:
                remind()
            return future.result()
        except BaseException:
            future.cancel()
            raise
    except _Exit as exit_:
        raise exit_.error from None


async def in_thread(function: Callable[[], T]) -> T:
    """Call a function in a thread of its own, which nobody waits for once it is given up.

    The threads of a pool are waited for when Python ends; this one is not.

    Examples:
        >>> asyncio.run(in_thread(lambda: 42))
        42
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type] # there is one where there is no error
        else:
            done.set_exception(error)

    def call() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = function()
        except StopIteration as stop:
            # No future takes one.
            error = RuntimeError(repr(stop))
        except BaseException as raised:  # noqa: BLE001 (handed to whoever waits)
            error = raised
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=copy_context().run, args=(call,), name="stb-env-call", daemon=True).start()
    return await done


async def ended_in_thread(work: Callable[[], T]) -> T:
    """Do something in a worker thread, to its end also where this is cancelled.

    Examples:
        >>> asyncio.run(ended_in_thread(lambda: "done"))
        'done'
    """
    doing = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait([doing])
        raise


def runs_here() -> bool:
    """Return whether this thread is the one of the background loop, where nothing may wait for it."""
    return _is_running(_background_loop())


class _Exit(Exception):
    """Carries out of a task what would end its loop, for whose other tasks everybody would wait for ever."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


async def _carried(awaitable: Awaitable[T]) -> T:
    try:
        return await awaitable
    except (SystemExit, KeyboardInterrupt) as error:
        raise _Exit(error) from None
    except asyncio.CancelledError as error:
        raise cancelled(error) from None


class AwaitedCancelledError(Exception):
    """Something that was awaited was cancelled, and not who awaited it."""


def cancelled(error: asyncio.CancelledError) -> BaseException:
    """Return a cancellation of the running task, or what stands for one of something that it awaited.

    Args:
        error: What was caught.
    """
    task = asyncio.current_task()
    if task is None or task.cancelling():
        return error
    return AwaitedCancelledError().with_traceback(error.__traceback__)


def new_loop() -> asyncio.AbstractEventLoop:
    """Return a new event loop: uvloop's where that is installed, since it takes a quarter less time."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


def _is_running(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _background_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = new_loop()
            _loop.set_default_executor(ThreadPoolExecutor(_THREADS, thread_name_prefix="stb-env-work"))
            threading.Thread(target=_loop.run_forever, name="stb-env-loop", daemon=True).start()
        return _loop


def _after_fork() -> None:
    # The loop's thread stays in the parent.
    global _lock, _loop
    _lock, _loop = threading.Lock(), None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
