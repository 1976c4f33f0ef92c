"""How often a panel of judges is right about cases whose truth is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from stb_env.errors import JudgeError
from stb_env.judges.judge import Judge
from stb_env.lab.judge_cases import LabelledCase, ToolCase
from stb_env.lab.judge_panel import Choice, ComparisonJudge, Panel, SolvabilityJudge
from stb_env.metrics.agreement import cohen_kappa
from stb_env.request import Slow, drive

T = TypeVar("T")
Pick = Literal["better", "worse", "tie"] | None

MISSING = "missing"
STATUSES = ("solved", "unsure", "unsolved", MISSING)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A share of right decisions.

    Attributes:
        right: Decisions that agree with the truth.
        decided: Decisions that came.
        missing: Cases on which the judge gave no usable answer; they count for nothing.
    """

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
    """What a panel scored; None for a question that it has no judge for.

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
    panel: Panel,
    tools: Sequence[ToolCase],
    episodes: Sequence[LabelledCase],
    pairs: Sequence[tuple[LabelledCase, LabelledCase]],
) -> Scores:
    """Let a panel decide on every case.

    A verdict of unsure is right about nothing: the truth is solved or unsolved.

    Args:
        panel: The judges.
        tools: Tasks with and without what they need.
        episodes: Solved and corrupted episodes.
        pairs: A better episode and a worse one of the same task.
    """
    statuses = _statuses(panel.solving, episodes) if panel.solving else []
    picks = _picks(panel.comparison, pairs) if panel.comparison else []
    return Scores(
        panel.name,
        Accuracy.of(_on_tools(panel.solvability, tools)) if panel.solvability else None,
        Accuracy.of(_rights(statuses, episodes)) if panel.solving else None,
        Accuracy.of(_right(pick) for both in picks for pick in both) if panel.comparison else None,
        _consistency(picks),
        cohen_kappa([_truth(case) for case in episodes], statuses) if panel.solving else None,
        _confusion(statuses, episodes),
    )


def _decide(decision: Slow[T]) -> T | None:
    try:
        return drive(decision)
    except JudgeError:
        # A judge that fails says nothing of the case: it is counted as missing, not as wrong.
        return None


def _on_tools(judge: SolvabilityJudge, cases: Iterable[ToolCase]) -> Iterator[bool | None]:
    for case in cases:
        said = _decide(judge.solvable(case.task))
        yield None if said is None else said == case.solvable


def _statuses(judge: Judge, cases: Iterable[LabelledCase]) -> list[str]:
    found = []
    for case in cases:
        verdict = _decide(judge.judge(case.case))
        found.append(MISSING if verdict is None or verdict.status == "na" else str(verdict.status))
    return found


def _rights(statuses: Iterable[str], cases: Iterable[LabelledCase]) -> Iterator[bool | None]:
    for status, case in zip(statuses, cases, strict=True):
        yield None if status == MISSING else status == _truth(case)


def _right(pick: Pick) -> bool | None:
    return None if pick is None else pick == "better"


def _truth(case: LabelledCase) -> str:
    return "solved" if case.solved else "unsolved"


def _picks(
    judge: ComparisonJudge, pairs: Iterable[tuple[LabelledCase, LabelledCase]]
) -> list[tuple[Pick, Pick]]:
    """Return what was taken for the better one when it stood first, and when it stood second."""
    return [
        (
            _pick(_decide(judge.better(better.case, worse.case)), "first"),
            _pick(_decide(judge.better(worse.case, better.case)), "second"),
        )
        for better, worse in pairs
    ]


def _pick(choice: Choice | None, right: Choice) -> Pick:
    if choice is None or choice == "tie":
        return choice
    return "better" if choice == right else "worse"


def _consistency(picks: Iterable[tuple[Pick, Pick]]) -> float | None:
    same = [first == second for first, second in picks if first is not None and second is not None]
    return sum(same) / len(same) if same else None


def _confusion(statuses: Iterable[str], cases: Sequence[LabelledCase]) -> dict[str, dict[str, int]]:
    counts = Counter(zip((case.kind for case in cases), statuses, strict=False))
    kinds = dict.fromkeys(kind for kind, _ in counts)
    return {kind: {status: counts[kind, status] for status in STATUSES} for kind in kinds}
