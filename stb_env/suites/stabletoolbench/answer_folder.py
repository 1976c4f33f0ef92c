"""Folders of answers, raw or converted, as trajectories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from stb_env.core.jsontypes import Json
from stb_env.errors import DataError
from stb_env.formats.imported import Origin
from stb_env.seeding import derive
from stb_env.suites.stabletoolbench.answers import is_answer, read_answer_file, read_json, read_name
from stb_env.suites.stabletoolbench.converted_answers import is_converted, read_entry
from stb_env.suites.stabletoolbench.queries import GROUPS, SUITE
from stb_env.trajectory import Trajectory

Kind = Literal["answers", "converted", "queries"]

_NAMES = {stem: group for group, stem in GROUPS.items()}


@dataclass(slots=True)
class AnswerFolder:
    """The answers at a path: a file, or a folder that is searched with all its folders.

    Where there are answer files, files of converted answers are passed over: they say the same, and less.

    Attributes:
        source: The path.
        strict: Whether the first file that cannot be read ends the reading.
        kinds: Files read so far, by kind; those of no known kind as ``other``.
        problems: Files that could not be read, each with the reason.
    """

    source: Path
    strict: bool = False
    kinds: Counter[str] = field(default_factory=Counter)
    problems: dict[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Trajectory]:
        """Read the answers, file by file in order of their names.

        Raises:
            DataError: A file cannot be read, where reading is strict.
        """
        converted = []
        for file in json_files(self.source):
            value = self._decoded(file)
            kind = kind_of(value) or "other"
            self.kinds[kind] += 1
            if kind == "answers":
                yield from self._read(file, value)
            elif kind == "converted":
                converted.append(file)
        for file in converted if not self.kinds["answers"] else ():
            yield from self._read(file, self._decoded(file))

    def _decoded(self, file: Path) -> object:
        try:
            return read_json(file)
        except DataError as error:
            if self.strict:
                raise
            self.problems.setdefault(str(file), str(error))
            return None

    def _read(self, file: Path, value: Json) -> Iterator[Trajectory]:
        entries = value.items() if kind_of(value) == "converted" else [("", value)]
        for query_id, entry in entries:
            origin = self._origin(file, query_id)
            try:
                yield read_entry(entry, origin) if query_id else read_answer_file(entry, origin)
            except DataError as error:
                if self.strict:
                    raise DataError(f"{file}: {error}") from error
                self.problems.setdefault(str(file), str(error))

    def _origin(self, file: Path, query_id: str) -> Origin:
        stem = file.stem if query_id else file.parent.name
        name = read_name(file.stem)
        known = stem in _NAMES
        where = file.relative_to(self.source if self.source.is_dir() else file.parent)
        return Origin(
            query_id or name.query_id,
            name.method,
            suite=SUITE if known else "ToolLLM",
            group=_NAMES.get(stem, stem),
            seed=derive("imported", where.as_posix() if query_id else where.parent.as_posix(), name.method),
        )


def json_files(source: Path) -> Sequence[Path]:
    """Return the JSON files at a path, in order.

    Raises:
        DataError: There are none.
    """
    files = sorted(source.rglob("*.json")) if source.is_dir() else [source] if source.exists() else []
    if not files:
        raise DataError(f"no JSON file at {source}; name a file or a folder that holds some")
    return files


def kind_of(value: object) -> Kind | None:
    """Return what a decoded file holds, or None where it is nothing that can be imported."""
    if is_answer(value):
        return "answers"
    if is_converted(value):
        return "converted"
    if isinstance(value, list) and any(isinstance(record, dict) and "query" in record for record in value):
        return "queries"
    return None


def find_kind(source: Path) -> Kind | None:
    """Return what the first file of a known kind at a path holds.

    Raises:
        DataError: There is no file.
    """
    for file in json_files(source):
        try:
            kind = kind_of(read_json(file))
        except DataError:
            continue
        if kind is not None:
            return kind
    return None
