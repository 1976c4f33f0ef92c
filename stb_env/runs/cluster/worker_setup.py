"""Data that travels to the workers of a cluster, and data that comes back besides what was played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import InfrastructureError
from stb_env.runs.agent import AgentFactory
from stb_env.runs.deadlines import Deadlines

JobT = TypeVar("JobT")
PlayedT = TypeVar("PlayedT")


class RunLink(Protocol):
    """Carries news from where episodes are played to where they are saved; a copy of it is at each worker.

    A worker that is lost takes along what it had not told: news are about costs and answers worth keeping,
    never about episodes.
    """

    def begin(self) -> None:
        """Prepare a worker's process before environment and agents are made there."""
        ...

    def collect(self) -> dict[str, object]:
        """Return, at a worker, what is new since the last time; empty for nothing."""
        ...

    def deliver(self, news: JsonObject) -> None:
        """Take in, where the run is saved, what a worker collected."""
        ...

    def close(self) -> None:
        """Put away, at a worker, what it needed there."""
        ...


@dataclass(frozen=True)
class WorkerSetup(ABC, Generic[JobT, PlayedT]):
    """Set-up of a worker, sent once: what it plays with, and how. Everything in it must be picklable.

    Attributes:
        make_env: Makes the environment, there.
        make_agent: Makes an agent, there.
        concurrency: Episodes that a worker plays at the same time.
        deadlines: How long things may take.
        link: Carries news back; None where there are none.
    """

    make_env: Callable[[], AnyEnv]
    make_agent: AgentFactory
    concurrency: int
    deadlines: Deadlines
    link: RunLink | None = None

    @property
    def at_once(self) -> int:
        """Jobs that a worker plays at the same time."""
        return self.concurrency

    @property
    def unit(self) -> int | None:
        """Jobs that a worker is given at once; None for as many as the cluster says."""
        return None

    @abstractmethod
    def player(self, tell: Callable[[str], None]) -> Callable[[JobT], Awaitable[PlayedT]]:
        """Make, at a worker, what is needed to play, so that what is wrong with all jobs is said at once.

        Args:
            tell: Told of bugs of the agent's.
        """

    @abstractmethod
    def written(self, played: PlayedT) -> Any:
        """Return, at a worker, what was played as plain data."""

    @abstractmethod
    def read(self, written: Any) -> PlayedT:
        """Return, where the run is saved, what a worker wrote."""

    @abstractmethod
    def given_up(self, job: JobT, failure: InfrastructureError) -> PlayedT:
        """Return what stands for a job that nobody lives to play."""
