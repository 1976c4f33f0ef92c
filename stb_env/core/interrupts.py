"""Ctrl-C and SIGTERM that wait for a moment in which nothing is half done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]


class _Holder:
    """A handler that keeps an interrupt until it may pass, and until it has.

    Attributes:
        came: Whether an interrupt waits. One that passes still does, until its exception has come through:
            Python drops what a handler raises within a destructor or a callback of a weak reference.

    Args:
        before: The handler in whose place it stands.
    """

    def __init__(self, before: Handler) -> None:
        self.before = before
        self.passing = False
        self.came = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        if self.passing:
            self.before(number, frame)
            # A handler that returns has dealt with it.
            self.came = False

    def hand_over(self) -> None:
        """Give the handler before this one what has come, if anything has."""
        if self.came:
            self.came = False
            self.before(signal.SIGINT, None)


@contextmanager
def held() -> Iterator[None]:
    """Keep Ctrl-C waiting for the end of the block, and for the blocks of `passing` in it.

    Python raises `KeyboardInterrupt` between any two instructions: between the write of an episode, say, and
    the note that it is written. Only the main thread is ever interrupted, so elsewhere this does nothing.

    Examples:
        >>> from contextlib import suppress
        >>> with suppress(KeyboardInterrupt), held():
        ...     signal.raise_signal(signal.SIGINT)
        ...     print("done")
        done
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    holder = _Holder(before)
    signal.signal(signal.SIGINT, holder)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        holder.hand_over()


@contextmanager
def passing(*, again: bool = False) -> Iterator[None]:
    """Let Ctrl-C through within the block, and what came before it: here is waited, and nothing half done.

    Args:
        again: Whether only another one passes, and what came before waits on: in the block is ended already
            what it was to end.

    Examples:
        >>> with held():
        ...     with passing():
        ...         print("an answer has come")
        an answer has come
    """
    holder = _holder()
    if holder is None:
        yield
        return
    waits_on, holder.came = again and holder.came, holder.came and not again
    holder.passing = True
    try:
        holder.hand_over()
        yield
    except KeyboardInterrupt:
        holder.came = False
        raise
    finally:
        holder.passing = False
        holder.came = holder.came or waits_on


REMINDER_S = 0.5
"""Whoever waits for longer than this many seconds calls `remind` meanwhile."""


def remind() -> None:
    """Raise an interrupt that passed and was dropped on its way."""
    holder = _holder()
    if holder is not None and holder.passing:
        holder.hand_over()


def _holder() -> _Holder | None:
    # Only the main thread is ever interrupted.
    if threading.current_thread() is not threading.main_thread():
        return None
    handler = signal.getsignal(signal.SIGINT)
    return handler if isinstance(handler, _Holder) else None


@contextmanager
def terminable() -> Iterator[None]:
    """Have SIGTERM do in the block what Ctrl-C does: it waits with `held`, and raises `KeyboardInterrupt`.

    Only the main thread is told of signals, so elsewhere this does nothing.

    Examples:
        >>> with terminable():
        ...     try:
        ...         signal.raise_signal(signal.SIGTERM)
        ...     except KeyboardInterrupt:
        ...         print("saved")
        saved
    """
    before = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    signal.signal(signal.SIGTERM, _as_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _as_interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 (as a handler has it)
    interrupt = signal.getsignal(signal.SIGINT)
    # In the background, shells have Ctrl-C ignored; who asks a process to end means it all the same.
    (interrupt if callable(interrupt) else signal.default_int_handler)(signal.SIGINT, frame)
