"""Solvable pass rate (SoPR; Guo et al., 2024): mean score of repeated votes, group by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

from stb_env.jsontypes import JsonObject
from stb_env.judges.majority import mean_scores
from stb_env.metrics.intervals import bootstrap_interval
from stb_env.trajectory import Trajectory
from stb_env.verdict import SCORES, VerdictStatus, Vote

Scores = Mapping[VerdictStatus, float]


@dataclass(frozen=True, slots=True)
class GroupRate:
    """SoPR of one group, or of several taken together.

    Attributes:
        valid: Episodes that the rate is made of.
        invalid: Episodes without a verdict, left out.
        scores: Mean score over episodes for the first vote on each, the second ...
        mean: Mean of ``scores``.
        std: Their population standard deviation.
        interval: 95 % bootstrap interval of the mean over tasks.
    """

    valid: int
    invalid: int
    scores: tuple[float, ...]
    mean: float
    std: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sopr:
    """SoPR as Guo et al., 2024, print it.

    Attributes:
        groups: Rate of each group.
        average: Unweighted mean over groups.
        std: Mean of the groups' standard deviations: the number behind the paper's averages.
        overall: The rate of all episodes together, in which large groups weigh more.
        mean_all: Mean score among all planned episodes, in which those that are invalid or were never
            played score 0.
    """

    groups: Mapping[str, GroupRate]
    average: float
    std: float
    overall: GroupRate
    mean_all: float

    def to_dict(self) -> JsonObject:
        """Return the rates as plain data."""
        return asdict(self)


def sopr(episodes: Iterable[Trajectory], scores: Scores = SCORES, planned: int | None = None) -> Sopr:
    """Compute SoPR of judged episodes.

    Args:
        episodes: Episodes with their verdicts, as `stb_env.rollout.verdict_file.read_judged` reads them.
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
    groups = {name: _rate(members, scores) for name, members in sorted(by_group.items())}
    mean, std = average(groups.values())
    overall = _rate(every, scores)
    total = len(every) if planned is None else planned
    return Sopr(groups, mean, std, overall, overall.mean * overall.valid / total if total else 0.0)


def average(groups: Iterable[GroupRate]) -> tuple[float, float]:
    """Return the paper's average: unweighted mean of the means, and mean of the standard deviations.

    A group without a valid episode has no rate and is left out.

    Examples:
        >>> rates = [GroupRate(2, 0, (0.5,), 0.5, 0.1, (0, 1)), GroupRate(8, 0, (1.0,), 1.0, 0.2, (0, 1))]
        >>> mean, std = average(rates)
        >>> mean, round(std, 3)
        (0.75, 0.15)
    """
    rated = [group for group in groups if group.valid]
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


def _rate(episodes: Sequence[Trajectory], scores: Scores) -> GroupRate:
    voted = [(episode.task_id, cast) for episode in episodes if (cast := vote_scores(episode, scores))]
    runs = mean_scores([cast for _, cast in voted])
    by_task: dict[str, list[float]] = {}
    for task_id, cast in voted:
        by_task.setdefault(task_id, []).append(fmean(cast))
    interval = bootstrap_interval([fmean(values) for values in by_task.values()])
    invalid = len(episodes) - len(voted)
    return GroupRate(len(voted), invalid, runs.scores, runs.mean, runs.std, interval)
