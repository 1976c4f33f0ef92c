"""Writing that loses nothing: durable appends and atomic replacement."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

from stb_env.errors import ConfigError

try:
    import fcntl
except ImportError:  # Windows has no flock; there two writers are the user's to avoid.
    fcntl = None  # type: ignore[assignment] # absent module

_BLOCK = 65_536


def write_text(file: Path, text: str) -> None:
    """Replace a text file atomically: readers see the old one or the new one, never half of it.

    Args:
        file: The file; its folder must exist.
        text: Its whole content, whose line breaks stay as they are.
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    with draft.open("w", encoding="utf-8", newline="\n") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)


def write_json(file: Path, value: Any, *, sort_keys: bool = True) -> None:
    """Replace a JSON file atomically; see `write_text`.

    Args:
        file: The file; its folder must exist.
        value: Any JSON value.
        sort_keys: Whether objects are written in order of their keys.
    """
    write_text(file, json.dumps(value, indent=2, sort_keys=sort_keys) + "\n")


class LineWriter:
    """Appends lines to a file, each flushed to disk before the next: what was written is never lost.

    Opening cuts off a torn last line, which a killed process may have left.

    Args:
        path: The file; made where it does not exist.

    Raises:
        ConfigError: Another process has it open for writing (checked where the system can lock files).
    """

    def __init__(self, path: str | Path) -> None:
        self._file = open(path, "a+b")  # noqa: SIM115 (closed by close)
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                self._file.close()
                raise ConfigError(
                    f"another process is writing to {path}; wait for it or name another"
                ) from error
        size = self._file.seek(0, os.SEEK_END)
        end = self._end_of_last_line(size)
        if end < size:
            self._file.truncate(end)

    def _end_of_last_line(self, size: int) -> int:
        end = size
        while end > 0:
            start = max(0, end - _BLOCK)
            self._file.seek(start)
            found = self._file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def write(self, line: str) -> None:
        """Append one line and wait until it is on disk."""
        self._file.write(line.encode("utf-8") + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
