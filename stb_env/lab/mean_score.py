"""A mean score with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stb_env.metrics.intervals import bootstrap_interval

Scores = Mapping[str, Sequence[float]]
"""Scores of every task's episodes, by its id."""


@dataclass(frozen=True, slots=True)
class MeanScore:
    """Mean score of an agent with its 95 % bootstrap interval over tasks.

    Examples:
        >>> sure = MeanScore.of({"a": [1.0, 1.0], "b": [1.0]})
        >>> sure.mean, sure.low, sure.high, sure.overlaps(MeanScore(0.9, 0.8, 1.0))
        (1.0, 0.158114, 1.0, True)
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, scores: Scores) -> MeanScore:
        """Measure scores; every task counts alike, however often it was played."""
        means = [float(np.mean(several)) for several in scores.values()]
        return cls(round(float(np.mean(means)), 6) if means else 0.0, *bootstrap_interval(means))

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends of the interval."""
        return self.low, self.high

    def overlaps(self, other: MeanScore) -> bool:
        """Say whether the two intervals have a point in common."""
        return self.low <= other.high and other.low <= self.high
