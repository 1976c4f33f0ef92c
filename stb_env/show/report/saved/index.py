"""Index of the lines of a growing file, so that any one of them is read without the others."""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import BinaryIO


class LineIndex:
    r"""Offsets of the whole lines of a file, kept up to date while somebody appends to it.

    A last line without an end is still being written, and is none yet. Where the file was replaced or cut,
    every line is indexed anew and `generation` grows.

    Args:
        file: The file; it may come later.

    Examples:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "lines"
        >>> _ = file.write_bytes(b"one\ntwo\nthr")
        >>> index = LineIndex(file)
        >>> index.refresh(), index.read(1)
        (2, b'two')
        >>> with file.open("ab") as more:
        ...     _ = more.write(b"ee\n")
        >>> index.refresh(), index.read(2), index.generation
        (3, b'three', 0)
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.generation = 0
        self._inode: tuple[int, int] | None = None
        self._last = b""
        self._ends: list[int] = []

    def __len__(self) -> int:
        return len(self._ends)

    def refresh(self) -> int:
        """Look for what was appended, and return how many lines there are."""
        try:
            lines = self.file.open("rb")
        except FileNotFoundError:
            self._begin(None)
            return 0
        with lines:
            status = os.fstat(lines.fileno())
            inode = (status.st_dev, status.st_ino)
            if inode != self._inode or status.st_size < self._end or not self._is_same(lines):
                self._begin(inode)
            if status.st_size > self._end:
                with mmap.mmap(lines.fileno(), status.st_size, access=mmap.ACCESS_READ) as text:
                    at = self._end
                    while (at := text.find(b"\n", at) + 1) > 0:
                        self._ends.append(at)
                    self._last = text[self._ends[-2] if len(self) > 1 else 0 : self._end]
        return len(self._ends)

    def read(self, number: int) -> bytes:
        """Return a line without its end.

        Args:
            number: Its place, from 0.

        Raises:
            IndexError: There is no such line.
        """
        if not 0 <= number < len(self._ends):
            raise IndexError(number)
        return self.read_all(number, number + 1)[0]

    def read_all(self, first: int, stop: int) -> list[bytes]:
        """Return neighbouring lines, read at one go.

        Args:
            first: The first one's place, from 0.
            stop: The place behind the last one.
        """
        ends = self._ends[first:stop]
        if not ends:
            return []
        begin = self._ends[first - 1] if first else 0
        with self.file.open("rb") as lines:
            lines.seek(begin)
            block = lines.read(ends[-1] - begin)
        begins = [begin, *ends[:-1]]
        return [block[start - begin : end - begin - 1] for start, end in zip(begins, ends, strict=True)]

    def _is_same(self, lines: BinaryIO) -> bool:
        """Return whether the last line stands where it stood: a new file may get an old one's inode."""
        lines.seek(self._end - len(self._last))
        return lines.read(len(self._last)) == self._last

    @property
    def _end(self) -> int:
        return self._ends[-1] if self._ends else 0

    def _begin(self, inode: tuple[int, int] | None) -> None:
        if self._inode is not None:
            self.generation += 1
        self._inode, self._ends, self._last = inode, [], b""
