"""Many votes to one verdict, and many verdicts to the rate of each vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from stb_env.errors import ConfigError, FailureKind, JudgeError
from stb_env.usage import Usage
from stb_env.verdict import SCORES, VerdictStatus, Vote


class MissingVotes(JudgeError):
    """Votes are missing, so there is no verdict.

    Args:
        message: How many are missing, and why.
        kind: Class of the failure that cost the last of them.
        retryable: Whether they may come later.
        votes: All votes; the missing ones have no status.
        usage: What they cost all the same.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FailureKind = "judge",
        retryable: bool = True,
        votes: tuple[Vote, ...] = (),
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message, kind=kind, retryable=retryable)
        self.votes = votes
        self.usage = usage or Usage()


@dataclass(frozen=True, slots=True)
class RunScores:
    """Solved rates over repeated votes.

    Attributes:
        scores: Mean score of all cases, for the first vote on each, the second ...
        mean: Mean of ``scores``.
        std: Their population standard deviation, as Guo et al., 2024, print it.
    """

    scores: tuple[float, ...]
    mean: float
    std: float


def majority(votes: Iterable[Vote]) -> VerdictStatus:
    """Return the status that most votes have; ``unsure`` where no status has more than every other.

    Missing votes do not count.

    Examples:
        >>> majority([Vote("solved"), Vote("unsolved"), Vote("solved")])
        'solved'
        >>> majority([Vote("solved"), Vote("unsolved"), Vote(None)])
        'unsure'
    """
    counts = Counter(vote.status for vote in votes if vote.status is not None).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return "unsure"
    return counts[0][0]


def run_scores(cases: Sequence[Sequence[Vote]], scores: Mapping[VerdictStatus, float] = SCORES) -> RunScores:
    """Score each vote as a run of its own, as SoPR does.

    A case with a single vote, as the environment casts it where there was nothing to judge, counts the
    same in every run.

    Args:
        cases: The votes of each case, none of them missing.
        scores: Score of each status.

    Raises:
        ConfigError: Two cases have different numbers of votes.

    Examples:
        >>> run_scores([[Vote("solved"), Vote("unsure")], [Vote("unsolved")]])
        RunScores(scores=(0.5, 0.25), mean=0.375, std=0.125)
    """
    return mean_scores([[scores[vote.status or "na"] for vote in votes] for votes in cases])


def mean_scores(cases: Sequence[Sequence[float]]) -> RunScores:
    """Score each vote as a run of its own, from the scores of the votes; see `run_scores`.

    Args:
        cases: The scores of each case's votes.

    Raises:
        ConfigError: Two cases have different numbers of votes.

    Examples:
        >>> mean_scores([[1.0, 0.5], [0.25]])
        RunScores(scores=(0.625, 0.375), mean=0.5, std=0.125)
    """
    runs = max((len(scores) for scores in cases), default=0)
    uneven = sorted({len(scores) for scores in cases} - {1, runs})
    if uneven:
        raise ConfigError(f"cases have {runs} votes and {uneven[0]}; judge all of them with the same number")
    means = tuple(fmean(scores[min(run, len(scores) - 1)] for scores in cases) for run in range(runs))
    return RunScores(means, fmean(means), pstdev(means)) if means else RunScores((), 0.0, 0.0)


def check_scores(scores: Mapping[VerdictStatus, float]) -> dict[VerdictStatus, float]:
    """Return the score of every status, the default for what is not given.

    Raises:
        ConfigError: A status is unknown or a score outside of 0 to 1.

    Examples:
        >>> check_scores({"unsure": 0.0})["unsure"]
        0.0
    """
    for status, score in scores.items():
        if status not in SCORES:
            raise ConfigError(f"scores has no status {status!r}; expected one of {', '.join(SCORES)}")
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            raise ConfigError(f"the score of {status} must be a number from 0 to 1, got {score!r}")
    return {**SCORES, **scores}
