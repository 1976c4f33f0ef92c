"""Tests of a difference between two runs: exact McNemar, paired bootstrap, sign-flip permutation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from stb_env.errors import DataError
from stb_env.runs.metrics.intervals import constant_interval, is_constant, quantiles
from stb_env.trajectory import Trajectory

RESAMPLES = 10_000

# Memory of one block of resamples: this many numbers.
_BLOCK = 2_000_000


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of McNemar's test: a sign test on the tasks that differ.

    Args:
        only_first: Tasks that only the first run solved.
        only_second: Tasks that only the second run solved.

    Raises:
        DataError: A count is negative.

    Examples:
        >>> mcnemar(0, 5), mcnemar(3, 3), round(mcnemar(1, 8), 6)
        (0.0625, 1.0, 0.039062)
    """
    if only_first < 0 or only_second < 0:
        raise DataError(f"counts of tasks must be 0 or more, got {only_first} and {only_second}")
    differing, fewer = only_first + only_second, min(only_first, only_second)
    tail = sum(comb(differing, count) for count in range(fewer + 1))
    return float(min(1.0, 2 * tail / 2**differing))


def sign_flip(
    first: Sequence[float], second: Sequence[float], *, resamples: int = RESAMPLES, seed: int = 0
) -> float:
    """Return the two-sided p-value of the mean difference when each pair's sign is a coin toss.

    Exact where all sign patterns are fewer than ``resamples``; else drawn, the observed one counted with
    them, so that the value is never 0.

    Args:
        first: Score of the first run on each task.
        second: Score of the second run, in the same order.
        resamples: Sign patterns that are drawn at most.
        seed: Seed of the drawing.

    Raises:
        DataError: The runs have different numbers of tasks.

    Examples:
        >>> sign_flip([1, 1, 1, 1, 1], [0, 0, 0, 0, 0])
        0.0625
    """
    differences = _differences(first, second)
    differences = differences[differences != 0]
    if not differences.size:
        return 1.0
    observed = abs(differences.sum()) - 1e-9
    if 2**differences.size <= resamples:
        patterns = (np.arange(2**differences.size)[:, None] >> np.arange(differences.size)) & 1
        return float(np.mean(np.abs((1 - 2 * patterns) @ differences) >= observed))
    rng = np.random.default_rng(seed)
    extreme = 0
    for size in _blocks(resamples, differences.size):
        signs = rng.integers(0, 2, (size, differences.size)) * 2 - 1
        extreme += int(np.count_nonzero(np.abs(signs @ differences) >= observed))
    return (extreme + 1) / (resamples + 1)


def paired_bootstrap(
    first: Sequence[float],
    second: Sequence[float],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile interval of the mean difference, first minus second, tasks drawn as pairs.

    Args:
        first: Score of the first run on each task, between 0 and 1 unless some are beyond.
        second: Score of the second run, in the same order.
        confidence: Share of resamples inside.
        resamples: How often tasks are drawn.
        seed: Seed of the drawing.

    Raises:
        DataError: The runs have different numbers of tasks.

    Examples:
        >>> paired_bootstrap([1.0, 1.0], [0.5, 0.5])
        (-0.762829, 0.920943)
    """
    differences = _differences(first, second)
    if is_constant(differences):
        return constant_interval(differences, -1.0, 1.0, confidence)
    rng = np.random.default_rng(seed)
    means = [
        differences[rng.integers(0, differences.size, (size, differences.size))].mean(axis=1)
        for size in _blocks(resamples, differences.size)
    ]
    return quantiles(np.concatenate(means), confidence)


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of two runs on the tasks with a valid episode in both.

    Attributes:
        tasks: Tasks compared.
        left_out: Tasks of which one run has no valid episode.
        first: Mean score of the first run.
        second: Mean score of the second run.
        difference: ``first`` minus ``second``.
        interval: 95 % paired bootstrap interval of it.
        p_value: Of the sign-flip permutation test on scores.
        only_first: Tasks that only the first run solved in most of its trials.
        only_second: Tasks that only the second run solved in most of its trials.
        mcnemar: Exact p-value of these two counts.
    """

    tasks: int
    left_out: int
    first: float
    second: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    only_first: int
    only_second: int
    mcnemar: float

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def compare_runs(first: Iterable[Trajectory], second: Iterable[Trajectory], seed: int = 0) -> Difference:
    """Compare two runs task by task; a task's score is its mean reward over valid trials.

    Args:
        first: Judged episodes of one run.
        second: Judged episodes of another run on the same tasks.
        seed: Seed of the resampling.

    Raises:
        DataError: They were judged by different judges, or share no task with valid episodes.
    """
    mine, theirs = list(first), list(second)
    _check_judges(mine, theirs)
    scores, solved = (
        [_by_task(run, _reward) for run in (mine, theirs)],
        [_by_task(run, _solved) for run in (mine, theirs)],
    )
    shared = [task for task in scores[0] if task in scores[1]]
    if not shared:
        raise DataError("the two runs share no task of which both have a valid episode")
    one, other = ([run[task] for task in shared] for run in scores)
    won, lost = ([run[task] > 0.5 for task in shared] for run in solved)
    only_first = sum(a and not b for a, b in zip(won, lost, strict=True))
    only_second = sum(b and not a for a, b in zip(won, lost, strict=True))
    every = {episode.task_id for episode in (*mine, *theirs)}
    return Difference(
        len(shared),
        len(every) - len(shared),
        float(np.mean(one)),
        float(np.mean(other)),
        float(np.mean(one) - np.mean(other)),
        paired_bootstrap(one, other, seed=seed),
        sign_flip(one, other, seed=seed),
        only_first,
        only_second,
        mcnemar(only_first, only_second),
    )


def _check_judges(*runs: Sequence[Trajectory]) -> None:
    judges = [
        {str(t.verdict["judge"]) for t in run if t.valid and t.verdict and t.verdict["judge"] != "env"}
        for run in runs
    ]
    if judges[0] and judges[1] and judges[0] != judges[1]:
        shown = " and ".join(", ".join(sorted(names)) for names in judges)
        raise DataError(f"the two runs were judged by {shown}; judge both with the same judge")


def _reward(episode: Trajectory) -> float:
    return episode.reward


def _solved(episode: Trajectory) -> float:
    return float(episode.solved)


def _by_task(episodes: Iterable[Trajectory], value: Callable[[Trajectory], float]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.valid:
            found.setdefault(episode.task_id, []).append(value(episode))
    return {task: float(np.mean(values)) for task, values in found.items()}


def _differences(first: Sequence[float], second: Sequence[float]) -> NDArray[np.float64]:
    if len(first) != len(second):
        raise DataError(f"paired runs need a score of each task, got {len(first)} and {len(second)}")
    return np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)


def _blocks(resamples: int, width: int) -> list[int]:
    size = max(1, _BLOCK // width)
    return [size] * (resamples // size) + ([resamples % size] if resamples % size else [])
