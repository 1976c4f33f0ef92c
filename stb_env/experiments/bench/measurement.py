"""A measured figure, and how it is measured."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from stb_env import ToolEnv

T = TypeVar("T")

TURNS = 10
"""Steps of an episode that is measured."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured figure.

    Attributes:
        name: What was measured.
        value: The figure.
        unit: ``/s``, ``us``, ``ms``, ``s``, ``kB`` or ``MB``.
        note: What it is compared with.
    """

    name: str
    value: float
    unit: str
    note: str = ""


def rate(work: Callable[[], object], seconds: float, batch: int = 1) -> float:
    """Return calls a second: the best of five slices, each of which does ``batch`` calls a round."""
    work()
    best = 0.0
    for _ in range(5):
        rounds, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds / 5:
            work()
            rounds += 1
        best = max(best, rounds * batch / spent)
    return best


def cycle(items: Sequence[T]) -> Iterator[T]:
    """Yield items over and over."""
    while True:
        yield from items


def episode_rate(env: ToolEnv, actions: Iterator[object], seconds: float) -> float:
    """Return steps a second, in episodes that begin where the environment stands."""
    start = env.snapshot()

    def episode() -> None:
        env.restore(start)
        for _ in range(TURNS):
            env.step(next(actions))

    return rate(episode, seconds, batch=TURNS)
