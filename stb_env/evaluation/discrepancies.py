"""Differences for which the numbers of two runs must not be compared, with both values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import ConfigError
from stb_env.evaluation.figures import missed
from stb_env.evaluation.manifest import PATHS
from stb_env.models.chat import digest
from stb_env.runs.metrics.rates import sources
from stb_env.runs.verdict_file import manifest_of, read_judgements, verdict_file
from stb_env.trajectory import Trajectory

HEURISTIC = "heuristic"
MAX_MISSES = 0.01
"""Share of calls that a replay may lack; above it, what is missing decides the numbers."""

_SHOWN = 160

# What the manifest says of backend and judge, and episodes of rewards, says more than the settings do.
_COVERED = PATHS | {"mode", "simulator", "real", "faults", "judge", "votes", "max_turns", "reward"}
_WHOLE = ("env", "tasks", "max_turns", "scores", "user")
_PARTS = ("backend", "prompts", "settings")


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing in which two runs differ.

    Attributes:
        name: What differs, for example ``backend.cache``; the name that ``--ignore`` takes.
        first: Its value in the first run.
        second: Its value in the second.
        fatal: Whether it cannot be ignored.

    Examples:
        >>> str(Discrepancy("max_turns", 24, 12))
        'max_turns is 24 and 12'
    """

    name: str
    first: Any
    second: Any
    fatal: bool = False

    def __str__(self) -> str:
        first, second = _apart(self.first, self.second)
        return f"{self.name} is {_shown(first)} and {_shown(second)}"


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A saved run as one judge sees it.

    Attributes:
        folder: Where it is.
        manifest: Its manifest.
        judge: Name of the judge.
        settings: Digests of the settings under which that judge gave the verdicts.
        episodes: Its episodes with these verdicts.
    """

    folder: Path
    manifest: JsonMapping
    judge: str
    settings: frozenset[str]
    episodes: Sequence[Trajectory]


def judge_settings(folder: Path, judge: str, episodes: Sequence[Trajectory]) -> frozenset[str]:
    """Return the digests of all settings under which a judge gave its verdicts on a run.

    Args:
        folder: The run.
        judge: Name of the judge.
        episodes: The run's episodes with this judge's verdicts.
    """
    manifest, later = manifest_of(folder), read_judgements(verdict_file(folder, judge))
    own = digest(manifest.get("judge_settings") or judge)
    return frozenset(
        later[episode.key].settings if episode.key in later else own
        for episode in episodes
        if episode.verdict is not None and episode.verdict["judge"] == judge
    )


def discrepancies(first: JudgedRun, second: JudgedRun) -> list[Discrepancy]:
    """Return everything that forbids a comparison, in a fixed order; nothing for comparable runs.

    Agents, their models and seeds may differ: they are what is compared. So may numbers of trials and
    episodes: tasks are compared that both runs have.

    Args:
        first: A run.
        second: Another.
    """
    manifests = first.manifest, second.manifest
    return [
        *_judges(first, second),
        *_modes(first, second),
        *_manifests(*manifests),
        *_misses(first, second),
    ]


def _judges(first: JudgedRun, second: JudgedRun) -> Iterator[Discrepancy]:
    if first.judge != second.judge:
        yield Discrepancy("judge", first.judge, second.judge, fatal=HEURISTIC in (first.judge, second.judge))
    elif first.settings and second.settings and first.settings != second.settings:
        mine, theirs = (run.manifest.get("judge_settings") for run in (first, second))
        if mine == theirs:
            mine, theirs = sorted(first.settings), sorted(second.settings)
        yield Discrepancy("judge_settings", mine, theirs)


def _modes(first: JudgedRun, second: JudgedRun) -> Iterator[Discrepancy]:
    mine, theirs = (reward_modes(run.episodes) for run in (first, second))
    if mine and theirs and mine != theirs:
        yield Discrepancy("reward_mode", mine, theirs)


def reward_modes(episodes: Iterable[Trajectory]) -> str:
    """Return by which modes valid episodes were rewarded, such as ``sparse``; empty where none is valid.

    Examples:
        >>> reward_modes([])
        ''
    """
    return ", ".join(sorted({episode.reward_mode for episode in episodes if episode.valid}))


def _manifests(first: JsonMapping, second: JsonMapping) -> Iterator[Discrepancy]:
    for name in _WHOLE:
        if first.get(name) != second.get(name):
            yield Discrepancy(name, first.get(name), second.get(name))
    for name in _PARTS:
        mine, theirs = first.get(name) or {}, second.get(name) or {}
        for part in sorted(mine.keys() | theirs.keys()):
            if name == "settings" and part in _COVERED:
                continue
            if (mine.get(part) or None) != (theirs.get(part) or None):
                yield Discrepancy(f"{name}.{part}", mine.get(part), theirs.get(part))


def _misses(first: JudgedRun, second: JudgedRun) -> Iterator[Discrepancy]:
    shares = [miss_share(run.episodes) for run in (first, second)]
    if max(shares) > MAX_MISSES:
        mine, theirs = (f"{share:.1%} of calls" for share in shares)
        yield Discrepancy("replay_misses", mine, theirs)


def miss_share(episodes: Sequence[Trajectory]) -> float:
    """Return the share of calls for which a replay had no recording; 0 without calls."""
    misses = sum(map(missed, episodes))
    return misses / (misses + sum(sources(episodes).values())) if misses else 0.0


def unless_ignored(
    found: Sequence[Discrepancy], ignore: Sequence[str], first: JudgedRun, second: JudgedRun
) -> None:
    """Refuse two runs unless everything that sets them apart is ignored by name.

    Raises:
        ConfigError: Something else differs or cannot be ignored, or a name is of nothing that differs.
    """
    names = [one.name for one in found]
    for name in ignore:
        if name not in names:
            shown = f"what differs: {', '.join(names)}" if names else "nothing differs"
            raise ConfigError(f"--ignore {name} names nothing that sets the runs apart; {shown}")
    left = [one for one in found if one.name not in ignore or one.fatal]
    if not left:
        return
    told = "".join(f"\n  {one}" for one in left)
    raise ConfigError(f"{first.folder} and {second.folder} cannot be compared:{told}\n{_advice(left)}")


def _advice(left: Sequence[Discrepancy]) -> str:
    if any(one.fatal for one in left):
        return (
            "The heuristic's verdicts are never compared with another judge's: judge both runs with one "
            "judge (`stb-env judge DIR --judge NAME`) and name it with --judge"
        )
    return "Play both under equal conditions, or accept each by name: " + " ".join(
        f"--ignore {one.name}" for one in left
    )


def _apart(first: object, second: object) -> tuple[object, object]:
    """Return two values without the members that are equal in both."""
    if not (isinstance(first, Mapping) and isinstance(second, Mapping)):
        return first, second
    sides: tuple[JsonObject, JsonObject] = ({}, {})
    for name in sorted(first.keys() | second.keys()):
        if first.get(name) != second.get(name):
            for side, value in zip(sides, _apart(first.get(name), second.get(name)), strict=True):
                side[name] = value
    return sides


def _shown(value: object) -> str:
    if value in (None, ""):
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
