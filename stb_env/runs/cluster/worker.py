"""Worker of a cluster: receives leased jobs and returns episodes as they end."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeAlias

from stb_env import __version__
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import RunStopped, STBError, bug_in
from stb_env.runs.cluster.worker_setup import WorkerSetup
from stb_env.runs.guarded_agent import GuardedAgent
from stb_env.runs.job import Job
from stb_env.runs.loop import Stage
from stb_env.runs.players import Timed, Worker
from stb_env.runs.timing import Timing

_log = logging.getLogger(__name__)

Play: TypeAlias = Callable[[Job], Awaitable[Timed]]


class ClusterWorker:
    """Plays jobs of a run on the event loop of its process, or in threads where its agents block theirs.

    Made without arguments, so that a machine with another version of this package can say so before it is
    given anything. What it returns is plain data.

    Examples:
        >>> import asyncio
        >>> from stb_env import load_agent, plan
        >>> from stb_env.runs.deadlines import NO_DEADLINES
        >>> from stb_env.testing.notes import notes
        >>> async def played():
        ...     worker = ClusterWorker()
        ...     await worker.begin(WorkerSetup(notes, load_agent("gold"), 2, NO_DEADLINES))
        ...     told = await worker.work([(0, plan(notes().tasks, episodes=1)[0])])
        ...     return [number for number, _, _ in told["episodes"]], told["errors"]
        >>> asyncio.run(played())
        ([0], [])
    """

    def __init__(self) -> None:
        self._setup: WorkerSetup | None = None
        self._play: Play = _unready
        self._news = asyncio.Event()
        self._episodes: list[tuple[int, str, Timing]] = []
        self._errors: list[tuple[int, str, str]] = []
        self._remarks: list[str] = []
        self._playing: set[asyncio.Task[None]] = set()

    async def about(self) -> JsonObject:
        """Return which version of this package plays here, and in which process."""
        return {"stb_env": __version__, "pid": os.getpid()}

    async def begin(self, setup: WorkerSetup) -> JsonObject:
        """Make what is needed to play, and return what went wrong: its class and what it says."""
        guarding = partial(_guarded, setup, self._remarks.append)
        try:
            if setup.link is not None:
                setup.link.begin()
            # Made once before the first job, so that what is wrong with all episodes is said at once.
            env = setup.make_env()
            blocks = guarding().blocks
        except STBError as error:
            return {"error": (type(error).__name__, str(error))}
        except Exception as error:  # noqa: BLE001 (told where the run is, without what it says)
            return {"error": ("RunStopped", bug_in("making environment or agent", error))}
        spare = [env]
        make_env = lambda: spare.pop() if spare else setup.make_env()  # noqa: E731
        if blocks:
            self._play = _in_threads(partial(Worker, make_env, guarding, setup.deadlines), setup)
        else:
            self._play = _on_loop(Stage(make_env, guarding, setup.concurrency, setup.deadlines))
        self._setup = setup
        return {}

    async def work(self, jobs: list[tuple[int, Job]]) -> dict[str, object]:
        """Take more jobs, wait until an episode has ended, and return all that have since the last time.

        Args:
            jobs: Jobs with their numbers.
        """
        for number, job in jobs:
            task = asyncio.create_task(self._one(number, job))
            # The loop itself keeps no task alive.
            self._playing.add(task)
            task.add_done_callback(self._playing.discard)
        await self._news.wait()
        self._news.clear()
        told: JsonObject = {"episodes": self._episodes, "errors": self._errors, "remarks": self._remarks[:]}
        self._episodes, self._errors = [], []
        self._remarks.clear()
        if self._setup is not None and self._setup.link is not None:
            told["news"] = self._setup.link.collect()
        return told

    async def close(self) -> None:
        """Play no further, and put away what was needed for it."""
        for task in list(self._playing):
            task.cancel()
        if self._setup is not None and self._setup.link is not None:
            self._setup.link.close()

    async def _one(self, number: int, job: Job) -> None:
        try:
            trajectory, timing = await self._play(job)
            self._episodes.append((number, trajectory.to_json(), timing))
        except STBError as error:
            self._errors.append((number, type(error).__name__, str(error)))
        except Exception as error:  # noqa: BLE001 (raised where the run is, when it is this job's turn)
            _log.exception("an episode failed")
            self._errors.append((number, "RunStopped", bug_in("an episode", error)))
        finally:
            self._news.set()


def _guarded(setup: WorkerSetup, tell: Callable[[str], None]) -> GuardedAgent:
    return GuardedAgent(setup.make_agent(), tell)


async def _unready(_: Job) -> Timed:
    raise RunStopped("a worker was asked to play before it was told what; begin() comes before work()")


def _on_loop(stage: Stage) -> Play:
    async def play(job: Job) -> Timed:
        place = await stage.place()
        try:
            return await stage.play(job, place)
        finally:
            place.leave()

    return play


def _in_threads(make_worker: Callable[[], Worker], setup: WorkerSetup) -> Play:
    pool = ThreadPoolExecutor(setup.concurrency, thread_name_prefix="episode")
    local, lock = threading.local(), threading.Lock()

    def play_here(job: Job) -> Timed:
        if not hasattr(local, "worker"):
            with lock:
                local.worker = make_worker()
        worker: Worker = local.worker
        return worker.play(job)

    async def play(job: Job) -> Timed:
        return await asyncio.get_running_loop().run_in_executor(pool, copy_context().run, play_here, job)

    return play
