"""Writing that loses nothing: durable appends and atomic replacement."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

from stb_env.errors import ConfigError, StorageError

try:
    import fcntl
except ImportError:  # Windows has no flock; there two writers are the user's to avoid.
    fcntl = None  # type: ignore[assignment] # absent module

_BLOCK = 65_536
_LONG_AGO = 600.0


def make_folder(folder: Path) -> None:
    """Make a folder with its parents; one that is there already will do.

    Raises:
        ConfigError: A file stands in its place, or the system does not allow it.
        StorageError: The disk is full.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise ConfigError(f"{folder} cannot be a folder: a file stands in its place; name another") from error
    except PermissionError as error:
        raise ConfigError(f"cannot make the folder {folder}: {error.strerror}; name another") from error
    except OSError as error:
        raise _refused(folder, error) from error


def lock(handle: int) -> None:
    """Wait until no other process has a file or folder locked, and lock it until the handle is closed.

    Where the system or the file system cannot lock, it does nothing.
    """
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def _storing(file: Path) -> Iterator[None]:
    """Turn what the system refuses into one line about the file that it was refused for."""
    try:
        yield
    except OSError as error:
        raise _refused(file, error) from error


def _refused(path: Path, error: OSError) -> StorageError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    advice = "free space" if full else "make its folder writable again"
    return StorageError(f"cannot write {path}: {error.strerror}; {advice}, and the same command goes on")


def write_text(file: Path, text: str) -> None:
    """Replace a text file atomically: readers see the old one or the new one, never half of it.

    Args:
        file: The file; its folder must exist.
        text: Its whole content, whose line breaks stay as they are.

    Raises:
        StorageError: The system refuses; the old file is whole.
    """
    _replace(file, [text])


def write_lines(file: Path, lines: Iterable[str]) -> None:
    """Replace a file of lines atomically, with one of them in memory at a time; see `write_text`.

    Args:
        file: The file; its folder must exist. The lines may be read from it.
        lines: Its lines, without their ends.
    """
    _replace(file, (f"{line}\n" for line in lines))


def _replace(file: Path, parts: Iterable[str]) -> None:
    draft = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    with _storing(file):
        try:
            with draft.open("w", encoding="utf-8", newline="\n") as out:
                for part in parts:
                    out.write(part)
                out.flush()
                os.fsync(out.fileno())
            draft.replace(file)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
        _sync_folder(file.parent)


def sweep_drafts(file: Path) -> int:
    """Delete the drafts of a text file that killed processes left behind, and return how many there were.

    Args:
        file: The file that was to be replaced.
    """
    swept = 0
    for draft in file.parent.glob(f".{file.name}.*.*"):
        process = draft.name.removeprefix(f".{file.name}.").partition(".")[0]
        with suppress(OSError):
            # A process of another machine may share the folder: none takes so long to write a file.
            if (
                process.isdecimal()
                and not _lives(int(process))
                and draft.stat().st_mtime < time() - _LONG_AGO
            ):
                draft.unlink()
                swept += 1
    return swept


def _lives(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


def _sync_folder(folder: Path) -> None:
    """Wait until a folder's entries are on disk: without that, a crash could bring an old file back."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        # Some network file systems know no such thing.
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def write_json(file: Path, value: object, *, sort_keys: bool = True) -> None:
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
        StorageError: It cannot be opened for writing.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        with _storing(self._path):
            # Without a buffer, so that a line which the disk refused is not tried again at closing.
            self._file = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed by close)
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

    def write(self, line: str) -> int:
        """Append a line, or several with line breaks between them, and wait until all are on disk.

        Returns:
            Where they begin, in bytes.

        Raises:
            StorageError: The disk is full, or the file was deleted; no part of it is left.
        """
        end = self._file.seek(0, os.SEEK_END)
        with _storing(self._path):
            try:
                self._append(line.encode("utf-8") + b"\n")
                os.fsync(self._file.fileno())
            except BaseException:
                # Who interrupts a write saves the line again: left here, it would stand twice.
                with suppress(OSError):
                    self._file.truncate(end)
                raise
        if not os.fstat(self._file.fileno()).st_nlink:
            raise StorageError(
                f"{self._path} was deleted while it was written to; what it held is gone with it"
            )
        return end

    def _append(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            # A disk that is nearly full takes a part.
            rest = rest[self._file.write(rest) :]

    def close(self) -> None:
        """Close the file."""
        self._file.close()
