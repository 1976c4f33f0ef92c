"""Confidence intervals of means, which never have width 0.

A bootstrap of equal values returns one point, however few values there were. Where all are equal, the exact
bound (Clopper and Pearson, 1934) on the share of tasks that could still be otherwise takes its place: the
mean lies where those tasks, at the least or the greatest value that there is, would put it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000


def bootstrap_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean, from a fixed seed.

    Args:
        values: One number a task, between 0 and 1 unless some are beyond.
        confidence: Share of resamples inside.

    Examples:
        >>> bootstrap_interval([1.0, 1.0, 1.0]), bootstrap_interval([])
        ((0.292402, 1.0), (0.0, 1.0))
    """
    sample = np.asarray(values, dtype=np.float64)
    if is_constant(sample):
        return constant_interval(sample, 0.0, 1.0, confidence)
    rng = np.random.default_rng(0)
    means = np.array([rng.choice(sample, sample.size).mean() for _ in range(RESAMPLES)])
    return quantiles(means, confidence)


def is_constant(sample: NDArray[np.float64]) -> bool:
    """Return whether a sample has no two different values."""
    return sample.size == 0 or bool((sample == sample[0]).all())


def constant_interval(
    sample: NDArray[np.float64], least: float, most: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of the mean of equal values; all that is possible where there are none.

    Args:
        sample: The values.
        least: The least value that there is.
        most: The greatest value that there is.
        confidence: Of the interval.

    Examples:
        >>> constant_interval(np.zeros(12), -1.0, 1.0)
        (-0.264648, 0.264648)
    """
    if not sample.size:
        return least, most
    value = float(sample[0])
    least, most = min(least, value), max(most, value)
    unseen = 1 - ((1 - confidence) / 2) ** (1 / sample.size)
    return round(value - unseen * (value - least), 6), round(value + unseen * (most - value), 6)


def quantiles(means: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return the middle of resampled means that holds so large a share of them."""
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return round(float(low), 6), round(float(high), 6)
