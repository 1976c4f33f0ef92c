"""Solved rates of a run, with invalid episodes counted apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import SupportsFloat, TypedDict

import numpy as np

from stb_env.runs.metrics.intervals import bootstrap_interval
from stb_env.trajectory import Trajectory


class RunRates(TypedDict):
    """Counts and rates of a run; `summarize` describes the rates."""

    episodes: int
    planned: int
    solved: int
    unsure: int
    unsolved: int
    invalid: int
    failures: dict[str, int]
    solved_valid: float
    solved_all: float
    invalid_share: float
    mean: float
    std: float
    interval: list[float]
    turns: float
    judges: list[str]
    sources: dict[str, int]


SIMULATED = "cache (simulated)"
"""What `sources` calls a recorded answer that a simulator gave."""


def summarize(trajectories: Sequence[Trajectory], planned: int | None = None) -> RunRates:
    """Summarise a run.

    ``solved_valid`` is the share of solved among valid episodes, ``solved_all`` among all planned ones, so
    that missing and invalid episodes can never raise a rate unseen. ``mean`` is the mean reward over
    valid episodes, ``std`` its population standard deviation over trials, ``interval`` a 95 %
    interval of the mean over tasks (`bootstrap_interval`).

    Args:
        trajectories: Saved episodes.
        planned: Episodes that the run should have; None for as many as are given.

    Examples:
        >>> summarize([])["episodes"], summarize([])["mean"]
        (0, 0.0)
    """
    valid = [trajectory for trajectory in trajectories if trajectory.valid]
    statuses = Counter(trajectory.verdict["status"] for trajectory in valid if trajectory.verdict)
    solved = statuses["solved"]
    total = len(trajectories) if planned is None else planned
    low, high = bootstrap_interval(_means(valid, attrgetter("task_id")))
    return {
        "episodes": len(trajectories),
        "planned": total,
        "solved": solved,
        "unsure": statuses["unsure"],
        "unsolved": statuses["unsolved"],
        "invalid": len(trajectories) - len(valid),
        "failures": dict(sorted(Counter(_failure(t) for t in trajectories if not t.valid).items())),
        "solved_valid": _share(solved, len(valid)),
        "solved_all": _share(solved, total),
        "invalid_share": _share(len(trajectories) - len(valid), len(trajectories)),
        "mean": _rounded(np.mean([t.reward for t in valid]) if valid else 0.0),
        "std": _rounded(np.std(_means(valid, attrgetter("trial"))) if valid else 0.0),
        "interval": [low, high],
        "turns": _rounded(np.mean([len(t.steps) for t in valid]) if valid else 0.0),
        "judges": sorted({t.verdict["judge"] for t in valid if t.verdict}),
        "sources": sources(trajectories),
    }


def sources(trajectories: Iterable[Trajectory]) -> dict[str, int]:
    """Count the calls by what answered them, the environment's own replies left out.

    What a cache kept of a simulator counts apart from what it kept of an API (`SIMULATED`).
    """
    counts = Counter(
        answered_by(call["source"], call.get("origin", ""))
        for t in trajectories
        for step in t.steps
        for call in step["calls"]
    )
    return {source: counts[source] for source in sorted(counts) if source != "env"}


def answered_by(source: str, origin: str) -> str:
    """Return who answered a call, in words that tell a recorded API from a recorded simulator.

    Examples:
        >>> answered_by("cache", "real"), answered_by("cache", "simulator"), answered_by("real", "")
        ('cache', 'cache (simulated)', 'real')
    """
    return SIMULATED if (source, origin) == ("cache", "simulator") else source


def cache_hits(counts: Mapping[str, int]) -> int:
    """Return how many calls the cache answered, whoever gave the answer first.

    Examples:
        >>> cache_hits({"cache": 3, "cache (simulated)": 2, "simulator": 7})
        5
    """
    return counts.get("cache", 0) + counts.get(SIMULATED, 0)


def _means(trajectories: Iterable[Trajectory], group: Callable[[Trajectory], str | int]) -> list[float]:
    """Return the mean reward of each group of episodes."""
    rewards: dict[str | int, list[float]] = {}
    for trajectory in trajectories:
        rewards.setdefault(group(trajectory), []).append(trajectory.reward)
    return [float(np.mean(each)) for each in rewards.values()]


def _failure(trajectory: Trajectory) -> str:
    return str(trajectory.failure["kind"]) if trajectory.failure else "na"


def _share(part: int, whole: int) -> float:
    return _rounded(part / whole) if whole else 0.0


def _rounded(value: SupportsFloat) -> float:
    return round(float(value), 6)
