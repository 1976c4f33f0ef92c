"""How far an import has come, so that the same command goes on where a killed one stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from stb_env.files import write_json
from stb_env.jsontypes import JsonObject

FILE = "import.json"


class ImportProgress:
    """The files whose calls are stored, and the counts at that point.

    Args:
        folder: The cache folder; None keeps nothing.
        command: What is imported and how; another command begins anew.

    Examples:
        >>> progress = ImportProgress(None, {"source": "answers"})
        >>> progress.resume([])
        (0, None)
    """

    def __init__(self, folder: Path | None, command: JsonObject) -> None:
        self._file = None if folder is None else folder / FILE
        self._command = command
        self._seen = hashlib.sha256()

    def resume(self, files: Iterable[Path]) -> tuple[int, JsonObject | None]:
        """Return how many of the files, in their order, are done, and the counts at that point.

        Where one of them has changed since, none counts as done.
        """
        noted = self._read()
        if noted.get("command") != self._command:
            return 0, None
        done = int(noted["done"])
        for file in islice(files, done):
            self.add(file)
        if self._seen.hexdigest() == noted["seen"]:
            return done, noted["counts"]
        self._seen = hashlib.sha256()
        return 0, None

    def add(self, file: Path) -> None:
        """Note a file as read."""
        status = file.stat()
        self._seen.update(
            f"{file}\0{status.st_size}\0{status.st_mtime_ns}\n".encode(errors="surrogateescape")
        )

    def save(self, done: int, counts: JsonObject) -> None:
        """Note that the calls of so many files are stored."""
        if self._file is not None and self._file.parent.is_dir():
            seen = self._seen.hexdigest()
            write_json(self._file, {"command": self._command, "done": done, "seen": seen, "counts": counts})

    def finish(self) -> None:
        """Forget it all: the import is done."""
        if self._file is not None:
            self._file.unlink(missing_ok=True)

    def _read(self) -> JsonObject:
        try:
            data = json.loads(self._file.read_text()) if self._file is not None else {}
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}
