"""What a judge or an exact verifier says about one episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stb_env.jsontypes import JsonObject
from stb_env.usage import Usage

VerdictStatus = Literal["solved", "unsure", "unsolved", "na"]

SCORES: Mapping[VerdictStatus, float] = {"solved": 1.0, "unsure": 0.5, "unsolved": 0.0, "na": 0.0}
"""Reward of each status, as in the code of Guo et al., 2024; their paper prints another order."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One evaluation of an answer; ``status`` is None where the vote is missing."""

    status: VerdictStatus | None
    reason: str = ""

    def to_dict(self) -> JsonObject:
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
        parts: Which checked parts passed, where the judge checks parts.
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

    def to_dict(self) -> JsonObject:
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
