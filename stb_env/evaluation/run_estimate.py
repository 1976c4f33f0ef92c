"""Estimate the cost of further episodes from those that were played, for runs and evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stb_env.runs.metrics.cost import usage_of
from stb_env.runs.metrics.projection import Projection, project
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """Expected cost of the remaining episodes.

    Attributes:
        measured: On how many episodes it was measured.
        left: How many are left.
        calls: Model calls.
        tokens: Tokens.
        dollars: None where a model has no price.
        seconds: Time by the clock; None where nobody took any.
        invalid: How many of those that it was measured on are invalid, so that they may say little.
    """

    measured: int
    left: int
    calls: Projection
    tokens: Projection
    dollars: Projection | None
    seconds: Projection | None = None
    invalid: int = 0

    @classmethod
    def of(
        cls,
        played: Sequence[Trajectory],
        left: int,
        seconds: Sequence[float] = (),
        together: int = 1,
    ) -> RunEstimate:
        """Estimate from the episodes that were played.

        Args:
            played: The episodes.
            left: How many are left.
            seconds: How long each took.
            together: How many are played at the same time, those that were played as those that are left.

        Examples:
            >>> from stb_env import load_agent, play
            >>> from stb_env.testing.notes import notes
            >>> played = [play(notes(), load_agent("gold")(), task_id="day", seed=seed) for seed in (0, 1)]
            >>> RunEstimate.of(played, 8).tokens.high
            0.0
            >>> RunEstimate.of(played, 8, [3.0, 3.0], together=4).seconds.mean
            6.0
        """
        found = cls.measured_on([usage_of(episode.usage) for episode in played], left)
        # An episode takes its whole time, however many others are played beside it.
        at_once = max(1, min(together, left))
        taken = project([each / at_once for each in seconds], left) if seconds else None
        return replace(found, seconds=taken, invalid=sum(not episode.valid for episode in played))

    @classmethod
    def measured_on(cls, usages: Sequence[Usage], left: int) -> RunEstimate:
        """Estimate from what episodes cost that are like those that are left.

        Examples:
            >>> found = RunEstimate.measured_on([Usage(calls=2), Usage(calls=4)], 10)
            >>> found.calls.mean, found.dollars.mean
            (30.0, 0.0)
        """
        priced = not any(usage.unpriced for usage in usages)
        return cls(
            len(usages),
            left,
            project([usage.calls for usage in usages], left),
            project([usage.total_tokens for usage in usages], left),
            project([usage.cost for usage in usages], left) if priced else None,
        )

    def to_dict(self) -> dict[str, object]:
        """Return the estimate as plain data."""
        projected = {
            "calls": self.calls,
            "tokens": self.tokens,
            "dollars": self.dollars,
            "seconds": self.seconds,
        }
        sums = {name: None if one is None else one.to_dict() for name, one in projected.items()}
        return {"measured": self.measured, "invalid": self.invalid, "left": self.left, **sums}
