"""The folder of a run that is played in groups."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from stb_env.core import checksums, jsontext
from stb_env.core.files import LineWriter, write_text
from stb_env.core.interrupts import held
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.errors import DataError
from stb_env.runs.groups.group import Group
from stb_env.runs.job import Job
from stb_env.runs.run import Run

GroupKey: TypeAlias = tuple[str, int]
"""A group's task and seed."""


class GroupRun:
    """A run folder (see `Run`) with ``groups.jsonl`` beside its episodes: one line a group.

    Lines are appended as groups end, and are put in task order when the run ends or goes on. A group is saved
    whole or not at all: what a killed process left of one, and a group with an episode that failed for a
    reason that may pass, moves to ``failures.jsonl`` and is played again.

    Args:
        folder: Made where it does not exist.
        manifest: Everything that decides the numbers, as plain data.

    Raises:
        ConfigError: The folder holds another run, or another process plays it.
        DataError: A line in the middle of its files is broken.
        StorageError: The disk refuses it.
    """

    def __init__(self, folder: str | Path, manifest: Mapping[str, object]) -> None:
        self.run = Run(folder, manifest)
        self._file = self.run.folder / "groups.jsonl"
        self._lines: LineWriter | None = None
        self._order: dict[GroupKey, int] = {}
        self.lines: list[JsonObject] = []

    def begin(self, planned: Sequence[GroupKey], k: int) -> list[GroupKey]:
        """Begin a sitting, or plan further groups in it, and return those that are still to be played.

        Args:
            planned: Every group of the run so far, in order.
            k: Trials of each at most.

        Raises:
            DataError: A line is broken.
            StorageError: The disk refuses it; nothing is lost.
        """
        self._order = {key: place for place, key in enumerate(planned)}
        self.run.begin([Job(task, trial, seed) for task, seed in planned for trial in range(k)])
        saved = self.run.done
        self._close_lines()
        # Closed first: a torn last line is cut off where it is opened.
        LineWriter(self._file).close()
        self.lines = [line for line in read_groups(self._file) if _keys(line) <= saved]
        whole = {key for line in self.lines for key in _keys(line)}
        if torn := saved - whole:
            self.run.set_aside(torn)
        self._write()
        self._lines = LineWriter(self._file)
        done = {_key(line) for line in self.lines}
        return [key for key in planned if key not in done]

    def add(self, group: Group) -> None:
        """Save a group, on disk before this returns.

        Raises:
            StorageError: The disk refuses it.
        """
        # In between, its episodes would be saved and no group be theirs.
        with held():
            self.run.add_all(list(zip(group.episodes, group.timings, strict=True)))
            line = group.to_dict()
            if self._lines is not None:
                self._lines.write(jsontext.dumps(line))
            self.lines.append(line)

    def finish(self, summary: Mapping[str, object]) -> None:
        """Put everything in order, and write the summary.

        Raises:
            StorageError: The disk refuses it.
        """
        self.run.arrange()
        self._close_lines()
        self._write()
        self.run.finish(summary)

    def close(self) -> None:
        """Close the files."""
        self._close_lines()
        self.run.close()

    def _close_lines(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _write(self) -> None:
        last = len(self._order)
        self.lines.sort(key=lambda line: self._order.get(_key(line), last))
        write_text(self._file, "".join(f"{jsontext.dumps(line)}\n" for line in self.lines))


def read_groups(path: str | Path) -> list[dict[str, object]]:
    """Read ``groups.jsonl`` (or the run folder that holds it).

    Raises:
        DataError: The file is missing or a line is broken.

    Examples:
        >>> read_groups("runs/nothing")
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: runs/nothing does not exist; give a folder of `stb-env groups`
    """
    file = Path(path)
    file = file / "groups.jsonl" if file.is_dir() else file
    if not file.is_file():
        raise DataError(f"{file} does not exist; give a folder of `stb-env groups`")
    found = []
    for number, line in enumerate(file.read_bytes().split(b"\n")[:-1], 1):
        try:
            group = json.loads(line)
            _keys(group)
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(f"{file}, line {number}: not a group ({error!r})") from error
        found.append(group)
    checksums.check(file)
    return found


def _key(line: JsonMapping) -> GroupKey:
    return line["task_id"], line["seed"]


def _keys(line: JsonMapping) -> set[tuple[str, int, int]]:
    return {(line["task_id"], trial, line["seed"]) for trial in line["trials"]}
