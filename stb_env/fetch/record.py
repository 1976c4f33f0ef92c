"""``fetched.json``: what was fetched into a folder, and what it must be ever after."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from stb_env.core.files import write_json
from stb_env.errors import DataError

FILE = "fetched.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was when it was first fetched.

    Attributes:
        url: Where it came from.
        sha256: Its SHA-256.
        size: Its size in bytes.
        etag: Entity tag that the server gave it; empty where it gave none.
        commit: Commit of the repository that it came from; empty where nobody said.
        date: When it was first fetched, in UTC.
        unpacked: Whether its content lies unpacked beside it.
    """

    url: str
    sha256: str
    size: int
    etag: str
    commit: str
    date: str
    unpacked: bool = False


@dataclass(frozen=True, slots=True)
class PartRecord:
    """A part of a data set as it was when it was first fetched.

    Attributes:
        origin: Where it came from.
        commit: At which commit; empty for a single file.
        files: Its files, as paths below the folder.
    """

    origin: str
    commit: str
    files: tuple[str, ...]


class Record:
    """The record of a data folder; every change is on disk before the call that makes it returns.

    Args:
        folder: The data folder.

    Raises:
        DataError: There is a record, and it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self.files: dict[str, FileRecord] = {}
        self.parts: dict[str, PartRecord] = {}
        if self._file.is_file():
            self._load()

    def put_file(self, name: str, file: FileRecord) -> None:
        """Record a file."""
        self.files[name] = file
        self._save()

    def put_part(self, name: str, part: PartRecord) -> None:
        """Record a part."""
        self.parts[name] = part
        self._save()

    def _load(self) -> None:
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
            if data["version"] != VERSION:
                raise DataError(f"{self._file} has version {data['version']!r}; this package reads {VERSION}")
            self.files = {name: FileRecord(**entry) for name, entry in data["files"].items()}
            self.parts = {
                name: PartRecord(entry["origin"], entry["commit"], tuple(entry["files"]))
                for name, entry in data["parts"].items()
            }
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DataError(
                f"{self._file} is no record of fetched files ({error!r}); without it nothing tells what they "
                "must be: restore it, or fetch into another --folder"
            ) from error

    def _save(self) -> None:
        parts = {name: asdict(part) for name, part in self.parts.items()}
        files = {name: asdict(file) for name, file in self.files.items()}
        write_json(self._file, {"version": VERSION, "parts": parts, "files": files})
