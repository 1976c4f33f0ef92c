"""pass@k and pass^k: what several trials at a task are worth, each by two named conventions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from statistics import fmean

from stb_env.errors import ConfigError
from stb_env.runs.metrics.intervals import bootstrap_interval
from stb_env.trajectory import Trajectory

Trials = Mapping[str, Sequence[bool]]
"""Whether each trial at a task solved it, in order, by task id."""


def pass_at_k(trials: int, solved: int, k: int) -> float:
    """Return the chance that at least one of k trials drawn from n without replacement is solved.

    The unbiased estimator ``1 - C(n - c, k) / C(n, k)`` (Chen et al., 2021, HumanEval).

    Raises:
        ConfigError: The numbers do not fit together.

    Examples:
        >>> pass_at_k(4, 1, 1), pass_at_k(4, 1, 2), pass_at_k(4, 1, 4)
        (0.25, 0.5, 1.0)
    """
    _check(trials, solved, k)
    return 1.0 - comb(trials - solved, k) / comb(trials, k)


def any_of_first(results: Sequence[bool], k: int) -> float:
    """Return whether one of the first k trials is solved: pass@k as many papers count it, 1 or 0.

    Raises:
        ConfigError: There are fewer than k trials.

    Examples:
        >>> any_of_first([False, True, False], 1), any_of_first([False, True, False], 2)
        (0.0, 1.0)
    """
    _check(len(results), sum(results), k)
    return float(any(results[:k]))


def pass_hat_k(trials: int, solved: int, k: int) -> float:
    """Return the chance that all of k trials drawn from n without replacement are solved.

    ``C(c, k) / C(n, k)``, the pass^k of tau-bench (Yao et al., 2024).

    Raises:
        ConfigError: The numbers do not fit together.

    Examples:
        >>> pass_hat_k(4, 2, 1), round(pass_hat_k(4, 2, 2), 4), pass_hat_k(4, 2, 3)
        (0.5, 0.1667, 0.0)
    """
    _check(trials, solved, k)
    return comb(solved, k) / comb(trials, k)


def pass_power_k(trials: int, solved: int, k: int) -> float:
    """Return the k-th power of the solved share: pass^k as the plug-in estimate, never below `pass_hat_k`.

    Raises:
        ConfigError: The numbers do not fit together.

    Examples:
        >>> pass_power_k(4, 2, 2)
        0.25
    """
    _check(trials, solved, k)
    return float((solved / trials) ** k)


def _check(trials: int, solved: int, k: int) -> None:
    if not (1 <= k <= trials and 0 <= solved <= trials):
        raise ConfigError(
            f"k must be from 1 to the number of trials and solved from 0 to it, "
            f"got k {k}, {solved} solved of {trials} trials"
        )


@dataclass(frozen=True, slots=True)
class PassK:
    """Means over tasks for one k.

    Attributes:
        k: Number of trials.
        tasks: Tasks with at least k valid trials.
        left_out: Tasks with fewer.
        pass_at_k: Mean of `pass_at_k`.
        interval: 95 % bootstrap interval of it over tasks.
        any_of_first: Mean of `any_of_first`.
        pass_hat_k: Mean of `pass_hat_k`.
        hat_interval: 95 % bootstrap interval of it over tasks.
        pass_power_k: Mean of `pass_power_k`.
    """

    k: int
    tasks: int
    left_out: int
    pass_at_k: float
    interval: tuple[float, float]
    any_of_first: float
    pass_hat_k: float
    hat_interval: tuple[float, float]
    pass_power_k: float

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def solved_trials(episodes: Iterable[Trajectory]) -> dict[str, list[bool]]:
    """Return which valid trials at each task were solved, in order of trial; a task may have none."""
    found: dict[str, list[bool]] = {}
    for episode in sorted(episodes, key=lambda episode: episode.trial):
        trials = found.setdefault(episode.task_id, [])
        if episode.valid:
            trials.append(episode.solved)
    return found


def passes(trials: Trials, k: int) -> PassK:
    """Average the four conventions over tasks.

    Args:
        trials: Results by task; see `solved_trials`.
        k: Number of trials, at least 1.

    Raises:
        ConfigError: ``k`` is below 1.

    Examples:
        >>> figures = passes({"a": [True, False], "b": [True, True], "c": [True]}, 2)
        >>> figures.tasks, figures.left_out, figures.pass_at_k, figures.pass_hat_k, figures.pass_power_k
        (2, 1, 1.0, 0.5, 0.625)
    """
    if k < 1:
        raise ConfigError(f"k must be at least 1, got {k}")
    rows = [results for results in trials.values() if len(results) >= k]
    counts = [(len(results), sum(results)) for results in rows]
    at, hat = [pass_at_k(n, c, k) for n, c in counts], [pass_hat_k(n, c, k) for n, c in counts]
    return PassK(
        k,
        len(rows),
        len(trials) - len(rows),
        _mean(at),
        bootstrap_interval(at),
        _mean([any_of_first(results, k) for results in rows]),
        _mean(hat),
        bootstrap_interval(hat),
        _mean([pass_power_k(n, c, k) for n, c in counts]),
    )


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
