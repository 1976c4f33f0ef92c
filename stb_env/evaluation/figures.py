"""The figures of one run of an evaluation, and of an agent over all groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, pstdev

import numpy as np

from stb_env.runs.metrics.cost import Cost, cost
from stb_env.runs.metrics.intervals import constant_interval, is_constant, quantiles
from stb_env.runs.metrics.rates import SIMULATED, cache_hits, summarize
from stb_env.runs.metrics.sopr import GroupRate, average, sopr, vote_scores
from stb_env.trajectory import Trajectory

RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of one run.

    Attributes:
        simulator: Name of the simulator.
        agent: Name of the agent.
        group: Name of the group.
        judges: Whose verdicts these are.
        planned: Episodes that there should be.
        episodes: Episodes that are saved.
        invalid: Those that failed, or that could not be judged; they score 0.
        waiting: Those that were played and wait for a verdict, which is asked for again; they score 0 until
            then.
        solved_valid: Share of solved among valid episodes; None without any.
        solved_all: Share of solved among planned episodes; None without a valid one.
        rate: SoPR among planned episodes: mean and standard deviation over votes, with a bootstrap interval
            over tasks.
        trials: Mean reward over the planned episodes of each trial that has a valid one.
        cost: What it cost.
        cache_share: Share of the calls answered by the cache, among those it was asked for; None where it
            was asked for none.
        simulated_hits: How many of these answers a simulator had given.
        task_scores: Mean score of each task's votes; 0 for one that was never judged.
    """

    simulator: str
    agent: str
    group: str
    judges: Sequence[str]
    planned: int
    episodes: int
    invalid: int
    waiting: int
    solved_valid: float | None
    solved_all: float | None
    rate: GroupRate
    trials: Mapping[int, float]
    cost: Cost
    cache_share: float | None
    simulated_hits: int
    task_scores: Sequence[float]

    @property
    def measured(self) -> bool:
        """True if any episode is valid: without one there is no rate."""
        return bool(self.rate.valid)

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data, without the scores of single tasks."""
        data = asdict(self) | {"rate": self.rate.to_dict()}
        del data["task_scores"]
        return data | trial_spread(self.trials)


@dataclass(frozen=True, slots=True)
class AgentAverage:
    """An agent under one simulator, all groups weighing the same.

    Attributes:
        simulator: Name of the simulator.
        agent: Name of the agent.
        groups: Groups with a valid episode.
        unscored: Planned episodes that are invalid or were not played; they score 0.
        mean: Unweighted mean of the groups' SoPR; a group without a valid episode counts as 0.
        std: Mean of the groups' standard deviations over votes, as StableToolBench averages them.
        interval: 95 % bootstrap interval of ``mean``, tasks drawn within their groups.
        trials: The average of each trial that every group has.
    """

    simulator: str
    agent: str
    groups: int
    unscored: int
    mean: float
    std: float
    interval: tuple[float, float]
    trials: Mapping[int, float]

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data; no mean where no group has a valid episode."""
        none = {} if self.groups else dict.fromkeys(("mean", "std", "interval"))
        return asdict(self) | none | trial_spread(self.trials)


def run_figures(
    simulator: str, agent: str, group: str, episodes: Sequence[Trajectory], planned: int, trials: int = 1
) -> RunFigures:
    """Compute the figures of a run from its judged episodes.

    Args:
        simulator: Name of the simulator.
        agent: Name of the agent.
        group: Name of the group.
        episodes: The episodes that are saved.
        planned: Episodes that there should be.
        trials: How often each task is played.
    """
    summary = summarize(episodes, planned)
    by_trial: dict[int, list[float]] = {}
    by_task: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.valid:
            by_trial.setdefault(episode.trial, []).append(episode.reward)
        scores = vote_scores(episode)
        by_task.setdefault(episode.task_id, []).append(fmean(scores) if scores else 0.0)
    tasks = max(planned, len(episodes)) / max(
        trials, 1 + max((episode.trial for episode in episodes), default=0)
    )
    never = round(tasks) - len(by_task)
    waiting = sum(episode.awaits_verdict for episode in episodes)
    rate = sopr(episodes, planned=planned).overall
    return RunFigures(
        simulator,
        agent,
        group,
        summary["judges"],
        planned,
        len(episodes),
        summary["invalid"] - waiting,
        waiting,
        summary["solved_valid"] if rate.valid else None,
        summary["solved_all"] if rate.valid else None,
        rate,
        {trial: sum(by_trial[trial]) / max(tasks, len(by_trial[trial])) for trial in sorted(by_trial)},
        cost(episodes),
        cache_share(episodes, summary["sources"]),
        summary["sources"].get(SIMULATED, 0),
        [*(fmean(scores) for scores in by_task.values()), *[0.0] * never],
    )


def cache_share(episodes: Iterable[Trajectory], sources: dict[str, int]) -> float | None:
    """Return the share of calls that the cache answered (StableToolBench, Table 7); None without calls.

    A replay's miss ends its episode and counts as one call. What a world of executable tools answers was
    never the cache's to know.
    """
    misses = sum(missed(episode) for episode in episodes)
    asked = misses + sum(count for source, count in sources.items() if source not in ("world", "fault"))
    return round(cache_hits(sources) / asked, 6) if asked else None


def missed(episode: Trajectory) -> bool:
    """Return whether an episode ended because a replay had no recording of a call."""
    failure = episode.failure or {}
    return failure.get("kind") == "cache_miss" and failure.get("stage") == "cache"


def agent_average(runs: Sequence[RunFigures]) -> AgentAverage:
    """Average the runs of one agent under one simulator, a run for each group.

    Args:
        runs: At least one.
    """
    rated = [run for run in runs if run.rate.valid]
    mean, std = average(run.rate for run in runs)
    shared = set.intersection(*(set(run.trials) for run in rated)) if rated else set()
    trials = {trial: sum(run.trials[trial] for run in rated) / len(runs) for trial in sorted(shared)}
    interval = grouped_interval([run.task_scores for run in runs])
    unscored = sum(run.rate.invalid for run in runs)
    return AgentAverage(runs[0].simulator, runs[0].agent, len(rated), unscored, mean, std, interval, trials)


def grouped_interval(groups: Sequence[Sequence[float]], confidence: float = 0.95) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the unweighted mean of group means, from a fixed seed.

    Args:
        groups: One number a task in each group; each group is drawn from by itself.
        confidence: Share of resamples inside.

    Examples:
        >>> grouped_interval([[1.0, 1.0], [0.0, 0.0, 0.0]])
        (0.079057, 0.853799)
    """
    arrays = [np.asarray(scores, dtype=np.float64) for scores in groups]
    if not arrays or all(map(is_constant, arrays)):
        ends = [constant_interval(scores, 0.0, 1.0, confidence) for scores in arrays]
        low, high = np.mean(ends, axis=0) if ends else (0.0, 1.0)
        return round(float(low), 6), round(float(high), 6)
    rng = np.random.default_rng(0)
    drawn = [scores[rng.integers(0, scores.size, (RESAMPLES, scores.size))].mean(axis=1) for scores in arrays]
    return quantiles(np.mean(drawn, axis=0), confidence)


def trial_spread(trials: Mapping[int, float]) -> dict[str, float | None]:
    """Return mean and population standard deviation over trials; None without any.

    Examples:
        >>> trial_spread({0: 0.5, 1: 1.0})
        {'trial_mean': 0.75, 'trial_std': 0.25}
    """
    values = list(trials.values())
    mean, std = (fmean(values), pstdev(values)) if values else (None, None)
    return {"trial_mean": mean, "trial_std": std}
