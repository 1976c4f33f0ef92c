"""Mean scores with their intervals, and how they change between two conditions on the same tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from stb_env.runs.metrics.intervals import bootstrap_interval
from stb_env.runs.metrics.significance import mcnemar, paired_bootstrap, sign_flip

ALPHA = 0.05
MARGIN = 0.02
"""Change, as a share, up to which two conditions count as equal where nobody says otherwise: 2 points."""

_SOLVED = 0.5

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MeanScore:
    """Mean score of an agent with its 95 % bootstrap interval over tasks.

    Examples:
        >>> sure = MeanScore.of({"a": [1.0, 1.0], "b": [1.0]})
        >>> sure.mean, sure.low, sure.high
        (1.0, 0.158114, 1.0)
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, scores: Mapping[T, Sequence[float]]) -> MeanScore:
        """Measure the scores of each task's episodes; every task counts alike."""
        means = list(task_means(scores).values())
        return cls(round(float(np.mean(means)), 6) if means else 0.0, *bootstrap_interval(means))

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends of the interval."""
        return self.low, self.high


def task_means(scores: Mapping[T, Sequence[float]]) -> dict[T, float]:
    """Return the mean score of each task."""
    return {task: float(np.mean(several)) for task, several in scores.items()}


@dataclass(frozen=True, slots=True)
class PairedChange:
    """A change of the mean score, from one condition to another, tested in pairs of tasks.

    Attributes:
        tasks: Tasks that both conditions have a score of.
        change: Mean score after minus before.
        interval: 95 % paired bootstrap interval of it.
        p_value: Of the sign-flip permutation test, by itself.
        lost: Tasks solved before, in most of their episodes, and not after.
        won: Tasks solved after and not before.
        mcnemar: Exact p-value of these two counts.
        scored: Whether any task has a score above 0 under either; where none has, nothing could change.
        adjusted: ``p_value`` among those that it is read with; see `holm`. None where it is alone.

    Examples:
        >>> before = {f"task {n}": 1.0 for n in range(10)}
        >>> PairedChange.of(before, {**before, **dict.fromkeys(list(before)[:8], 0.0)}).said()
        'falls by 80.0 points [50.0, 100.0]'
        >>> PairedChange.of(before, before).said()
        'no change found: +0.0 [-30.8, +30.8]'
        >>> PairedChange.of(before, {**before, "task 1": 0.0}).said()
        'no change found: -10.0 [-30.0, +0.0]'
    """

    tasks: int
    change: float
    interval: tuple[float, float]
    p_value: float
    lost: int
    won: int
    mcnemar: float
    scored: bool = True
    adjusted: float | None = None

    @classmethod
    def of(cls, before: Mapping[T, float], after: Mapping[T, float], seed: int = 0) -> PairedChange:
        """Compare the scores of the tasks that both have; the seed is that of the resampling."""
        shared = [task for task in before if task in after]
        first, second = ([scores[task] for task in shared] for scores in (before, after))
        solved = [(b > _SOLVED, a > _SOLVED) for b, a in zip(first, second, strict=True)]
        lost, won = solved.count((True, False)), solved.count((False, True))
        return cls(
            len(shared),
            round(float(np.mean(second) - np.mean(first)), 6) if shared else 0.0,
            paired_bootstrap(second, first, seed=seed),
            sign_flip(second, first, seed=seed),
            lost,
            won,
            mcnemar(lost, won),
            any(first) or any(second),
        )

    @property
    def found(self) -> bool:
        """True if there is a change, tested by itself: the interval leaves out 0."""
        low, high = self.interval
        return not low <= 0 <= high

    def stays(self, margin: float) -> bool:
        """Say whether there are pairs and the whole interval lies within the margin around no change."""
        return self.tasks > 0 and self.scored and -margin <= self.interval[0] and self.interval[1] <= margin

    def figures(self, margin: float) -> tuple[float | str | tuple[float, float] | None, ...]:
        """Return change, interval, adjusted p-value, counts with their test, and the sentence."""
        tests = (self.adjusted, self.lost, self.won, round(self.mcnemar, 6))
        return (self.change, self.interval, *tests, self.said(margin))

    def said(self, margin: float = MARGIN) -> str:
        """Return what the test says, in words.

        A score stays only where the whole interval lies within the margin.
        """
        if not self.tasks:
            return "not measured: no task has a score under both"
        if not self.scored:
            return "not measured: every score is 0 under both"
        low, high = self.interval
        if self.found:
            size, ends = abs(self.change), sorted((abs(low), abs(high)))
            verb = "falls" if self.change < 0 else "rises"
            within = f", within the margin of {100 * margin:.1f}" if self.stays(margin) else ""
            many = f" (p {self.adjusted:.2g} among all)" if self.adjusted and self.adjusted >= ALPHA else ""
            return (
                f"{verb} by {100 * size:.1f} points [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]{within}{many}"
            )
        numbers = f"{_signed(self.change)} [{_signed(low)}, {_signed(high)}]"
        if self.stays(margin):
            return f"stays within {100 * margin:.1f} points: {numbers}"
        return f"no change found: {numbers}"


def holm(changes: Sequence[PairedChange]) -> list[PairedChange]:
    """Return changes that are read together, each with its p-value after Holm, 1979.

    Examples:
        >>> tested = [PairedChange(9, 0.1, (0.05, 0.2), p, 0, 1, p) for p in (0.03, 0.01)]
        >>> [one.adjusted for one in holm(tested)]
        [0.03, 0.02]
    """
    adjusted = list(changes)
    least = 0.0
    order = sorted(range(len(changes)), key=lambda position: changes[position].p_value)
    for rank, position in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * changes[position].p_value))
        adjusted[position] = replace(changes[position], adjusted=round(least, 6))
    return adjusted


def _signed(share: float) -> str:
    # Not -0.0, which a rounded change of nothing can be.
    return f"{round(100 * share, 1) + 0.0:+.1f}"
