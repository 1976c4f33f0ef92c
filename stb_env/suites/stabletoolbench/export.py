"""Runs as the files that StableToolBench's own programs read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.formats.export import APART, ExportSettings, places
from stb_env.suites.stabletoolbench.answers import answer_file, converted_entry, file_name, method_of
from stb_env.suites.stabletoolbench.queries import GROUPS
from stb_env.trajectory import Trajectory


def answer_files(episodes: Sequence[Trajectory], settings: ExportSettings) -> Iterator[tuple[str, str]]:
    """Yield name and text of the original answer files, and of the converted ones beside them.

    Raises:
        ConfigError: Two episodes would be one entry.
    """
    for episode, place in zip(episodes, _places(episodes), strict=True):
        name = file_name(episode.task_id, settings.method or method_of(episode))
        yield f"{place}/{name}", _document(answer_file(episode))
    yield from converted_files(episodes, settings)


def converted_files(episodes: Sequence[Trajectory], settings: ExportSettings) -> Iterator[tuple[str, str]]:
    """Yield name and text of the converted answers, one file a group, as the evaluators read them.

    Raises:
        ConfigError: Two episodes would be one entry.
    """
    groups: dict[str, JsonObject] = defaultdict(dict)
    for episode, place in zip(episodes, _places(episodes), strict=True):
        if episode.task_id in groups[place]:
            raise ConfigError(
                f"two episodes would be entry {episode.task_id} of {place}.json; export {APART}"
            )
        groups[place][episode.task_id] = converted_entry(episode, settings.method)
    for place, entries in groups.items():
        yield f"{place}.json", _document(entries)


def _places(episodes: Sequence[Trajectory]) -> list[str]:
    return places(episodes, method_of, GROUPS)


def _document(value: Mapping[str, object]) -> str:
    return json.dumps(value, indent=2) + "\n"
