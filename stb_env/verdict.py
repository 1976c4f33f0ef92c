"""Verdicts of judges and exact verifiers about one episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.usage import Usage

VerdictStatus = Literal["solved", "unsure", "unsolved", "na"]

RewardMode = Literal["sparse", "partial", "dense"]
"""What an episode earns: the verdict alone, the share of its parts, or the verdict spread over the steps."""

KEPT = "kept:"
"""Begins the name of a part that holds at the start: it earns nothing, and breaking it loses everything."""

SCORES: Mapping[VerdictStatus, float] = {"solved": 1.0, "unsure": 0.5, "unsolved": 0.0, "na": 0.0}
"""Reward of each status, as in the code of Guo et al., 2024; their paper prints another order."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One evaluation of an answer; ``status`` is None where the vote is missing."""

    status: VerdictStatus | None
    reason: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the vote as plain data."""
        return {"status": self.status, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of judging an episode, with every vote.

    Attributes:
        status: solved, unsure, unsolved, or na where there was nothing that could be judged.
        score: Reward in [0, 1].
        judge: Who decided, for example ``heuristic`` or ``exact``; runs of different judges never mix.
        votes: Every single evaluation.
        parts: Which checked parts passed, where the judge checks parts: ``answer:FIELD`` for a value that is
            right and supported, ``state:TABLE`` for a change that was asked for, ``act:NUMBER NAME`` for a
            call that had to be made, ``kept:WHAT`` for what had to stay as it was.
        metrics: Further figures of the case, such as precision or a share of a sequence.
        usage: What the judge's model cost, where it has one.

    Examples:
        >>> Verdict.of("solved", judge="exact").to_dict()
        {'status': 'solved', 'score': 1.0, 'votes': [], 'judge': 'exact'}
    """

    status: VerdictStatus
    score: float
    judge: str
    votes: tuple[Vote, ...] = ()
    parts: Mapping[str, bool] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    usage: Usage | None = None

    @classmethod
    def of(
        cls,
        status: VerdictStatus,
        *,
        judge: str,
        votes: tuple[Vote, ...] = (),
        parts: Mapping[str, bool] | None = None,
        scores: Mapping[VerdictStatus, float] = SCORES,
    ) -> Verdict:
        """Build a verdict whose score follows from its status."""
        return cls(status, float(scores[status]), judge, votes, parts or {})

    def reward(self, mode: RewardMode) -> float:
        """Return what the end of an episode earns; see `reward_of`."""
        return reward_of(self.to_dict(), mode)

    def to_dict(self) -> dict[str, object]:
        """Return the verdict as plain data; ``parts`` and ``metrics`` only where there are any."""
        data: JsonObject = {
            "status": self.status,
            "score": self.score,
            "votes": [vote.to_dict() for vote in self.votes],
            "judge": self.judge,
        }
        if self.parts:
            data["parts"] = dict(self.parts)
        if self.metrics:
            data["metrics"] = dict(self.metrics)
        return data


def reward_of(verdict: JsonMapping, mode: RewardMode) -> float:
    """Return what a verdict, as plain data, is worth at the end of an episode.

    ``sparse`` is its score. ``partial`` is the share of its parts that were earned: parts that held at the
    start are none of them, and one of those that is broken makes it 0. ``dense`` is the score, too: shaping
    by a potential (Ng, Harada and Russell, 1999) adds nothing over a whole episode.

    Examples:
        >>> parts = {"answer:total": True, "answer:day": False, "kept:orders": True}
        >>> verdict = Verdict.of("unsolved", judge="exact", parts=parts)
        >>> [reward_of(verdict.to_dict(), mode) for mode in ("sparse", "partial")]
        [0.0, 0.5]
    """
    parts = verdict.get("parts")
    if mode != "partial" or not parts or verdict["status"] == "na":
        return float(verdict["score"])
    if not all(held for part, held in parts.items() if part.startswith(KEPT)):
        return 0.0
    earned = [held for part, held in parts.items() if not part.startswith(KEPT)]
    return sum(earned) / len(earned) if earned else float(verdict["score"])
