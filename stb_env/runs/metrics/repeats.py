"""Figures of repeated trials: chances of solving a task, and the share of verdicts that flip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from stb_env.runs.metrics.flips import trial_flips
from stb_env.runs.metrics.pass_at_k import passes, solved_trials
from stb_env.trajectory import Trajectory

# Every small k, and the largest that there is.
_SMALL = 5


def repeats(episodes: Sequence[Trajectory]) -> dict[str, object]:
    """Return pass@k and pass^k in both conventions of each and the flip rate; empty for single trials.

    Args:
        episodes: Episodes of a run; invalid ones count as trials that were not made.

    Examples:
        >>> repeats([])
        {}
    """
    trials = solved_trials(episodes)
    most = max((len(results) for results in trials.values()), default=0)
    if most < 2:
        return {}
    figures = [passes(trials, k) for k in sorted({*range(1, min(most, _SMALL) + 1), most})]
    return {"passes": [asdict(figure) for figure in figures], "flips": asdict(trial_flips(episodes))}
