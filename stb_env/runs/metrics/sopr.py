"""Solvable pass rate (SoPR; Guo et al., 2024): mean score of repeated votes among all planned episodes.

Every command counts with `planned_rate`: an episode that is invalid or was never played scores 0, so that no
failure can raise a rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Protocol

from stb_env.judges.majority import mean_scores
from stb_env.runs.metrics.intervals import bootstrap_interval
from stb_env.trajectory import Trajectory
from stb_env.verdict import SCORES, VerdictStatus, Vote

Scores = Mapping[VerdictStatus, float]


@dataclass(frozen=True, slots=True)
class GroupRate:
    """SoPR of one group, or of several taken together.

    Attributes:
        planned: Episodes that there should be; the denominator.
        valid: Those with a verdict.
        invalid: Those without one, invalid or never played; they score 0.
        scores: Mean score over planned episodes for the first vote on each, the second ...
        mean: Mean of ``scores``.
        std: Their population standard deviation.
        interval: 95 % bootstrap interval of the mean over tasks.
    """

    planned: int
    valid: int
    invalid: int
    scores: tuple[float, ...]
    mean: float
    std: float
    interval: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Return the rate as plain data; no score where no episode is valid."""
        none = {} if self.valid else dict.fromkeys(("mean", "std", "interval")) | {"scores": []}
        return asdict(self) | none


@dataclass(frozen=True, slots=True)
class Sopr:
    """SoPR as Guo et al., 2024, print it.

    Attributes:
        groups: Rate of each group.
        average: Unweighted mean over groups.
        std: Mean of the groups' standard deviations: the number behind the paper's averages.
        overall: The rate of all episodes together, in which large groups weigh more.
    """

    groups: Mapping[str, GroupRate]
    average: float
    std: float
    overall: GroupRate

    def to_dict(self) -> dict[str, object]:
        """Return the rates as plain data."""
        return asdict(self)


def sopr(episodes: Iterable[Trajectory], scores: Scores = SCORES, planned: int | None = None) -> Sopr:
    """Compute SoPR of judged episodes.

    Args:
        episodes: Episodes with their verdicts, as `stb_env.runs.verdict_file.read_judged` reads them.
        scores: Score of each status, where an episode has several votes. A verdict of a single vote, or of
            none, keeps its own score, which may be any share of the task.
        planned: Episodes that there should be; None for as many as are given.

    Raises:
        ConfigError: Two verdicts have different numbers of votes.

    Examples:
        >>> sopr([]).average
        0.0
    """
    every = list(episodes)
    by_group: dict[str, list[Trajectory]] = {}
    for episode in every:
        by_group.setdefault(episode.group or episode.suite, []).append(episode)
    # What was never played has no group, unless there is only one.
    known = planned if len(by_group) == 1 else None
    groups = {name: _rate(members, scores, known) for name, members in sorted(by_group.items())}
    mean, std = average(groups.values())
    return Sopr(groups, mean, std, _rate(every, scores, planned))


def planned_rate(voted: Sequence[tuple[str, Sequence[float]]], planned: int | None = None) -> GroupRate:
    """Rate episodes by the scores of their votes, among all that were planned.

    Args:
        voted: Task and scores of the votes of each episode that is saved; no scores where it has no verdict.
        planned: Episodes that there should be; None for as many as are given.

    Raises:
        ConfigError: Two episodes have different numbers of votes.

    Examples:
        >>> rate = planned_rate([("1", [1.0, 0.0]), ("2", [1.0, 1.0]), ("3", [])], planned=4)
        >>> rate.scores, rate.mean, rate.valid, rate.invalid
        ((0.5, 0.25), 0.375, 2, 2)
    """
    total = max(len(voted), planned or 0)
    valid = sum(1 for _, scores in voted if scores)
    # A case of a single score has it in every run.
    runs = mean_scores([*(scores or [0.0] for _, scores in voted), *[[0.0]] * (total - len(voted))])
    by_task: dict[str, list[float]] = {}
    for task_id, scores in voted:
        by_task.setdefault(task_id, []).append(fmean(scores) if scores else 0.0)
    tasks = [fmean(values) for values in by_task.values()]
    trials = max(map(len, by_task.values()), default=1)
    tasks += [0.0] * round((total - len(voted)) / trials)
    interval = bootstrap_interval(tasks)
    return GroupRate(total, valid, total - valid, runs.scores, runs.mean, runs.std, interval)


class Spread(Protocol):
    """A mean with a standard deviation: a `GroupRate`, or a published rate."""

    @property
    def mean(self) -> float:
        """The mean."""
        ...

    @property
    def std(self) -> float:
        """The standard deviation."""
        ...


def average(groups: Iterable[Spread]) -> tuple[float, float]:
    """Return the paper's average: unweighted mean of the means, and mean of the standard deviations.

    A group in which every episode is invalid counts as 0.

    Examples:
        >>> rates = [planned_rate([("1", [1.0, 0.0])]), planned_rate([("2", [1.0, 1.0])])]
        >>> average(rates)
        (0.75, 0.25)
    """
    rated = list(groups)
    if not rated:
        return 0.0, 0.0
    return fmean(group.mean for group in rated), fmean(group.std for group in rated)


def cast_votes(episode: Trajectory) -> list[Vote]:
    """Return the votes on an episode, at least one; none where it is not valid.

    A missing vote counts as the verdict that came about without it, so that every vote has all cases.
    """
    verdict = episode.verdict
    if verdict is None or not episode.valid:
        return []
    cast = [Vote(vote["status"] or verdict["status"], vote["reason"]) for vote in verdict["votes"]]
    return cast or [Vote(verdict["status"])]


def vote_scores(episode: Trajectory, scores: Scores = SCORES) -> list[float]:
    """Return the score of each vote on an episode, at least one; none where it is not valid.

    A status says less than a score: what an exact verifier or a judge of your own gives a quarter is
    ``unsure``, and would count a half by that.
    """
    votes = cast_votes(episode)
    if episode.verdict is not None and len(votes) == 1:
        return [float(episode.verdict["score"])]
    return [scores[vote.status or "na"] for vote in votes]


def _rate(episodes: Sequence[Trajectory], scores: Scores, planned: int | None) -> GroupRate:
    return planned_rate([(episode.task_id, vote_scores(episode, scores)) for episode in episodes], planned)
