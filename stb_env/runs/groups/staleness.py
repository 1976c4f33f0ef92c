"""Staleness: the number of updates of a trained model since it played an episode."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.runs.agent import Agent
from stb_env.runs.guarded_agent import GuardedAgent
from stb_env.trajectory import Trajectory

MODEL_VERSION = "model_version"
"""Where a step's ``engine`` says which version of the model decided it."""


@dataclass(frozen=True, slots=True)
class Staleness:
    """Versions between the model that plays and the one that is trained, over steps.

    Attributes:
        steps: Steps whose version is known.
        mean: Versions behind, on average; 0 where no version is known.
        most: Versions behind at most.
    """

    steps: int
    mean: float
    most: int


class VersionedAgent(GuardedAgent):
    """Plays as another agent does, and keeps with each step which version of the model decided it.

    A decision counts for the version that it began with: weights that are replaced while a model writes
    make its answer older, not newer.

    Args:
        agent: Who plays.
        tell: Told of each mistake of the agent's.
        version: Tells the version of now.
    """

    def __init__(self, agent: Agent, tell: Callable[[str], None], version: Callable[[], int]) -> None:
        super().__init__(agent, tell)
        self._version = version

    def deciding(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Slow[object]:
        """Return what the agent does next."""
        version = self._version()
        action = yield from super().deciding(observation, info)
        self.engine = {**self.engine, MODEL_VERSION: version}
        return action


def told_version(version: Callable[[], int]) -> int:
    """Return the version of the model that a function tells.

    Raises:
        ConfigError: It tells no whole number.

    Examples:
        >>> told_version(lambda: "step-3")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: version must tell a whole number, got 'step-3'; count the model's updates
    """
    return _number(version(), "version must tell")


def versions(episode: Trajectory) -> list[int]:
    """Return the model's version at each step that the episode's own agent decided, where it is known.

    Raises:
        ConfigError: One is no whole number.
    """
    engines = (step.get("engine") or {} for step in episode.steps if not step.get("prefix"))
    return [
        _number(engine[MODEL_VERSION], f"{MODEL_VERSION} of an engine must be")
        for engine in engines
        if MODEL_VERSION in engine
    ]


def staleness(episodes: Iterable[Trajectory], current: int | None = None) -> Staleness:
    """Measure how stale episodes are.

    Args:
        episodes: Their steps say which version of the model decided them.
        current: The version of now; the newest that decided a step where not given.

    Examples:
        >>> staleness([])
        Staleness(steps=0, mean=0.0, most=0)
    """
    known: Sequence[int] = [version for episode in episodes for version in versions(episode)]
    if not known:
        return Staleness(0, 0.0, 0)
    now = max(known) if current is None else current
    behind = [now - version for version in known]
    return Staleness(len(behind), fmean(behind), max(behind))


def _number(told: Any, what: str) -> int:
    try:
        return int(told)
    except (TypeError, ValueError, OverflowError):
        message = f"{what} a whole number, got {told!r:.80}; count the model's updates"
    raise ConfigError(message)
