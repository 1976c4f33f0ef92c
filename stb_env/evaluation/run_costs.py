"""Costs of a saved run: calls, tokens, dollars and time, by role and by episode."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stb_env.core import checksums
from stb_env.errors import DataError
from stb_env.runs.metrics.cost import role_usage
from stb_env.saved_episodes import read_trajectories
from stb_env.trajectory import Key
from stb_env.usage import NO_USAGE, Usage


@dataclass(frozen=True, slots=True)
class RunCosts:
    """Costs of a run.

    Attributes:
        episodes: Saved episodes.
        seconds: Time that episodes took, added up over those that were played at the same time, and over
            every time that one was played.
        roles: What each role used.
        waited: Seconds of them that went to each role: ``agent``, ``tools`` (what answers calls, with or
            without a model), ``user``, ``judge``, and ``queue`` (a free connection to an endpoint). The rest
            is our own work and waiting for a turn.
    """

    episodes: int
    seconds: float
    roles: Mapping[str, Usage]
    waited: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> Usage:
        """Usage of all roles."""
        return sum(self.roles.values(), NO_USAGE)

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain data; those of an episode are means."""
        return {
            "episodes": self.episodes,
            "seconds": round(self.seconds, 6),
            "roles": {role: usage.report() for role, usage in self.roles.items()},
            "waited": {role: round(seconds, 6) for role, seconds in self.waited.items()},
            "total": self.total.report(),
            "per_episode": None if not self.episodes else self._per_episode(),
        }

    def _per_episode(self) -> dict[str, object]:
        total = self.total
        return {
            "seconds": self.seconds / self.episodes,
            "calls": total.calls / self.episodes,
            "tokens": total.total_tokens / self.episodes,
            "cost": None if total.unpriced else total.cost / self.episodes,
        }


def read_costs(folder: str | Path) -> RunCosts:
    """Read what a run cost.

    Args:
        folder: The run.

    Raises:
        DataError: It is no run, or a line is broken.

    Examples:
        >>> read_costs("runs/nothing")
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: runs/nothing does not exist; give a run folder or its trajectories.jsonl
    """
    episodes = read_trajectories(folder)
    seconds: dict[Key, float] = {}
    waited: defaultdict[str, float] = defaultdict(float)
    for timing in _timings(folder):
        seconds[timing.key] = seconds.get(timing.key, 0.0) + timing.seconds
        for role, waiting in timing.waited.items():
            waited[role] += waiting
    return RunCosts(len(episodes), sum(seconds.values(), 0.0), role_usage(episodes), dict(waited))


def read_seconds(folder: str | Path) -> dict[Key, float]:
    """Return how long each episode took, added up over every time that it was played.

    Args:
        folder: The run; one that noted no times has none.

    Raises:
        DataError: A line is broken.

    Examples:
        >>> read_seconds("runs/nothing")
        {}
    """
    seconds: dict[Key, float] = {}
    for timing in _timings(folder):
        seconds[timing.key] = seconds.get(timing.key, 0.0) + timing.seconds
    return seconds


class _Timed(NamedTuple):
    key: Key
    seconds: float
    waited: dict[str, float]
    """By role; runs of earlier versions do not tell it."""


def _timings(folder: str | Path) -> Iterator[_Timed]:
    file = Path(folder) / "timings.jsonl"
    if not file.is_file():
        checksums.check(file)
        return
    for number, line in enumerate(file.read_bytes().split(b"\n")[:-1], 1):
        try:
            timing = json.loads(line)
            checksums.check_line(line.decode(), timing)
            key = (str(timing["task_id"]), int(timing["trial"]), int(timing["seed"]))
            waited = {str(role): float(waiting) for role, waiting in timing.get("waited", {}).items()}
            yield _Timed(key, float(timing["seconds"]), waited)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(f"{file}, line {number}: not a timing ({error!r})") from error
        except DataError as error:
            raise DataError(f"{file}, line {number}: {error}") from error
    checksums.check(file)
