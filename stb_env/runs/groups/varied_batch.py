"""Batches that hold only groups to learn from, after the dynamic sampling of DAPO (Yu et al., 2025)."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable
from dataclasses import dataclass, field

from stb_env.errors import ConfigError
from stb_env.runs.groups.group import Group


@dataclass(slots=True)
class VariedBatch:
    """Groups whose rewards differ, and how many others were thrown away for them.

    Args:
        size: How many groups it is to hold.
        limit: How many groups are looked at; None for as many as it takes.

    Attributes:
        groups: The groups, in the order in which they came.
        equal: Groups thrown away because their rewards are all alike.
        invalid: Groups thrown away because fewer than two of their trials have a reward.

    Raises:
        ConfigError: A number is below 1.

    Examples:
        >>> VariedBatch(8).full
        False
    """

    size: int
    limit: int | None = None
    groups: list[Group] = field(default_factory=list, init=False)
    equal: int = field(default=0, init=False)
    invalid: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.size < 1 or (self.limit is not None and self.limit < 1):
            raise ConfigError(f"size and limit must be at least 1, got {self.size} and {self.limit}")

    @property
    def full(self) -> bool:
        """True if it holds the wanted number of groups; one that is done may hold fewer."""
        return len(self.groups) >= self.size

    @property
    def seen(self) -> int:
        """Number of groups that were looked at."""
        return len(self.groups) + self.equal + self.invalid

    @property
    def done(self) -> bool:
        """True if no further group is to be looked at."""
        return self.full or self.seen == self.limit

    def look(self, group: Group) -> bool:
        """Take a group that there is something to learn from; return whether it was taken."""
        if group.varied:
            self.groups.append(group)
        elif group.valid < 2:
            self.invalid += 1
        else:
            self.equal += 1
        return group.varied


def varied_batch(groups: Iterable[Group], size: int, *, limit: int | None = None) -> VariedBatch:
    """Draw groups until so many of them have variance.

    Args:
        groups: As `groups` yields them; what is left can fill the next batch.
        size: How many are wanted.
        limit: How many are looked at, so that a model that solves all or nothing ends it too.

    Returns:
        The batch; it is not `full` where the limit or the last group came first.

    Examples:
        >>> from stb_env import load_agent
        >>> from stb_env.runs.groups import groups
        >>> from stb_env.testing.notes import notes
        >>> batch = varied_batch(groups(notes(), ["day", "move"], 2, agent=load_agent("gold")), 1)
        >>> batch.full, batch.equal
        (False, 2)
    """
    batch = VariedBatch(size, limit)
    for group in groups:
        batch.look(group)
        if batch.done:
            break
    return batch


async def avaried_batch(groups: AsyncIterable[Group], size: int, *, limit: int | None = None) -> VariedBatch:
    """Draw groups on the event loop; see `varied_batch`."""
    batch = VariedBatch(size, limit)
    async for group in groups:
        batch.look(group)
        if batch.done:
            break
    return batch
