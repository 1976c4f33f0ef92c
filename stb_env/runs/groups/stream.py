"""Groups as they come: one after the other, or many in flight."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator
from contextlib import aclosing, contextmanager
from functools import cache, partial

import gymnasium as gym

from stb_env.core.background import ended_in_thread, wait_for
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.request import Slow, adrive, drive
from stb_env.errors import ConfigError
from stb_env.runs.agent import AgentFactory
from stb_env.runs.batch import Cluster, EnvFactory, Remark
from stb_env.runs.cluster.worker_setup import RunLink
from stb_env.runs.deadlines import NO_DEADLINES, Deadlines
from stb_env.runs.groups.advantages import Estimator
from stb_env.runs.groups.group import Group
from stb_env.runs.groups.group_setup import GroupSetup
from stb_env.runs.groups.prefix import Prefixes, check_prefixes
from stb_env.runs.groups.trials import GroupJob, Trials, group
from stb_env.runs.groups.workers import Workers, forkable
from stb_env.runs.make import make
from stb_env.seeding import derive
from stb_env.tasks import TaskSource
from stb_env.trajectory import Trajectory

_log = logging.getLogger(__name__)


def groups(
    env: AnyEnv | EnvFactory | str,
    tasks: Iterable[str],
    k: int,
    *,
    agent: AgentFactory,
    seed: int = 0,
    prefix: Prefixes | None = None,
    branch_at: int | None = None,
    stop_equal: int | None = None,
    advantages: Estimator = "grpo",
    version: Callable[[], int] | None = None,
    concurrency: int = 1,
    ordered: bool = True,
    remark: Remark = _log.warning,
    deadlines: Deadlines = NO_DEADLINES,
    cluster: Cluster | None = None,
    link: RunLink | None = None,
) -> Generator[Group, None, None]:
    """Play several trials at each task from one state, for learning from relative rewards (GRPO, RLOO).

    A group starts one episode; its trials continue it from a snapshot, each with an agent's seed of its own.
    Seeds follow from (seed, task, how often the task came before, trial): neither order nor concurrency
    changes a byte. Where a saved episode gives the seed, a task that comes again gives further trials of that
    episode, numbered on. Tasks are drawn as they are needed, so they may be endless; with a concurrency above
    1 the next groups are played while a caller works with this one.

    Args:
        env: An environment of this package, wrapped or not, its id, or a function that makes it.
        tasks: Ids of tasks; one that comes again is another group.
        k: Trials of each.
        agent: Makes an agent; one plays one episode at a time.
        seed: Seed of all groups.
        prefix: What the trials of a task begin with, by task: a list of actions, or a saved episode of that
            task, whose seed then counts. Tasks of the environment that are not played may have one too.
        branch_at: After how many steps the trials part. The first trial is played first; the others begin
            where it stood then, or before its last step where it was shorter. With a prefix, so many of its
            actions are played.
        stop_equal: After so many trials of equal reward the rest is left out (`Group.stopped`).
        advantages: ``grpo``, ``dr_grpo`` or ``rloo``.
        version: Tells the version of the model, which each step then keeps as
            ``engine["model_version"]``; an agent may say it itself.
        concurrency: Trials played at the same time, on one event loop; those of an agent that blocks in
            threads.
        ordered: Whether a group that ends before an earlier one waits for it.
        remark: Told of each bug of the agent's, once; a log where not given.
        deadlines: How long calls, steps and trials may take; a trial begins where it parts from the others.
        cluster: Machines that play, each worker of theirs ``concurrency`` trials at the same time; None plays
            here. ``env`` is an id or a function then, which travels there, as ``agent`` and ``version`` do
            (see `run_batch`). Tasks are drawn twice as far ahead as workers play.
        link: Carries news back from the cluster's workers.

    Yields:
        Each group, in the order of the tasks; as it ends where ``ordered`` is False.

    Raises:
        ConfigError: A setting is out of range, the environment cannot be forked, or a prefix does not fit.
        DataError: There is no such task.

    Examples:
        >>> from stb_env import load_agent
        >>> from stb_env.testing.notes import notes
        >>> played = groups(notes(), ["day", "move"], 3, agent=load_agent("gold"), stop_equal=2)
        >>> [(group.task_id, group.rewards, group.stopped) for group in played]
        [('day', [1.0, 1.0], True), ('move', [1.0, 1.0], True)]
    """
    trials = Trials(k, branch_at, stop_equal, advantages)
    with _crew(env, agent, concurrency, version, remark, deadlines) as workers:
        jobs = _planned(workers.tasks, trials, tasks, seed, prefix)
        played = (group(workers, trials, job) for job in jobs)
        if cluster is not None:
            setup = GroupSetup(_travelling(env), agent, concurrency, deadlines, link, version, trials=trials)
            players = cluster.players(setup, jobs, cache(remark), ordered=ordered)
            try:
                while ended := players.take():
                    yield from ended
            finally:
                players.stop()
        elif concurrency > 1:
            yield from _waited(_overlapping(played, trials.ahead(concurrency), ordered=ordered))
        else:
            yield from map(drive, played)


async def agroups(
    env: AnyEnv | EnvFactory | str,
    tasks: Iterable[str],
    k: int,
    *,
    agent: AgentFactory,
    seed: int = 0,
    prefix: Prefixes | None = None,
    branch_at: int | None = None,
    stop_equal: int | None = None,
    advantages: Estimator = "grpo",
    version: Callable[[], int] | None = None,
    concurrency: int = 64,
    remark: Remark = _log.warning,
    deadlines: Deadlines = NO_DEADLINES,
    cluster: Cluster | None = None,
    link: RunLink | None = None,
) -> AsyncGenerator[Group, None]:
    """Play several trials at each task on the event loop; see `groups`.

    Examples:
        >>> from stb_env import load_agent
        >>> from stb_env.testing.notes import notes
        >>> async def main():
        ...     async for group in agroups(notes(), ["day"], 2, agent=load_agent("gold")):
        ...         print(group.rewards)
        >>> asyncio.run(main())
        [1.0, 1.0]
    """
    trials = Trials(k, branch_at, stop_equal, advantages)
    with _crew(env, agent, concurrency, version, remark, deadlines) as workers:
        jobs = _planned(workers.tasks, trials, tasks, seed, prefix)
        if cluster is not None:
            setup = GroupSetup(_travelling(env), agent, concurrency, deadlines, link, version, trials=trials)
            hire = partial(cluster.players, setup, jobs, cache(remark), ordered=True)
            players = await ended_in_thread(hire)
            try:
                while ended := await players.atake():
                    for one in ended:
                        yield one
            finally:
                await ended_in_thread(players.stop)
            return
        slow = (group(workers, trials, job) for job in jobs)
        async with aclosing(_overlapping(slow, trials.ahead(concurrency))) as played:
            async for one in played:
                yield one


def group_seed(seed: int, task_id: str, before: int = 0) -> int:
    """Return the seed of the episode that a group's trials are.

    Args:
        seed: Seed of all groups.
        task_id: The task.
        before: How often it came before.

    Examples:
        >>> group_seed(0, "day") == group_seed(0, "day", 0), group_seed(0, "day") == group_seed(0, "day", 1)
        (True, False)
    """
    return derive(seed, "group", task_id, before)


async def _overlapping(
    planned: Iterator[Slow[Group]], ahead: int, *, ordered: bool = True
) -> AsyncGenerator[Group, None]:
    flying: deque[asyncio.Task[Group]] = deque()
    try:
        while True:
            while len(flying) < ahead and (work := next(planned, None)) is not None:
                flying.append(asyncio.ensure_future(adrive(work)))
            if not flying:
                return
            if not ordered:
                await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
                flying = deque(sorted(flying, key=lambda task: not task.done()))
            yield await flying.popleft()
    finally:
        for task in flying:
            task.cancel()
        await asyncio.gather(*flying, return_exceptions=True)


def _planned(
    source: TaskSource, trials: Trials, tasks: Iterable[str], seed: int, prefix: Prefixes | None
) -> Iterator[GroupJob]:
    prefix = {} if prefix is None else prefix
    check_prefixes(prefix, source)
    seen: Counter[str] = Counter()
    for task_id in tasks:
        before, beginning = seen[task_id], prefix.get(task_id)
        seen[task_id] += 1
        if isinstance(beginning, Trajectory):
            yield GroupJob(task_id, beginning.seed, beginning, before * trials.k)
        else:
            yield GroupJob(task_id, group_seed(seed, task_id, before), beginning)


@contextmanager
def _crew(
    env: AnyEnv | EnvFactory | str,
    agent: AgentFactory,
    concurrency: int,
    version: Callable[[], int] | None,
    remark: Remark,
    deadlines: Deadlines,
) -> Iterator[Workers]:
    given = isinstance(env, gym.Env)
    made = forkable(env if isinstance(env, gym.Env) else _travelling(env)())
    workers = Workers(
        made, agent, concurrency=concurrency, version=version, remark=remark, deadlines=deadlines
    )
    try:
        yield workers
    finally:
        workers.close()
        if not given:
            made.close()


def _travelling(env: AnyEnv | EnvFactory | str) -> EnvFactory:
    """Return what makes an environment wherever it is called.

    Raises:
        ConfigError: It is an environment, which plays where it is.
    """
    if isinstance(env, gym.Env):
        raise ConfigError(
            f"a cluster takes an environment by its id or by a function that makes it, got "
            f"{type(env).__name__}; give lambda: stb_env.make(...), or a function of a module"
        )
    return partial(make, env) if isinstance(env, str) else env


def _waited(many: AsyncGenerator[Group, None]) -> Generator[Group, None, None]:
    """Yield from a generator that runs on the background loop, which goes on meanwhile."""
    asked: asyncio.Task[Group] | None = None

    async def following() -> Group:
        nonlocal asked
        asked = asyncio.ensure_future(anext(many))
        return await asked

    async def end() -> None:
        # Who is interrupted while waiting for a group leaves the generator at work on it.
        if asked is not None and asked.cancel():
            await asyncio.wait([asked])
        await many.aclose()

    try:
        while True:
            try:
                yield wait_for(following())
            except StopAsyncIteration:
                return
    finally:
        wait_for(end())
