"""A file of lines on episodes of which memory holds no more than where each line stands."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stb_env.core.files import LineWriter, write_lines
from stb_env.trajectory import Key


class EpisodeFile:
    """Appends lines on episodes to a file, each on disk before the next, and reads any of them again.

    Args:
        path: The file; made with the first line where it does not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: LineWriter | None = None
        self._lines: dict[Key, tuple[int, int]] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._lines

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def keys(self) -> list[Key]:
        """Episodes in the order of their lines."""
        return list(self._lines)

    def open(self) -> None:
        """Open it for writing, so that no other process may.

        Raises:
            ConfigError: Another process has it open.
        """
        if self._writer is None:
            self._writer = LineWriter(self.path)

    def note(self, key: Key, begin: int, length: int) -> None:
        """Take note of a line that stands there: the last one on an episode counts.

        Args:
            key: The episode.
            begin: Where the line begins, in bytes.
            length: Its bytes, without its end.
        """
        # Behind all others, where it has a line already.
        self._lines.pop(key, None)
        self._lines[key] = (begin, length)

    def append(self, lines: Iterable[tuple[Key, str]]) -> None:
        """Append lines at one go; all of them are on disk before this returns, or none.

        Raises:
            StorageError: The disk refuses them.
        """
        lines = list(lines)
        if not lines:
            return
        self.open()
        assert self._writer is not None  # noqa: S101 (narrows the type)
        begin = self._writer.write("\n".join(text for _, text in lines))
        for key, text in lines:
            length = len(text.encode("utf-8"))
            self.note(key, begin, length)
            begin += length + 1

    def read(self, key: Key) -> str:
        """Return the line of an episode."""
        begin, length = self._lines[key]
        with self.path.open("rb") as file:
            file.seek(begin)
            return file.read(length).decode("utf-8")

    def clear(self) -> None:
        """Forget where lines stand."""
        self._lines = {}

    def cut(self, count: int) -> None:
        """Keep the first lines alone."""
        kept = self.keys[:count]
        begin, length = self._lines[kept[-1]] if kept else (0, -1)
        self.close()
        os.truncate(self.path, begin + length + 1)
        self._lines = {key: self._lines[key] for key in kept}
        self.open()

    def replace(self, keys: Iterable[Key], other: EpisodeFile, more: Iterable[Key]) -> None:
        """Keep some lines and add some of another file, in one act; a file without lines is removed.

        Raises:
            StorageError: The disk refuses it; the old file is whole.
        """
        kept = [(self, key) for key in keys] + [(other, key) for key in more]
        if kept:
            write_lines(self.path, (file.read(key) for file, key in kept))
        self.close()
        if not kept:
            with suppress(FileNotFoundError):
                self.path.unlink()
        lengths = [(key, file._lines[key][1]) for file, key in kept]
        self._lines, begin = {}, 0
        for key, length in lengths:
            self.note(key, begin, length)
            begin += length + 1

    def close(self) -> None:
        """Close it."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
