"""Data that travels to the workers of a cluster, and data that comes back besides episodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonObject
from stb_env.runs.agent import AgentFactory
from stb_env.runs.deadlines import Deadlines


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


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """Set-up of a worker, sent once; everything in it must be picklable.

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
