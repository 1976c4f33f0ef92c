"""A loop that plays tasks with a model that knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from stb_env.bench.integrations.script import Script


def _nowhere() -> float:
    return 0.0


@dataclass(frozen=True, slots=True)
class Play:
    """A loop that is ready.

    Attributes:
        play: Plays tasks, and returns the mean of their rewards.
        elsewhere: CPU seconds that other processes have spent for it so far: a server of ours.
    """

    play: Callable[[Sequence[str]], float]
    elsewhere: Callable[[], float] = _nowhere


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop to be measured.

    Attributes:
        name: What it is called.
        module: The module that it needs.
        start: Makes it ready.
    """

    name: str
    module: str
    start: Callable[[Script], AbstractContextManager[Play]]


def mean(rewards: Sequence[float | None]) -> float:
    """Return the mean; an episode without a reward earned nothing here."""
    return sum(reward or 0.0 for reward in rewards) / len(rewards)
