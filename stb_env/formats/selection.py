"""Filters on the episodes of an export."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from stb_env.errors import ConfigError
from stb_env.tools import Status
from stb_env.trajectory import Trajectory

Only = Literal["solved", "valid", "all"]

_REACHED = ("cache", "real", "simulator", "world")


def sources(episode: Trajectory) -> Counter[str]:
    """Return how many calls of an episode each source answered, those to the environment itself left out.

    Examples:
        >>> calls = [{"source": "cache"}, {"source": "simulator"}, {"source": "env"}]
        >>> steps, ended = [{"calls": calls}], (None, "", None, 0.0, True, None, {})
        >>> episode = Trajectory("", "", "7", 0, 0, "?", [], [], steps, *ended)
        >>> sorted(sources(episode).items())
        [('cache', 1), ('simulator', 1)]
    """
    answered = (call["source"] for step in episode.steps for call in step["calls"])
    return Counter(source for source in answered if source in _REACHED)


@dataclass(frozen=True, slots=True)
class Selection:
    """Filter of episodes; the empty tuple and None keep all.

    Attributes:
        only: ``solved``, ``valid``, or ``all`` that no failure cut short.
        suites: Names of suites.
        groups: Names of groups.
        min_steps: Fewest steps.
        max_steps: Most steps.
        max_characters: Most characters of all messages together.
        max_simulated: Largest share of answered calls that a simulator answered, from 0 to 1.

    Raises:
        ConfigError: A bound is out of range.
    """

    only: Only = "valid"
    suites: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    min_steps: int = 0
    max_steps: int | None = None
    max_characters: int | None = None
    max_simulated: float | None = None

    def __post_init__(self) -> None:
        if self.max_simulated is not None and not 0 <= self.max_simulated <= 1:
            raise ConfigError(f"max_simulated is a share from 0 to 1, got {self.max_simulated}")
        if self.max_steps is not None and self.max_steps < self.min_steps:
            raise ConfigError(f"max_steps {self.max_steps} is below min_steps {self.min_steps}")

    def reason(self, episode: Trajectory) -> str | None:
        """Return why an episode is left out, or None where it is kept.

        Examples:
            >>> steps, ended = [{"calls": []}], (None, "", None, 0.0, True, None, {})
            >>> episode = Trajectory("", "", "7", 0, 0, "?", [], [], steps, *ended)
            >>> Selection().reason(episode), Selection(min_steps=2).reason(episode)
            (None, 'length')
        """
        if not self._earned(episode):
            return "not_solved" if episode.valid else "invalid"
        if self.suites and episode.suite not in self.suites:
            return "suite"
        if self.groups and episode.group not in self.groups:
            return "group"
        if not self._fits(episode):
            return "length"
        return None if self._real_enough(episode) else "simulated"

    def _earned(self, episode: Trajectory) -> bool:
        if self.only == "all":
            return _complete(episode)
        return episode.valid and (episode.solved or self.only == "valid")

    def _fits(self, episode: Trajectory) -> bool:
        count = len(episode.steps)
        if count < self.min_steps or (self.max_steps is not None and count > self.max_steps):
            return False
        if self.max_characters is None:
            return True
        return sum(map(_characters, episode.messages)) <= self.max_characters

    def _real_enough(self, episode: Trajectory) -> bool:
        if self.max_simulated is None:
            return True
        found = sources(episode)
        return found["simulator"] <= self.max_simulated * found.total()


def _complete(episode: Trajectory) -> bool:
    """Say whether an episode was played to its end; one that lacks a verdict alone was."""
    last = episode.steps[-1]["calls"] if episode.steps else ()
    return episode.valid or any(call["status"] == Status.FINISHED for call in last)


def _characters(message: object) -> int:
    if isinstance(message, dict):
        return sum(_characters(value) for value in message.values())
    if isinstance(message, list):
        return sum(map(_characters, message))
    return len(message) if isinstance(message, str) else 0
