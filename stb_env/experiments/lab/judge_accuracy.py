"""Accuracy of a panel of judges on cases whose truth is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from stb_env import Case, ChatModel, Judge, Task
from stb_env.core.request import Slow, drive
from stb_env.errors import JudgeError
from stb_env.experiments.lab.judge_cases import LabelledCase, ToolCase
from stb_env.judges.pass_judge import PassJudge
from stb_env.judges.preference import PreferenceJudge
from stb_env.judges.solvability import ModelSolvability
from stb_env.runs.metrics.agreement import cohen_kappa

T = TypeVar("T")
Choice = Literal["first", "second", "tie"]

MISSING = "missing"
STATUSES = ("solved", "unsure", "unsolved", MISSING)

CasePair = tuple[LabelledCase, LabelledCase]
"""A better episode and a worse one of the same task."""


class SolvabilityJudge(Protocol):
    """Decides whether a task can be solved with the tools that it offers."""

    def solvable(self, task: Task) -> Slow[bool]:
        """Return whether it can; raises JudgeError where no usable answer comes."""
        ...


class ComparisonJudge(Protocol):
    """Decides which of two answers to one query is better."""

    def better(self, first: Case, second: Case) -> Slow[Choice]:
        """Return the better one, or a tie; raises JudgeError where no usable answer comes."""
        ...


@dataclass(frozen=True, slots=True)
class Panel:
    """The judges behind one row of the table; None where there is none for a question."""

    name: str
    solvability: SolvabilityJudge | None = None
    solving: Judge | None = None
    comparison: ComparisonJudge | None = None


class ScoreComparison:
    """Compares two answers by the scores that a judge of single answers gives them."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def better(self, first: Case, second: Case) -> Slow[Choice]:
        """Return the one with the higher score; see `ComparisonJudge`."""
        one = yield from self._judge.judge(first)
        other = yield from self._judge.judge(second)
        if one.score == other.score:
            return "tie"
        return "first" if one.score > other.score else "second"


class NeededTools:
    """Knows which tools the gold solution needs: the truth about solvability."""

    def solvable(self, task: Task) -> Slow[bool]:
        """Return whether all of them are offered; yields nothing."""
        yield from ()
        return {tool.id for tool in task.tools}.issuperset(task.relevant)


def model_panel(model: ChatModel, *, votes: int = 1, cache: Path | str | None = None) -> Panel:
    """Return the row in which one model answers all three questions.

    Args:
        model: Decides on tasks as `ModelSolvability`, on episodes as `PassJudge` and on pairs as
            `PreferenceJudge`, in the order in which they come.
        votes: How often it judges each episode.
        cache: Folder of answers that are known.

    Raises:
        ConfigError: ``votes`` is out of range.
    """
    judge = PassJudge(model, votes=votes, cache=cache)
    preference = PreferenceJudge(model, order="given", cache=cache)
    return Panel(judge.name, ModelSolvability(model, cache=cache), judge, preference)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A share of right decisions; those that did not come are missing and count for nothing."""

    right: int
    decided: int
    missing: int

    @classmethod
    def of(cls, decisions: Iterable[bool | None]) -> Accuracy:
        """Count decisions: right, wrong, or None where none came.

        Examples:
            >>> Accuracy.of([True, False, True, None])
            Accuracy(right=2, decided=3, missing=1)
        """
        counts = Counter(decisions)
        return cls(counts[True], counts[True] + counts[False], counts[None])

    @property
    def share(self) -> float | None:
        """Right among decided, or None where nothing was decided."""
        return self.right / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a panel; None for a question that it has no judge for.

    Attributes:
        name: Label of the panel.
        solvability: Accuracy on tasks.
        solving: Accuracy on episodes.
        comparison: Accuracy on pairs of episodes, each in both orders.
        consistency: Share of pairs on which both orders had the same outcome.
        kappa: Cohen's kappa of the verdicts with the truth, unsure a label of its own.
        confusion: Verdicts by kind of case, then by status.
    """

    name: str
    solvability: Accuracy | None
    solving: Accuracy | None
    comparison: Accuracy | None
    consistency: float | None
    kappa: float | None
    confusion: Mapping[str, Mapping[str, int]]


def score(
    panel: Panel, tools: Sequence[ToolCase], episodes: Sequence[LabelledCase], pairs: Sequence[CasePair]
) -> Scores:
    """Let a panel decide on tasks with and without what they need, on episodes, and on pairs of episodes.

    A verdict of unsure is right about nothing: the truth is solved or unsolved.
    """
    statuses = [] if panel.solving is None else [_status(panel.solving, case) for case in episodes]
    truths = ["solved" if case.solved else "unsolved" for case in episodes]
    outcomes = [] if panel.comparison is None else [_outcomes(panel.comparison, pair) for pair in pairs]
    decided = [first == second for first, second in outcomes if first and second]
    return Scores(
        panel.name,
        None if panel.solvability is None else _on_tools(panel.solvability, tools),
        None if panel.solving is None else _on_episodes(statuses, truths),
        None if panel.comparison is None else _on_pairs(outcomes),
        sum(decided) / len(decided) if decided else None,
        None if panel.solving is None else cohen_kappa(truths, statuses),
        _confusion(statuses, episodes),
    )


def _decide(decision: Slow[T]) -> T | None:
    try:
        return drive(decision)
    except JudgeError:
        # A judge that fails says nothing of the case: it is counted as missing, not as wrong.
        return None


def _on_tools(judge: SolvabilityJudge, cases: Iterable[ToolCase]) -> Accuracy:
    said = ((_decide(judge.solvable(case.task)), case.solvable) for case in cases)
    return Accuracy.of(None if verdict is None else verdict == truth for verdict, truth in said)


def _on_episodes(statuses: Iterable[str], truths: Iterable[str]) -> Accuracy:
    pairs = zip(statuses, truths, strict=True)
    return Accuracy.of(None if status == MISSING else status == truth for status, truth in pairs)


def _on_pairs(outcomes: Iterable[tuple[str | None, str | None]]) -> Accuracy:
    return Accuracy.of(None if one is None else one == "better" for both in outcomes for one in both)


def _status(judge: Judge, case: LabelledCase) -> str:
    verdict = _decide(judge.judge(case.case))
    return MISSING if verdict is None or verdict.status == "na" else str(verdict.status)


def _outcomes(judge: ComparisonJudge, pair: CasePair) -> tuple[str | None, str | None]:
    """Return better, worse or tie for the episode that a judge prefers, in both orders."""
    better, worse = pair
    first = _decide(judge.better(better.case, worse.case))
    second = _decide(judge.better(worse.case, better.case))
    return (
        first and {"first": "better", "second": "worse", "tie": "tie"}[first],
        second and {"first": "worse", "second": "better", "tie": "tie"}[second],
    )


def _confusion(statuses: Iterable[str], cases: Sequence[LabelledCase]) -> dict[str, dict[str, int]]:
    counts = Counter(zip((case.kind for case in cases), statuses, strict=False))
    kinds = dict.fromkeys(kind for kind, _ in counts)
    return {kind: {status: counts[kind, status] for status in STATUSES} for kind in kinds}
