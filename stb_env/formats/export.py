"""Parts that writers of episodes share: their settings, and a folder for each episode."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from stb_env.trajectory import Trajectory

APART = "them from separate runs"
"""What to do about episodes that would be one."""


class ExportSettings(NamedTuple):
    """Settings of an export.

    Attributes:
        method: Name of the method in files that have one; that of the episode where not given.
        branches: Whether every branch of a search is written.
    """

    method: str | None = None
    branches: bool = False


Writer = Callable[[Sequence[Trajectory], ExportSettings], Iterator[tuple[str, str]]]
"""Yields name and text of each file."""


def places(
    episodes: Sequence[Trajectory], method_of: Callable[[Trajectory], str], stems: Mapping[str, str]
) -> list[str]:
    """Return a folder for each episode: its group's, apart by method and trial where there are several.

    Args:
        episodes: The episodes.
        method_of: Names the method that played one.
        stems: Folder names of groups that have one of their own.
    """
    methods = {method_of(episode) for episode in episodes}
    trials = {episode.trial for episode in episodes}
    found = []
    for episode in episodes:
        group = stems.get(episode.group, episode.group) or episode.suite or "episodes"
        parts = [method_of(episode)] if len(methods) > 1 else []
        parts += [f"trial_{episode.trial}"] if len(trials) > 1 else []
        found.append("/".join(quote(part, safe=" @") for part in [*parts, group]))
    return found
