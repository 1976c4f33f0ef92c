"""Workers that play the trials of groups: agents, each with a fork of one environment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, cached_property, partial
from numbers import Integral
from typing import Any, TypeAlias, TypeVar

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Request, Slow, adrive, drive
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError
from stb_env.runs.agent import Agent, AgentFactory
from stb_env.runs.deadlines import NO_DEADLINES, Deadlines
from stb_env.runs.groups.staleness import VersionedAgent, told_version
from stb_env.runs.groups.start import ForkableEnv
from stb_env.runs.guarded_agent import GuardedAgent
from stb_env.tasks import TaskSource
from stb_env.wrappers.base import ToolWrapper

T = TypeVar("T")
Worker: TypeAlias = tuple[ForkableEnv, Agent]


class Workers:
    """Makes workers as they are needed, and uses each again.

    Args:
        env: Every worker plays in a fork of it.
        make_agent: Makes an agent; called once a worker.
        concurrency: How many trials are played at the same time, on an event loop; agents that block play in
            so many threads there.
        version: Tells the version of the model of now; None keeps none.
        remark: Told of each bug of the agent's, once.
        deadlines: How long calls, steps and trials may take.

    Raises:
        ConfigError: ``concurrency`` is no number from 1, or ``make_agent`` cannot make agents.
    """

    def __init__(
        self,
        env: ForkableEnv,
        make_agent: AgentFactory,
        *,
        concurrency: int = 1,
        version: Callable[[], int] | None = None,
        remark: Callable[[str], None],
        deadlines: Deadlines = NO_DEADLINES,
    ) -> None:
        _check_kinds(make_agent, concurrency)
        if concurrency < 1:
            raise ConfigError(f"concurrency must be at least 1, got {concurrency}")
        self._env, self._make_agent = env, make_agent
        self._version = None if version is None else partial(told_version, version)
        self.concurrency, self.deadlines = concurrency, deadlines
        self.tell = cache(remark)
        self._free: list[Worker] = []
        self._places = asyncio.Semaphore(concurrency)
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="trial")

    @property
    def tasks(self) -> TaskSource:
        """The tasks of the environment."""
        inner: Any = self._env.unwrapped
        tasks: TaskSource = inner.tasks
        return tasks

    @contextmanager
    def worker(self) -> Iterator[Worker]:
        """Lend an agent that plays nothing else meanwhile, and its environment."""
        worker = self._free.pop() if self._free else self._made()
        yield worker
        # One that was broken off in the middle of an episode is not used again.
        self._free.append(worker)

    def play(self, trials: Sequence[Slow[T]]) -> Slow[list[T]]:
        """Play trials: one after the other, or on an event loop next to each other."""
        run = partial(_each, trials)
        played: list[T] = yield Request(run=run, arun=partial(self._together, trials))
        return played

    def current_version(self) -> int | None:
        """Return the version of the model of now, where someone tells it."""
        return None if self._version is None else self._version()

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _made(self) -> Worker:
        agent = self._make_agent()
        # An agent's own wrapper is one of this package: it was made around a fork.
        env = forkable(agent.wrap(self._env.fork()))
        if self._version is None:
            return env, GuardedAgent(agent, self.tell)
        return env, VersionedAgent(agent, self.tell, self._version)

    async def _together(self, trials: Sequence[Slow[T]]) -> list[T]:
        return await together([self._one(trial) for trial in trials])

    async def _one(self, trial: Slow[T]) -> T:
        async with self._places:
            if not self._blocks:
                return await adrive(trial)
            # A thread starts with an empty context; what the caller's holds (a meter) is to hold here too.
            work = partial(copy_context().run, drive, trial)
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    @cached_property
    def _blocks(self) -> bool:
        with self.worker() as (_, agent):
            return agent.blocks


def forkable(env: AnyEnv) -> ForkableEnv:
    """Return an environment that can be forked.

    Raises:
        ConfigError: It cannot, or its rewards are dense.
    """
    if isinstance(env, ToolEnv | ToolWrapper):
        check_reward(env)
        return env
    raise ConfigError(
        f"groups need an environment that forks: a ToolEnv or a wrapper of stb_env.wrappers, got "
        f"{type(env).__name__}"
    )


def check_reward(env: AnyEnv) -> None:
    """Refuse an environment whose rewards tell the episodes of a group nothing.

    Raises:
        ConfigError: They are dense.
    """
    inner: Any = env.unwrapped
    rules = getattr(inner, "rules", None)
    if rules is not None and rules.reward == "dense":
        raise ConfigError(
            "reward='dense' tells the episodes of a group nothing: over a whole episode it adds up to the "
            "verdict, as 'sparse' does; take reward='partial', or reward='sparse'"
        )


async def together(work: Sequence[Coroutine[object, object, T]]) -> list[T]:
    """Wait for all; where one fails or the caller gives up, the others are cancelled."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _check_kinds(make_agent: object, concurrency: object) -> None:
    if not isinstance(concurrency, Integral):
        raise ConfigError(f"concurrency must be a whole number, got {concurrency!r:.80}")
    if isinstance(make_agent, str):
        raise ConfigError(
            f"agent must be what makes an agent, got the text {make_agent!r:.80}; "
            f"give load_agent({make_agent!r:.80})"
        )
    if not callable(make_agent):
        raise ConfigError(
            f"agent must be what makes an agent, got {type(make_agent).__name__}; "
            "give its class, or a function that returns a new one each time"
        )


def _each(trials: Sequence[Slow[T]]) -> list[T]:
    return [drive(trial) for trial in trials]
