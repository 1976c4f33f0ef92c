"""Scores of result files among all planned queries, the trials of a group together.

The original's program divides by what its file holds, which `passrate` beside this module keeps for
comparison with its files. Whatever is published under a protocol is counted here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stb_env.core.jsontypes import JsonMapping
from stb_env.runs.metrics.sopr import GroupRate, planned_rate
from stb_env.runs.metrics.sowr import WinRate, win_rate
from stb_env.suites.stabletoolbench.original_scores.passrate import row_scores
from stb_env.suites.stabletoolbench.original_scores.preference import row_result


@dataclass(frozen=True, slots=True)
class TrialRows:
    """The rows of one result file.

    Attributes:
        rows: What it has of each query, by query id.
        planned: How many queries there should be.
        unanswered: How many rows of a comparison are lost because the rated player gave no answer.
        reference_unanswered: How many are won because the reference gave none.
    """

    rows: Mapping[str, JsonMapping]
    planned: int
    unanswered: int = 0
    reference_unanswered: int = 0


@dataclass(frozen=True, slots=True)
class PassScore:
    """SoPR of one group.

    Attributes:
        queries: Queries that were planned.
        trials: How often each was planned to be played.
        rate: The rate over all of these episodes.
        trial_rates: That of each trial by itself.
    """

    queries: int
    trials: int
    rate: GroupRate
    trial_rates: tuple[float, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data, rates in per cent; no rate where nothing has a result."""
        rate = self.rate
        known = bool(rate.valid)
        return {
            "queries": self.queries,
            "trials": self.trials,
            "planned": rate.planned,
            "scored": rate.valid,
            "without_result": rate.invalid,
            "complete": rate.invalid == 0,
            "scores": [_percent(score) for score in rate.scores],
            "solve_rate": _percent(rate.mean) if known else None,
            "std": _percent(rate.std) if known else None,
            "interval": [_percent(end) for end in rate.interval],
            "trial_rates": [_percent(one) for one in self.trial_rates],
        }


@dataclass(frozen=True, slots=True)
class WinScore:
    """SoWR of one group.

    Attributes:
        queries: Queries that were planned.
        trials: How often each was planned to be played.
        rate: Shares of all of these pairs.
        unanswered: Pairs that are lost because the rated player gave no answer.
        reference_unanswered: Pairs that are won because the reference gave none.
    """

    queries: int
    trials: int
    rate: WinRate
    unanswered: int = 0
    reference_unanswered: int = 0

    @property
    def lacking(self) -> int:
        """Planned pairs without a result or without an answer of the rated player."""
        return self.rate.undecided + self.unanswered

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data, rates in per cent; no rate where nothing has a result."""
        rate = self.rate
        shares: dict[str, object] = dict.fromkeys(("win", "tie", "lose", "ties_half", "interval"))
        if rate.queries > rate.undecided:
            shares = {name: _percent(getattr(rate, name)) for name in ("win", "tie", "lose", "ties_half")}
            shares["interval"] = [_percent(end) for end in rate.interval]
        counts = {
            "planned": rate.queries,
            "without_result": rate.undecided,
            "without_answer": self.unanswered,
            "reference_without_answer": self.reference_unanswered,
            "complete": not self.lacking,
            "reference_complete": not self.reference_unanswered,
        }
        head = {"queries": self.queries, "trials": self.trials, **counts}
        return {**head, **shares}


def _percent(share: float) -> float:
    return round(100 * share, 6)


def pass_score(trials: Sequence[TrialRows], votes: int) -> PassScore:
    """Score the result files of a player's pass rates on one group.

    Args:
        trials: One for each trial.
        votes: How often each answer is judged.

    Examples:
        >>> row = {"is_solved": {"0": "AnswerStatus.Solved"}}
        >>> trials = [TrialRows({"1": row}, planned=2), TrialRows({"1": row, "2": row}, planned=2)]
        >>> score = pass_score(trials, votes=1)
        >>> score.rate.mean, score.trial_rates, score.rate.invalid
        (0.75, (0.5, 1.0), 1)
    """
    each = [
        planned_rate([(task, row_scores(row, votes)) for task, row in one.rows.items()], one.planned)
        for one in trials
    ]
    ids = list(dict.fromkeys(task for one in trials for task in one.rows))
    cast = [
        (task, row_scores(one.rows[task], votes) if task in one.rows else [])
        for task in ids
        for one in trials
    ]
    planned = sum(rate.planned for rate in each)
    rate = planned_rate(cast, planned)
    return PassScore(planned // len(trials), len(trials), rate, tuple(rate.mean for rate in each))


def win_score(trials: Sequence[TrialRows], reference: str, output: str) -> WinScore:
    """Score the result files of a comparison of two players on one group.

    Args:
        trials: One for each trial.
        reference: Name of the player that is compared with, as rows have it.
        output: Name of the player that is rated.

    Examples:
        >>> won = {"ref": 0, "mine": 3}
        >>> win_score([TrialRows({"1": won}, planned=2)], "ref", "mine").rate.win
        0.5
    """
    results = [row_result(row, reference, output) for one in trials for row in one.rows.values()]
    planned = sum(max(one.planned, len(one.rows)) for one in trials)
    return WinScore(
        planned // len(trials),
        len(trials),
        win_rate(results, planned),
        sum(one.unanswered for one in trials),
        sum(one.reference_unanswered for one in trials),
    )
