"""Steps off the event loop, so that one that computes for long keeps no other client waiting."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, fields
from functools import partial
from time import thread_time
from typing import Any, NamedTuple, TypeVar

from stb_env.actions import exceeds
from stb_env.core.request import Request, Slow
from stb_env.envs.rules import Rules
from stb_env.envs.state import State
from stb_env.envs.tool_env import ToolEnv
from stb_env.tasks import Task
from stb_env.tools import Tool

T = TypeVar("T")

_LONG, _MANY = 4_000, 1_000
"""Characters and values of an action that may take long."""
_LONG_S, _REMEMBERED = 0.01, 1_000
"""Seconds of a long part of a step, and the parts after which it is forgotten."""

# What waits, such as a question to a model, waits on the event loop: these only compute.
_THREADS = ThreadPoolExecutor((os.cpu_count() or 1) + 4, thread_name_prefix="stb-env-step")


class Pace:
    """Knows whether steps of an environment compute so long that a thread is worth its way there and back.

    Attributes:
        quick: Whether none of the last ones did, or none was played yet.
    """

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = 0

    @property
    def quick(self) -> bool:
        """True if a step goes on where it is asked for."""
        return not self._left

    def took(self, seconds: float) -> None:
        """Take note of what a part of a step computed, by the clock of its thread."""
        self._left = _REMEMBERED if seconds > _LONG_S else max(0, self._left - 1)


@dataclass(frozen=True, slots=True)
class OffLoopRules(Rules):
    """Rules whose steps compute in a thread where they may take long and an event loop drives them.

    Long actions may, those of other packages' environments, and those of one of whose last steps one did; of
    ours, what could has a thread or a process anyway. A step that is cancelled while it computes has not
    happened: what it comes to is dropped.
    """

    pace: Pace = field(default_factory=Pace, compare=False, repr=False)

    def advance(self, task: Task, tools: Mapping[str, Tool], state: State, action: object) -> Slow[State]:
        """Play one action; see `Rules`."""
        played = Rules.advance(self, task, tools, state, action)
        if self.layers:
            # Another of these rules does it.
            return (yield from played)
        ours = all(type(part).__module__.startswith("stb_env.") for part in (self.backend, self.judge))
        is_brief = ours and not exceeds(action, characters=_LONG, values=_MANY)
        return (yield from off_loop(played, self.pace if is_brief else None))


def stepping_off_loop(env: ToolEnv) -> ToolEnv:
    """Let the steps of an environment, and of its forks, compute in threads; rules of its own stay."""
    if type(env.rules) is Rules:
        env.rules = OffLoopRules(**{each.name: getattr(env.rules, each.name) for each in fields(Rules)})
    return env


def off_loop(slow: Slow[T], pace: Pace | None = None) -> Slow[T]:
    """Yield the requests of a generator, and its own work between them as requests too.

    Args:
        slow: The generator.
        pace: Says whether that work is quick, and is done at once.

    Examples:
        >>> import threading
        >>> def work():
        ...     yield from ()
        ...     return threading.current_thread().name.partition("_")[0]
        >>> from stb_env.core.request import adrive
        >>> asyncio.run(adrive(off_loop(work()))), asyncio.run(adrive(off_loop(work(), Pace())))
        ('stb-env-step', 'MainThread')
    """
    answer: Any = None
    error: BaseException | None = None
    while True:
        work = partial(_gone_on, slow, answer, error, pace)
        if pace is not None and pace.quick:
            reached = work()
        else:
            reached = yield Request(run=work, arun=partial(_in_thread, work))
        if isinstance(reached, _Ended):
            value: T = reached.value
            return value
        answer = error = None
        try:
            answer = yield reached
        except (Exception, SystemExit) as raised:  # noqa: BLE001 (handed to whoever asked)
            error = raised


class _Ended(NamedTuple):
    """The value that a generator returned: no future can carry its StopIteration."""

    value: Any


def _gone_on(
    slow: Slow[object], answer: object, error: BaseException | None, pace: Pace | None
) -> Request | _Ended:
    began = thread_time()
    try:
        return slow.send(answer) if error is None else slow.throw(error)
    except StopIteration as stop:
        return _Ended(stop.value)
    finally:
        if pace is not None:
            pace.took(thread_time() - began)


def _in_thread(work: Callable[[], T]) -> Awaitable[T]:
    return asyncio.get_running_loop().run_in_executor(_THREADS, copy_context().run, work)
