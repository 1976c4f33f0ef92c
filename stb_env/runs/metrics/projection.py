"""Project the cost of further episodes from those that were played."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev

_TWO_SIDED = 1.96
_OPEN = 3
# Student's t at 97.5 % by degrees of freedom: few episodes say little about how much they vary.
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13)


@dataclass(frozen=True, slots=True)
class Projection:
    """A sum over episodes that are still to be played.

    Attributes:
        mean: What is expected.
        low: Lower end of the 95 % prediction interval, never below 0.
        high: Upper end; infinite where a single episode says nothing of how much they vary.
    """

    mean: float
    low: float
    high: float

    def to_dict(self) -> dict[str, object]:
        """Return the projection as plain data; what is not finite, which JSON lacks, is None.

        Examples:
            >>> project([2.0], 10).to_dict()
            {'mean': 20.0, 'low': 0.0, 'high': None}
        """
        return {name: value if math.isfinite(value) else None for name, value in asdict(self).items()}


def project(amounts: Sequence[float], todo: int) -> Projection:
    """Project the sum over further episodes, which are taken to be like those that were played.

    The interval covers both how much the further episodes vary and how little is known of their mean. Where
    all cost the same it covers what that leaves open: up to 3 in ``len(amounts)`` of the further ones may
    cost otherwise (the rule of three), and are taken to cost nothing or twice as much.

    Args:
        amounts: What each played episode cost.
        todo: How many are to be played.

    Examples:
        >>> project([2.0] * 6, 10)
        Projection(mean=20.0, low=10.0, high=30.0)
        >>> project([2.0], 10)
        Projection(mean=20.0, low=0.0, high=inf)
    """
    if not todo:
        return Projection(0.0, 0.0, 0.0)
    if not amounts:
        return Projection(math.nan, 0.0, math.inf)
    count, mean = len(amounts), fmean(amounts) * todo
    if count == 1:
        return Projection(mean, 0.0, math.inf)
    spread = stdev(amounts)
    if not spread:
        margin = mean * min(1.0, _OPEN / count)
        return Projection(mean, mean - margin, mean + margin)
    # Beyond the table the normal quantile, with the first term of its expansion.
    student = _STUDENT[count - 2] if count - 2 < len(_STUDENT) else _TWO_SIDED + 2.4 / (count - 1)
    margin = student * spread * math.sqrt(todo + todo**2 / count)
    return Projection(mean, max(0.0, mean - margin), mean + margin)
