"""Distribution of a figure over episodes: its quantiles, and a histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, log10

import numpy as np

_BINS = 20


@dataclass(frozen=True, slots=True)
class Spread:
    """The quantiles of a figure over episodes.

    Attributes:
        episodes: How many there are.
        total: Their sum.
        mean: Their mean.
        least: The smallest.
        median: Half are at most this.
        most_of: Nine tenths are at most this.
        largest: The largest.

    Examples:
        >>> Spread.of([1, 2, 3, 10]).median
        2.5
    """

    episodes: int
    total: float
    mean: float
    least: float
    median: float
    most_of: float
    largest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Take the quantiles of values; all are 0 where there are none."""
        if not values:
            return cls(0, *[0.0] * 6)
        quantiles = (float(value) for value in np.quantile(values, [0, 0.5, 0.9, 1]))
        return cls(len(values), float(np.sum(values)), float(np.mean(values)), *quantiles)

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def edges(values: Sequence[float], *, whole: bool) -> list[float]:
    """Return round limits of at most twenty ranges that hold all values, the upper limits excluded.

    Args:
        values: The values, 0 or more.
        whole: Whether they are whole numbers, so that no range is narrower than 1.

    Examples:
        >>> edges([1, 4], whole=True)
        [1.0, 2.0, 3.0, 4.0, 5.0]
        >>> edges([0.0, 0.03], whole=False)[:3]
        [0.0, 0.002, 0.004]
    """
    low, high = (min(values), max(values)) if values else (0.0, 0.0)
    step = _round_step((high - low) / (_BINS - 1))
    if whole:
        step = max(1.0, step)
    first = floor(low / step)
    last = max(first + 1, floor(high / step) + 1)
    return [round(number * step, 12) for number in range(first, last + 1)]


def counts(values: Sequence[float], limits: Sequence[float]) -> list[int]:
    """Return how many values lie in each range between limits.

    Examples:
        >>> counts([1, 1, 2], [1.0, 2.0, 3.0])
        [2, 1]
    """
    places = np.searchsorted(np.asarray(limits[1:-1]), np.asarray(values, dtype=np.float64), side="right")
    return [int(count) for count in np.bincount(places.astype(int), minlength=len(limits) - 1)]


def _round_step(step: float) -> float:
    """Return the next 1, 2 or 5 times a power of ten."""
    if step <= 0:
        return 1.0
    power = 10.0 ** floor(log10(step))
    return next((factor * power for factor in (1, 2, 5) if factor * power >= step), 10 * power)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two limits, for an axis.

    Examples:
        >>> ticks(0, 1)
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    step = _round_step((high - low) / max(1, most - 1))
    return [
        round(number * step, 12) for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
    ]
