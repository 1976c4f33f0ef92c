"""The answers of one player as the scoring programs read them: from a run, or from files of answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.formats.export import ExportSettings
from stb_env.formats.selection import Selection
from stb_env.runs.saved_player import player_of
from stb_env.runs.verdict_file import manifest_of, read_judged, slug
from stb_env.suites.stabletoolbench.answer_folder import json_files, kind_of
from stb_env.suites.stabletoolbench.answers import convert, read_json, read_name
from stb_env.suites.stabletoolbench.export import converted_files
from stb_env.suites.stabletoolbench.original_scores.converted import Entry
from stb_env.suites.stabletoolbench.queries import GROUPS
from stb_env.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The converted answers of a player to one group, in one trial.

    Attributes:
        group: Name of the group in file names: ``G1_instruction`` ...
        folder: Folder of its result files: empty, or ``trial_0`` ... where there are several trials.
        converted: The converted answers by query id; what was cut short by a failure has none.
        ids: Ids of the queries that are known to be planned.
        planned: How many queries there should be.
    """

    group: str
    folder: str
    converted: dict[str, Entry]
    ids: Sequence[str]
    planned: int


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """The answers of one player.

    Attributes:
        player: Who played: the agent of a run; of other answers the folder is all that says it.
        name: Its name in the names of files.
        identity: Digest of what decided the run; empty where the answers are no run.
        files: One for each group and trial.
        played: In what the run was not played as the paper's, one sentence each.
    """

    player: str
    name: str
    identity: str
    files: Sequence[AnswerFile]
    played: tuple[str, ...]

    @property
    def groups(self) -> dict[str, list[AnswerFile]]:
        """The files of each group: one for each trial."""
        found: dict[str, list[AnswerFile]] = {}
        for file in self.files:
            found.setdefault(file.group, []).append(file)
        return found


def is_run(source: Path) -> bool:
    """Return whether a folder holds a run."""
    return (source / "trajectories.jsonl").is_file()


def read_answers(source: Path, test_ids: Path | None = None) -> AnswerSet:
    """Read the answers of a player.

    Args:
        source: A run, a file or folder of converted answers, or a folder of answer files.
        test_ids: Folder with a file of query ids for each group; they are what is planned then.

    Raises:
        DataError: There are none, or one cannot be read.
    """
    found = _of_run(source) if is_run(source) else _of_files(source)
    if not any(file.converted for file in found.files):
        raise DataError(f"{source} has no episode that was played to its end; there is nothing to judge")
    if test_ids is None:
        return found
    files = [_among(file, test_ids) for file in found.files]
    return AnswerSet(found.player, found.name, found.identity, files, found.played)


def how_played(manifest: Mapping[str, object]) -> tuple[str, ...]:
    """Return in what a run was not played as those of the paper, one sentence each.

    Args:
        manifest: The run's manifest.
    """
    protocol = manifest.get("protocol")
    if isinstance(protocol, dict):
        return tuple(protocol.get("departures", ()))
    return ("played without a protocol: its depth, prompts and observations are not the paper's",)


def played_departures(source: Path) -> tuple[str, ...]:
    """Return in what the answers in a folder were not played as those of the paper, one sentence each."""
    return how_played(manifest_of(source)) if is_run(source) else ("how it was played the files do not say",)


def _of_run(source: Path) -> AnswerSet:
    episodes, manifest, who = read_judged(source), manifest_of(source), player_of(source)
    trials = max([int(manifest.get("trials") or 1), *(1 + episode.trial for episode in episodes)])
    groups = list(dict.fromkeys(episode.group for episode in episodes))
    # Of several groups in one run nobody knows how many of what is missing belongs to which.
    planned = who.planned // trials if who.planned is not None and len(groups) == 1 else 0
    files = [
        _file(group, f"trial_{trial}" if trials > 1 else "", planned, played)
        for trial in range(trials)
        for group in groups
        if (played := [one for one in episodes if (one.group, one.trial) == (group, trial)]) or planned
    ]
    return AnswerSet(who.name, slug(who.name), who.identity, files, played_departures(source))


def _file(group: str, folder: str, planned: int, episodes: Sequence[Trajectory]) -> AnswerFile:
    # What was played to its end has an answer, whatever became of its verdict.
    ended = Selection("all")
    answered = [episode for episode in episodes if not ended.reason(episode)]
    converted: dict[str, Entry] = {}
    for _, text in converted_files(answered, ExportSettings()):
        converted |= json.loads(text)
    ids = list(dict.fromkeys(episode.task_id for episode in episodes))
    return AnswerFile(GROUPS.get(group, group), folder, converted, ids, max(planned, len(ids)))


def _of_files(source: Path) -> AnswerSet:
    groups: dict[str, dict[str, Entry]] = {}
    for group, entries in _converted(source):
        groups.setdefault(group, {}).update(entries)
    if not groups:
        raise DataError(f"{source} holds neither a run nor converted answers nor answer files")
    name = (source if source.is_dir() else source.parent).resolve().name
    files = [AnswerFile(group, "", entries, list(entries), len(entries)) for group, entries in groups.items()]
    return AnswerSet(name, name, "", files, played_departures(source))


def _converted(source: Path) -> Iterator[tuple[str, dict[str, Entry]]]:
    for file in json_files(source):
        value = read_json(file)
        kind = kind_of(value)
        if kind == "converted":
            yield file.stem, value
        elif kind == "answers":
            name = read_name(file.stem)
            yield file.parent.name, {name.query_id: convert(value, name.method)}


def _among(file: AnswerFile, folder: Path) -> AnswerFile:
    """Return a file of answers with the ids of its group in a folder as what is planned."""
    listed = folder / f"{file.group}.json"
    if not listed.is_file():
        return file
    ids: JsonMapping = read_json(listed)
    if not isinstance(ids, dict):
        raise DataError(f"{listed} must be an object whose members are query ids, got {type(ids).__name__}")
    return AnswerFile(file.group, file.folder, file.converted, list(ids), len(ids))
