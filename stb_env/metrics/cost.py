"""What a solved task costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from stb_env.jsontypes import JsonObject
from stb_env.trajectory import Trajectory
from stb_env.usage import Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a run, and for each solved episode.

    Attributes:
        episodes: Valid episodes.
        invalid: Episodes without a verdict; they solved nothing, and what they cost is in ``usage``.
        solved: Solved episodes.
        usage: Everything that was spent: agent, simulator and judge, as the episodes have it.
        dollars_per_solved: Dollars for each solved episode; None where nothing was solved, or where calls
            have no known price.
        tokens_per_solved: Tokens for each solved episode; None where nothing was solved.
        calls_per_solved: Model calls for each solved episode; None where nothing was solved.
    """

    episodes: int
    invalid: int
    solved: int
    usage: Usage
    dollars_per_solved: float | None
    tokens_per_solved: float | None
    calls_per_solved: float | None

    def to_dict(self) -> JsonObject:
        """Return the figures as plain data."""
        return asdict(self) | {"usage": self.usage.report()}


def cost(episodes: Iterable[Trajectory]) -> Cost:
    """Add up what episodes cost and divide it by those that are solved.

    Examples:
        >>> cost([]).tokens_per_solved is None
        True
    """
    every = list(episodes)
    valid = [episode for episode in every if episode.valid]
    solved = sum(episode.solved for episode in valid)
    # Episodes of other programs may know less, or more, than this package counts.
    known = Usage.__dataclass_fields__
    spent = (Usage(**{n: v for n, v in e.usage.items() if n in known}) for e in every)  # type: ignore[arg-type] # numbers as saved
    usage = sum(spent, Usage())

    def each(amount: float) -> float | None:
        return amount / solved if solved else None

    return Cost(
        len(valid),
        len(every) - len(valid),
        solved,
        usage,
        None if usage.unpriced else each(usage.cost),
        each(usage.total_tokens),
        each(usage.calls),
    )
