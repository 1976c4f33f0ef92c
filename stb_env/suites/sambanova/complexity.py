"""Complexity: the distance of test tasks from the examples that a model has seen.

A task is the multiset of API calls of a program that solves it: order is ignored, arguments are too, and
several calls of one function count as several.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from stb_env.errors import DataError

Calls = Iterable[str]
"""Names of the functions that a program calls, with repetitions."""


@dataclass(frozen=True, slots=True)
class Complexity:
    """The complexity of a test set, given examples.

    Attributes:
        score: Mean over tests of the distance to the nearest example, in nats.
        rf1: Mean over tests of the F1 distance to the nearest example, in per cent.
        nearest: Distance of each test to its nearest example.
        nearest_rf1: F1 distance of each test to its nearest example.
    """

    score: float
    rf1: float
    nearest: tuple[float, ...]
    nearest_rf1: tuple[float, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def distance(test: Calls, example: Calls, functions: int) -> float:
    """Return how unlikely a test is after an example, as a negative natural logarithm.

    Each call of the example is kept or dropped by a coin, each call that it lacks is drawn from the API. The
    paper does not name the base of its logarithm; the natural one fits its scores.

    Args:
        test: Calls of the test.
        example: Calls of the example.
        functions: Size of the API.

    Raises:
        DataError: The API has no function.

    Examples:
        >>> round(distance(["a", "b", "c", "d", "e"], ["a", "b", "c", "x"], functions=10), 3)
        7.378
    """
    if functions < 1:
        raise DataError(f"an API has at least 1 function, got {functions}")
    return _distance(Counter(test), Counter(example), functions)


def rf1_distance(test: Calls, example: Calls) -> float:
    """Return 100 minus the F1 of two programs' calls in per cent; two empty programs are alike.

    Examples:
        >>> rf1_distance(["a", "b"], ["a", "b"]), rf1_distance(["a"], ["b"])
        (0.0, 100.0)
    """
    return _rf1_distance(Counter(test), Counter(example))


def complexity(tests: Sequence[Calls], examples: Sequence[Calls], functions: int) -> Complexity:
    """Return the complexity of a test set.

    Args:
        tests: Calls of each test.
        examples: Calls of each example.
        functions: Size of the API.

    Raises:
        DataError: There is no test, no example or no function.

    Examples:
        >>> round(complexity([["a"], ["b"]], [["a"]], functions=2).score, 3)
        1.04
    """
    if not tests or not examples or functions < 1:
        raise DataError(
            f"a complexity needs tests, examples and functions, got {len(tests)}, {len(examples)} "
            f"and {functions}"
        )
    # Programs with equal calls are one point: of many demonstrations few are different.
    points = list({frozenset(counts.items()): counts for counts in map(Counter, examples)}.values())

    def nearest(measure: Callable[[Counter[str], Counter[str]], float]) -> tuple[float, ...]:
        return tuple(min(measure(test, point) for point in points) for test in map(Counter, tests))

    distances = nearest(lambda test, point: _distance(test, point, functions))
    rf1 = nearest(_rf1_distance)
    return Complexity(sum(distances) / len(tests), sum(rf1) / len(tests), distances, rf1)


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rank correlation; equal values share the mean of their ranks.

    Raises:
        DataError: The lists differ in length, have fewer than two values, or one is constant.

    Examples:
        >>> spearman([1.0, 2.0, 3.0], [10.0, 30.0, 20.0])
        0.5
    """
    if len(first) != len(second) or len(first) < 2:
        raise DataError(
            f"a rank correlation needs two lists of equal length from 2, got {len(first)} and {len(second)}"
        )
    one, other = (ranks - ranks.mean() for ranks in map(average_ranks, (first, second)))
    spread = math.sqrt(float(one @ one) * float(other @ other))
    if not spread:
        raise DataError("a rank correlation needs values that differ, and one list is constant")
    return float(one @ other) / spread


def average_ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Return ranks from 1, float64 of shape (values,); equal values get the mean of the ranks they take.

    Examples:
        >>> average_ranks([3.0, 1.0, 3.0]).tolist()
        [2.5, 1.0, 2.5]
    """
    _, places, counts = np.unique(
        np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
    )
    last = np.cumsum(counts)
    ranks: NDArray[np.float64] = (last - (counts - 1) / 2)[places]
    return ranks


def _distance(test: Counter[str], example: Counter[str], functions: int) -> float:
    return example.total() * math.log(2) + (test - example).total() * math.log(functions)


def _rf1_distance(test: Counter[str], example: Counter[str]) -> float:
    calls = test.total() + example.total()
    return (1 - 2 * (test & example).total() / calls) * 100 if calls else 0.0
