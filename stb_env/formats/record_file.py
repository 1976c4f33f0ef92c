"""Files of records, written a record at a time: JSON lines, Parquet, or a folder of ``datasets``."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, Protocol

from stb_env.core import jsontext
from stb_env.core.checksums import sealed
from stb_env.core.jsontypes import JsonObject
from stb_env.errors import ConfigError
from stb_env.formats.columns import pyarrow, row, schema
from stb_env.formats.surrogates import replaced

Container = Literal["jsonl", "parquet", "datasets"]
"""What holds records: JSON lines, Parquet files, or what ``datasets.load_from_disk`` loads."""

_BATCH = 512


class Part(NamedTuple):
    """A part of an export as written.

    Attributes:
        rows: Number of records.
        sha256: Hex digest over the records as JSON lines, so the same in every container.
        replaced: Texts in which lone surrogates became U+FFFD.
        longest: Characters of the longest record that a chat template renders, as JSON: messages and tools,
            of a pair with the longer way on.
    """

    rows: int
    sha256: str
    replaced: int = 0
    longest: int = 0


class RecordFile(Protocol):
    """A file that takes records."""

    def write(self, record: Mapping[str, object], line: str) -> None:
        """Add a record, given as JSON too."""

    def close(self) -> None:
        """Finish it."""


class JsonLines:
    """Records as JSON lines.

    Args:
        file: The file; made anew.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.open("w", encoding="utf-8", newline="\n")

    def write(self, record: Mapping[str, object], line: str) -> None:
        """Add a record."""
        del record
        self._file.write(line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Parquet:
    """Records as Parquet, with the columns of their kind; a few hundred are in memory at a time.

    Args:
        file: The file; made anew.
        kind: What the records are; see `stb_env.formats.columns.COLUMNS`.

    Raises:
        ConfigError: pyarrow is not installed.
    """

    def __init__(self, file: Path, kind: str) -> None:
        self._kind, self._arrow, self._schema = kind, pyarrow(), schema(kind)
        parquet = importlib.import_module("pyarrow.parquet")
        self._writer = parquet.ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[JsonObject] = []

    def write(self, record: Mapping[str, object], line: str) -> None:
        """Add a record."""
        del line
        self._rows.append(row(self._kind, record))
        if len(self._rows) == _BATCH:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the file's end."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            table = self._arrow.Table.from_pylist(self._rows, schema=schema(self._kind, json="string"))
            self._writer.write_table(table.cast(self._schema))
            self._rows = []


def write_records(
    records: Iterable[tuple[str, Mapping[str, object]]], folder: Path, kind: str, into: Container
) -> dict[str, Part]:
    """Write records to the files of a folder, one for each part that has any, without lone surrogates.

    Args:
        records: Each with the name of its part.
        folder: An empty folder.
        kind: What the records are; see `stb_env.formats.columns.COLUMNS`.
        into: What holds them.

    Returns:
        The parts by name, in order of their names.

    Raises:
        ConfigError: A package that the container needs is not installed.
    """
    if into != "datasets":
        return _write(records, folder, kind, into)
    datasets = _datasets()
    with TemporaryDirectory() as scratch:
        parts = _write(records, Path(scratch), kind, "parquet")
        if parts:
            _save(datasets, {name: Path(scratch) / f"{name}.parquet" for name in parts}, folder, scratch)
    return parts


def _write(
    records: Iterable[tuple[str, Mapping[str, object]]], folder: Path, kind: str, into: Container
) -> dict[str, Part]:
    files: dict[str, RecordFile] = {}
    rows: dict[str, int] = {}
    changes: dict[str, int] = {}
    longest: dict[str, int] = {}
    digests: dict[str, Any] = {}
    with ExitStack() as stack:
        for name, record in records:
            if name not in files:
                file = folder / f"{name}.{into}"
                files[name] = JsonLines(file) if into == "jsonl" else Parquet(file, kind)
                stack.callback(files[name].close)
                rows[name], changes[name], digests[name], longest[name] = 0, 0, hashlib.sha256(), 0
            line = jsontext.dumps(record)
            written, changed = replaced(record, line)
            line = jsontext.dumps(written) if changed else line
            line = f"{sealed(line) if kind == 'trajectories' else line}\n"
            files[name].write(written, line)
            rows[name] += 1
            changes[name] += changed
            digests[name].update(line.encode())
            longest[name] = max(longest[name], _rendered(kind, record))
    return {
        name: Part(rows[name], digests[name].hexdigest(), changes[name], longest[name])
        for name in sorted(files)
    }


def _rendered(kind: str, record: Mapping[str, object]) -> int:
    """Return how many characters of a record a chat template renders, as JSON."""
    if kind not in _RENDERED:
        return 0
    always, ways = _RENDERED[kind]
    length = {name: len(jsontext.dumps(record[name])) for name in ("tools", always, *ways)}
    return length["tools"] + length[always] + max((length[way] for way in ways), default=0)


_RENDERED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "sft": ("messages", ()),
    "preferences": ("prompt", ("chosen", "rejected")),
    "kto": ("prompt", ("completion",)),
}


def _datasets() -> object:
    try:
        return importlib.import_module("datasets")
    except ImportError as error:
        raise ConfigError("a dataset folder needs datasets: pip install 'stb-env[datasets]'") from error


def _save(datasets: Any, files: Mapping[str, Path], folder: Path, scratch: str) -> None:
    loaded = {
        name: datasets.Dataset.from_parquet(str(file), cache_dir=scratch) for name, file in files.items()
    }
    datasets.DatasetDict(loaded).save_to_disk(folder)
