"""Worker of a cluster: receives leased jobs and returns what they come to as they end."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from typing import Any

from stb_env import __version__
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import RunStopped, STBError, bug_in
from stb_env.runs.cluster.worker_setup import WorkerSetup

_log = logging.getLogger(__name__)


class ClusterWorker:
    """Plays jobs of a run on the event loop of its process, as its setup says.

    Made without arguments, so that a machine with another version of this package can say so before it is
    given anything. What it returns is plain data.

    Examples:
        >>> import asyncio
        >>> from stb_env import load_agent, plan
        >>> from stb_env.runs.cluster.episode_setup import EpisodeSetup
        >>> from stb_env.runs.deadlines import NO_DEADLINES
        >>> from stb_env.testing.notes import notes
        >>> async def played():
        ...     worker = ClusterWorker()
        ...     await worker.begin(EpisodeSetup(notes, load_agent("gold"), 2, NO_DEADLINES))
        ...     told = await worker.work([(0, plan(notes().tasks, episodes=1)[0])])
        ...     return [number for number, _ in told["played"]], told["errors"]
        >>> asyncio.run(played())
        ([0], [])
    """

    def __init__(self) -> None:
        self._setup: WorkerSetup[Any, Any] | None = None
        self._play: Callable[[Any], Awaitable[Any]] = _unready
        self._news = asyncio.Event()
        self._played: list[tuple[int, Any]] = []
        self._errors: list[tuple[int, str, str]] = []
        self._remarks: list[str] = []
        self._playing: set[asyncio.Task[None]] = set()

    async def about(self) -> JsonObject:
        """Return which version of this package plays here, and in which process."""
        return {"stb_env": __version__, "pid": os.getpid()}

    async def begin(self, setup: WorkerSetup[Any, Any]) -> JsonObject:
        """Make what is needed to play, and return what went wrong: its class and what it says."""
        try:
            if setup.link is not None:
                setup.link.begin()
            self._play = setup.player(self._remarks.append)
        except STBError as error:
            return {"error": (type(error).__name__, str(error))}
        except Exception as error:  # noqa: BLE001 (told where the run is, without what it says)
            return {"error": ("RunStopped", bug_in("making environment or agent", error))}
        self._setup = setup
        return {}

    async def work(self, jobs: list[tuple[int, object]]) -> dict[str, object]:
        """Take more jobs, wait until one has ended, and return all that have since the last time.

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
        told: JsonObject = {"played": self._played, "errors": self._errors, "remarks": self._remarks[:]}
        self._played, self._errors = [], []
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

    async def _one(self, number: int, job: object) -> None:
        try:
            played = await self._play(job)
            if self._setup is not None:
                self._played.append((number, self._setup.written(played)))
        except STBError as error:
            self._errors.append((number, type(error).__name__, str(error)))
        except Exception as error:  # noqa: BLE001 (raised where the run is, when it is this job's turn)
            _log.exception("an episode failed")
            self._errors.append((number, "RunStopped", bug_in("an episode", error)))
        finally:
            self._news.set()


async def _unready(_: object) -> Any:
    raise RunStopped("a worker was asked to play before it was told what; begin() comes before work()")
