"""Many episodes on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from stb_env.core.background import wait_for
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.interrupts import passing
from stb_env.core.request import adrive
from stb_env.runs.agent import Agent, AgentFactory
from stb_env.runs.deadlines import Deadlines
from stb_env.runs.episode import episode
from stb_env.runs.job import Job
from stb_env.runs.players import AHEAD, Timed
from stb_env.runs.slot import EpisodeSlot, Playing, Ready
from stb_env.runs.timing import Stopwatch
from stb_env.runs.two_stages import Keeper
from stb_env.trajectory import Trajectory

# What stands ready takes memory, and more than this only helps where there is no time left to get ready in.
_MOST_READY = 1024

Slot = tuple[AnyEnv, Agent]
"""An environment and an agent that play one episode at a time."""


class Stage:
    """Plays episodes on an event loop, for any scheduler of jobs.

    Each episode that is played has an agent and a fork of the environment, which the next one takes over.
    An episode that waits for its judge gives its place to another; as many may wait so as may be played. As
    many again (1,024 at most) stand ready: begun, up to the first thing that they wait for, so that one goes
    on in the moment in which a place is free.

    Args:
        make_env: Makes the environment; called again only where that cannot be forked.
        make_agent: Makes an agent.
        concurrency: Episodes played at the same time.
        deadlines: How long things may take.
        keeper: Saves episodes before they are judged; None saves nothing.
    """

    def __init__(
        self,
        make_env: Callable[[], AnyEnv],
        make_agent: AgentFactory,
        concurrency: int,
        deadlines: Deadlines,
        keeper: Keeper | None = None,
    ) -> None:
        self._keeper = keeper
        self._make_env = make_env
        self._make_agent = make_agent
        self._deadlines = deadlines
        self._playing = Playing(concurrency)
        self._judged = asyncio.Semaphore(concurrency)
        self._ready = Ready(min(concurrency, _MOST_READY), self._playing)
        self._free: list[Slot] = []
        self._made: list[AnyEnv] = []
        self._base: AnyEnv | None = None

    async def place(self) -> EpisodeSlot:
        """Wait for a place among those that stand ready; who is done leaves the one that it has then."""
        await self._ready.enter()
        return EpisodeSlot(self._ready, self._playing, self._judged)

    async def play(self, job: Job, place: EpisodeSlot) -> Timed:
        """Play a job."""
        env, agent = slot = self._free.pop() if self._free else self._slot()
        stopwatch = Stopwatch()
        slow = episode(
            env,
            agent,
            task_id=job.task_id,
            seed=job.seed,
            trial=job.trial,
            deadlines=self._deadlines,
            stopwatch=stopwatch,
            keeper=self._keeper,
        )
        trajectory: Trajectory = await adrive(slow, partial(place.enter, stopwatch))
        self._free.append(slot)
        return trajectory, stopwatch.read()

    def close(self) -> None:
        """Close the environments."""
        for env in self._made:
            env.close()

    def _slot(self) -> Slot:
        agent = self._make_agent()
        env = agent.wrap(self._fork())
        self._made.append(env)
        return env, agent

    def _fork(self) -> AnyEnv:
        if self._base is None:
            self._base = self._make_env()
        fork: Callable[[], AnyEnv] | None = getattr(self._base, "fork", None)
        if fork is not None:
            return fork()
        env, self._base = self._base, None
        return env


class LoopPlayers:
    """Plays jobs as tasks of the event loop on which it is asked first, all on one `Stage`.

    Args:
        make_env: Makes the environment; called again only where that cannot be forked.
        make_agent: Makes an agent.
        jobs: The jobs.
        concurrency: Episodes played at the same time.
        deadlines: How long things may take.
        keeper: Saves episodes before they are judged; None saves nothing.
    """

    def __init__(
        self,
        make_env: Callable[[], AnyEnv],
        make_agent: AgentFactory,
        jobs: list[Job],
        concurrency: int,
        deadlines: Deadlines,
        keeper: Keeper | None = None,
    ) -> None:
        self._stage = Stage(make_env, make_agent, concurrency, deadlines, keeper)
        self._jobs = jobs
        self._most = AHEAD * concurrency
        self._ended: list[Timed] = []
        self._error: BaseException | None = None
        self._open = 0
        self._news, self._room = asyncio.Event(), asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def take(self) -> list[Timed]:
        """Wait for an episode to end; see `Players`.

        Raises:
            Exception: What ended an episode and is about the run.
        """
        if self._task is None:
            self._task = asyncio.create_task(self._play_all())
            self._task.add_done_callback(lambda _: self._news.set())
        while not (self._ended or self._error or self._task.done()):
            self._news.clear()
            await self._news.wait()
        if not self._ended and self._error is not None:
            raise self._error
        return self._taken()

    async def stop(self) -> list[Timed]:
        """Cancel the episodes that are being played; see `Players`."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        self._stage.close()
        return self._taken()

    def _taken(self) -> list[Timed]:
        ended, self._ended = self._ended, []
        self._room.set()
        return ended

    async def _play_all(self) -> None:
        async with asyncio.TaskGroup() as episodes:
            for job in self._jobs:
                # Who waits for a judge has left its place: a judge that is slower than all others play does
                # not fill the memory.
                while self._open + len(self._ended) >= self._most:
                    self._room.clear()
                    await self._room.wait()
                place = await self._stage.place()
                if self._error is not None:
                    return
                self._open += 1
                episodes.create_task(self._play_one(job, place))

    async def _play_one(self, job: Job, place: EpisodeSlot) -> None:
        try:
            episode = await self._stage.play(job, place)
            self._ended.append(episode)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 (raised by `take`, behind what has ended before)
            self._error = self._error or error
        finally:
            place.leave()
            self._open -= 1
            self._room.set()
            self._news.set()


class BackgroundPlayers:
    """Plays jobs on the background loop of the process, for a thread that takes them.

    Args:
        players: Plays them.
    """

    def __init__(self, players: LoopPlayers) -> None:
        self._players = players

    def take(self) -> list[Timed]:
        """Wait for an episode to end; see `Players`."""
        with passing():
            return wait_for(self._players.take())

    def stop(self) -> list[Timed]:
        """Cancel the episodes that are being played; see `Players`."""
        with passing(again=True):
            return wait_for(self._players.stop())
