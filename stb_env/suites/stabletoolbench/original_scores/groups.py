"""Converted answers by group: of converted files, of answer files, or of a run's episodes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from stb_env.errors import DataError
from stb_env.formats.export import ExportSettings
from stb_env.jsontypes import JsonMapping
from stb_env.suites.stabletoolbench.answer_folder import json_files, kind_of
from stb_env.suites.stabletoolbench.answers import convert, read_json, read_name
from stb_env.suites.stabletoolbench.export import converted_files
from stb_env.suites.stabletoolbench.original_scores.converted import Entry
from stb_env.trajectory import Trajectory

Groups = Mapping[str, Mapping[str, Entry]]
"""Converted answers by query id, by the group's name in file names: ``G1_instruction`` ..."""


def read_groups(source: Path) -> Groups:
    """Read converted files, named for their groups; answer files, in a folder each group, are converted.

    Args:
        source: A file, or a folder that is searched with all its folders.

    Raises:
        DataError: There are none, or one cannot be read.
    """
    groups: dict[str, dict[str, Entry]] = {}
    for file in json_files(source):
        value = read_json(file)
        kind = kind_of(value)
        if kind == "converted":
            groups.setdefault(file.stem, {}).update(value)
        elif kind == "answers":
            name = read_name(file.stem)
            groups.setdefault(file.parent.name, {})[name.query_id] = convert(value, name.method)
    if not groups:
        raise DataError(f"{source} holds neither a run nor converted answers nor answer files")
    return groups


def groups_of(episodes: Sequence[Trajectory]) -> Groups:
    """Convert the episodes of a run.

    Raises:
        ConfigError: Two episodes would be one entry.
    """
    files = converted_files(episodes, ExportSettings())
    return {name.removesuffix(".json"): json.loads(text) for name, text in files}


def test_ids(folder: Path | None, group: str, answered: Iterable[str]) -> Sequence[str]:
    """Return the ids of a group: those of its file in the folder, or of what was answered without one.

    Raises:
        DataError: The group's file is no object of ids.
    """
    file = folder / f"{group}.json" if folder is not None else None
    if file is None or not file.is_file():
        return list(answered)
    ids: JsonMapping = read_json(file)
    if not isinstance(ids, dict):
        raise DataError(f"{file} must be an object whose members are query ids, got {type(ids).__name__}")
    return list(ids)
