"""Cost of a solved task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from stb_env.trajectory import Trajectory
from stb_env.usage import NO_USAGE, Usage


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

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data."""
        return asdict(self) | {"usage": self.usage.report()}


def usage_of(saved: Mapping[str, float]) -> Usage:
    """Read a saved usage; other programs may know less, or more, than this package counts.

    Examples:
        >>> usage_of({"calls": 3, "wall": 1.5}).calls
        3
    """
    known = Usage.__dataclass_fields__
    return Usage(**{name: value for name, value in saved.items() if name in known})  # type: ignore[arg-type] # numbers as saved


def role_usage(episodes: Iterable[Trajectory]) -> dict[str, Usage]:
    """Add up what each role used; what older episodes do not tell apart is the role ``together``.

    Examples:
        >>> role_usage([])
        {}
    """
    total: dict[str, Usage] = {}
    for episode in episodes:
        roles = episode.usage_by_role
        if roles is None and episode.usage.get("calls"):
            roles = {"together": episode.usage}
        for role, usage in (roles or {}).items():
            total[role] = total.get(role, NO_USAGE) + usage_of(usage)
    return total


def cost(episodes: Iterable[Trajectory]) -> Cost:
    """Add up what episodes cost and divide it by those that are solved.

    Examples:
        >>> cost([]).tokens_per_solved is None
        True
    """
    every = list(episodes)
    valid = [episode for episode in every if episode.valid]
    solved = sum(episode.solved for episode in valid)
    usage = sum((usage_of(episode.usage) for episode in every), Usage())

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
