"""Flip rate: on how many tasks a second look gives another verdict."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

from stb_env.runs.metrics.sopr import cast_votes
from stb_env.trajectory import Trajectory

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class FlipRate:
    """Stability of verdicts.

    Attributes:
        tasks: Tasks, or episodes, that were looked at at least twice.
        flipped: Those with more than one verdict.
        rate: Share of them.
        single: Those that were looked at once or never; they say nothing and are left out.
    """

    tasks: int
    flipped: int
    rate: float
    single: int

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self)


def flip_rate(verdicts: Mapping[K, Sequence[Hashable]]) -> FlipRate:
    """Count the keys whose verdicts are not all the same.

    Examples:
        >>> flip_rate({"a": ["solved", "solved"], "b": ["solved", "unsure"], "c": ["solved"]})
        FlipRate(tasks=2, flipped=1, rate=0.5, single=1)
    """
    repeated = [seen for seen in verdicts.values() if len(seen) > 1]
    flipped = sum(len(set(seen)) > 1 for seen in repeated)
    rate = flipped / len(repeated) if repeated else 0.0
    return FlipRate(len(repeated), flipped, rate, len(verdicts) - len(repeated))


def trial_flips(episodes: Iterable[Trajectory]) -> FlipRate:
    """Return how many tasks have different verdicts in different valid trials: agent and judge together."""
    seen: dict[str, list[str]] = {}
    for episode in episodes:
        statuses = seen.setdefault(episode.task_id, [])
        if episode.valid and episode.verdict:
            statuses.append(episode.verdict["status"])
    return flip_rate(seen)


def vote_flips(episodes: Iterable[Trajectory]) -> FlipRate:
    """Return on how many valid episodes the judge's votes differ: the judge alone."""
    votes = {episode.key: cast_votes(episode) for episode in episodes if episode.valid}
    return flip_rate({key: [vote.status for vote in cast] for key, cast in votes.items()})
