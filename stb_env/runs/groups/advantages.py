"""Advantages: the reward of each episode relative to its group, as in the papers that train on them.

Rewards may be None: such an episode counts for nothing, and its advantage is None, never a 0 that a
trainer would take for a measured one. An episode without another to compare it with has advantage 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Literal

Rewards = Sequence[float | None]
"""A group's rewards, in the order of its trials; None for an episode that is not valid."""

Estimator = Literal["grpo", "dr_grpo", "rloo"]

SPREAD = 1e-6
"""Rewards closer than this are equal: sums of shaped rewards are not exact."""


def grpo(rewards: Rewards) -> list[float | None]:
    """Return each reward less the group's mean, over its standard deviation (Shao et al., 2024).

    The deviation is that of a sample (n - 1); a group without variance has advantages of 0.

    Examples:
        >>> grpo([1.0, 0.0, None, 0.5])
        [1.0, -1.0, None, 0.0]
        >>> grpo([1.0, 1.0])
        [0.0, 0.0]
    """
    valid = _valid(rewards)
    if not varied(rewards):
        return _placed(rewards, [0.0] * len(valid))
    mean, deviation = fmean(valid), stdev(valid)
    return _placed(rewards, [(reward - mean) / deviation for reward in valid])


def dr_grpo(rewards: Rewards) -> list[float | None]:
    """Return each reward less the group's mean, which favours no task by how hard it is (Liu et al., 2025).

    Examples:
        >>> dr_grpo([1.0, 0.0, None, 0.5])
        [0.5, -0.5, None, 0.0]
    """
    valid = _valid(rewards)
    mean = fmean(valid) if valid else 0.0
    return _placed(rewards, [reward - mean for reward in valid])


def rloo(rewards: Rewards) -> list[float | None]:
    """Return each reward less the mean of the others (leave one out; Ahmadian et al., 2024).

    Examples:
        >>> rloo([1.0, 0.0, None, 0.5])
        [0.75, -0.75, None, 0.0]
    """
    valid = _valid(rewards)
    if len(valid) < 2:
        return _placed(rewards, [0.0] * len(valid))
    total, others = sum(valid), len(valid) - 1
    return _placed(rewards, [reward - (total - reward) / others for reward in valid])


ESTIMATORS: Mapping[str, Callable[[Rewards], list[float | None]]] = {
    "grpo": grpo,
    "dr_grpo": dr_grpo,
    "rloo": rloo,
}


def varied(rewards: Rewards) -> bool:
    """Say whether rewards differ, so that there is something to learn from them.

    Examples:
        >>> varied([1.0, None, 0.0]), varied([1.0, None, 1.0]), varied([])
        (True, False, False)
    """
    valid = _valid(rewards)
    return bool(valid) and max(valid) - min(valid) > SPREAD


def _valid(rewards: Rewards) -> list[float]:
    return [reward for reward in rewards if reward is not None]


def _placed(rewards: Rewards, advantages: Sequence[float]) -> list[float | None]:
    """Return advantages of the valid episodes at the places of these."""
    found = iter(advantages)
    return [None if reward is None else next(found) for reward in rewards]
