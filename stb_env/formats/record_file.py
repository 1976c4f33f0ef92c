"""Files of records, written a record at a time: JSON lines, Parquet, or a folder of Hugging Face's datasets."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple, Protocol, get_args

from stb_env import jsontext
from stb_env.errors import ConfigError, did_you_mean
from stb_env.formats.columns import pyarrow, row, schema
from stb_env.jsontypes import JsonMapping, JsonObject

Container = Literal["jsonl", "parquet", "datasets"]
"""What holds records: JSON lines, Parquet files, or what ``datasets.load_from_disk`` loads."""

_BATCH = 512


class Part(NamedTuple):
    """A part of an export as written.

    Attributes:
        rows: Number of records.
        sha256: Hex digest over the records as JSON lines, so the same in every container.
    """

    rows: int
    sha256: str


class RecordFile(Protocol):
    """A file that takes records; a context manager, whole when it is left."""

    def __enter__(self) -> RecordFile:
        """Open it."""

    def __exit__(self, *error: object) -> None:
        """Finish it."""

    def write(self, record: JsonMapping, line: str) -> None:
        """Add a record, given as JSON too."""


class JsonLines:
    """Records as JSON lines.

    Args:
        file: The file; made anew.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.open("w", encoding="utf-8", newline="\n")

    def __enter__(self) -> JsonLines:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def write(self, record: JsonMapping, line: str) -> None:
        """Add a record."""
        del record
        self._file.write(line)


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

    def __enter__(self) -> Parquet:
        return self

    def __exit__(self, *error: object) -> None:
        self._flush()
        self._writer.close()

    def write(self, record: JsonMapping, line: str) -> None:
        """Add a record."""
        del line
        self._rows.append(row(self._kind, record))
        if len(self._rows) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []


def container(name: str) -> Container:
    """Return the container of a name.

    Raises:
        ConfigError: There is none of that name.

    Examples:
        >>> container("parket")
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: no container 'parket'; expected jsonl, parquet or datasets. Did you mean 'parquet'?
    """
    known: tuple[Container, ...] = get_args(Container)
    for each in known:
        if each == name:
            return each
    raise ConfigError(
        f"no container {name!r}; expected jsonl, parquet or datasets.{did_you_mean(name, known)}"
    )


def write_records(
    records: Iterable[tuple[str, JsonMapping]], folder: Path, kind: str, into: Container
) -> dict[str, Part]:
    """Write records to the files of a folder, one for each part that has any.

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
        _save(datasets, {name: Path(scratch) / f"{name}.parquet" for name in parts}, folder, scratch)
    return parts


def _write(
    records: Iterable[tuple[str, JsonMapping]], folder: Path, kind: str, into: Container
) -> dict[str, Part]:
    files: dict[str, RecordFile] = {}
    rows: dict[str, int] = {}
    digests: dict[str, Any] = {}
    with ExitStack() as stack:
        for name, record in records:
            if name not in files:
                file = folder / f"{name}.{into}"
                files[name] = stack.enter_context(JsonLines(file) if into == "jsonl" else Parquet(file, kind))
                rows[name], digests[name] = 0, hashlib.sha256()
            line = jsontext.dumps(record) + "\n"
            files[name].write(record, line)
            rows[name] += 1
            digests[name].update(line.encode())
    return {name: Part(rows[name], digests[name].hexdigest()) for name in sorted(files)}


def _datasets() -> Any:
    try:
        return importlib.import_module("datasets")
    except ImportError as error:
        raise ConfigError("a dataset folder needs datasets: pip install 'stb-env[datasets]'") from error


def _save(datasets: Any, files: Mapping[str, Path], folder: Path, scratch: str) -> None:
    if not files:
        raise ConfigError("a dataset of no record cannot be saved; select less strictly")
    loaded = {
        name: datasets.Dataset.from_parquet(str(file), cache_dir=scratch) for name, file in files.items()
    }
    datasets.DatasetDict(loaded).save_to_disk(folder)
