"""Unpacking what others packed: nothing outside the folder, no links, within bounds, and all or nothing."""

from __future__ import annotations

import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stb_env.fetch.failure import FetchError
from stb_env.fetch.paths import relative
from stb_env.fetch.web import CHUNK

_SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")
_ALWAYS = 64 * 2**20
"""Bytes that any archive may unpack to: what is small compresses well and does no harm."""

_BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, NotImplementedError)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits on the contents of an archive.

    Attributes:
        files: Most files and folders.
        size: Most bytes of all files together.
        ratio: Most bytes for each byte of the archive, beyond what every archive may unpack to.
    """

    files: int = 2_000_000
    size: int = 256 * 2**30
    ratio: int = 200

    def bytes_of(self, archive: int) -> int:
        """Return the most bytes that an archive of a size may unpack to.

        Examples:
            >>> Bounds(size=10**9).bytes_of(10**6), Bounds(size=10**9).bytes_of(10)
            (200000000, 67108864)
        """
        return min(self.size, max(_ALWAYS, self.ratio * archive))


@dataclass(frozen=True, slots=True)
class _Entry:
    name: str
    kind: str  # file, folder, or what else it is
    open: Callable[[], IO[bytes]]


def unpacked_folder(archive: Path) -> Path | None:
    """Return the folder that an archive is unpacked to, or None for what is no archive by its name.

    Examples:
        >>> unpacked_folder(Path("data/cache.tar.gz")).name, unpacked_folder(Path("README.md"))
        ('cache', None)
    """
    for suffix in _SUFFIXES:
        if archive.name.lower().endswith(suffix) and len(archive.name) > len(suffix):
            return archive.with_name(archive.name[: -len(suffix)])
    return None


def unpack(
    archive: Path,
    folder: Path,
    *,
    bounds: Bounds | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> int:
    """Unpack a zip or tar archive into a folder, which is replaced as a whole or left as it was.

    Args:
        archive: The archive.
        folder: Where its content goes.
        bounds: What it may hold.
        progress: Told the bytes so far, and None for their sum, which only the end tells.

    Returns:
        The number of files.

    Raises:
        FetchError: The archive is broken, holds more than the bounds, or holds something else than files and
            folders that stay inside.
    """
    draft = folder.with_name(f".{folder.name}.unpacking")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        count = _Unpacking(archive.name, draft, bounds or Bounds(), progress).run(archive)
    except _BROKEN as error:
        raise FetchError(f"{archive.name} is broken ({error}); nothing was unpacked") from error
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        raise FetchError(f"{archive.name} holds the same path twice ({error.filename})") from error
    else:
        _replace(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return count


class _Unpacking:
    def __init__(
        self, name: str, draft: Path, bounds: Bounds, progress: Callable[[int, int | None], None] | None
    ) -> None:
        self._name = name
        self._draft = draft
        self._bounds = bounds
        self._progress = progress
        self._written = self._packed = self._most = 0

    def run(self, archive: Path) -> int:
        files = 0
        self._packed = archive.stat().st_size
        self._most = self._bounds.bytes_of(self._packed)
        opened = _zip_entries if archive.name.lower().endswith(".zip") else _tar_entries
        with opened(archive) as entries:
            for number, entry in enumerate(entries, 1):
                if number > self._bounds.files:
                    raise FetchError(f"{self._name} holds more than {self._bounds.files} files and folders")
                target = self._target(entry)
                if entry.kind == "folder":
                    target.mkdir(parents=True, exist_ok=True)
                else:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    self._write(entry, target)
                    files += 1
        return files

    def _target(self, entry: _Entry) -> Path:
        if entry.kind not in ("file", "folder"):
            raise FetchError(f"{self._name} holds a {entry.kind}, {entry.name!r}; nothing was unpacked")
        path = relative(entry.name.rstrip("/"))
        if path is None and not (entry.kind == "folder" and entry.name in (".", "./")):
            raise FetchError(f"{self._name} holds the unsafe path {entry.name!r}; nothing was unpacked")
        return self._draft / (path or "")

    def _write(self, entry: _Entry, target: Path) -> None:
        with entry.open() as content, target.open("xb") as out:
            # Counted as it comes: what an archive says about its own sizes proves nothing.
            while chunk := content.read(CHUNK):
                self._written += len(chunk)
                if self._written > self._most:
                    raise FetchError(
                        f"{self._name} unpacks to more than {self._most} bytes, got {self._packed}; expected "
                        f"at most {self._bounds.ratio} for each of them and {self._bounds.size} in all; "
                        "nothing was unpacked: unpack it by hand if you trust it"
                    )
                out.write(chunk)
        if self._progress is not None:
            self._progress(self._written, None)


@contextmanager
def _zip_entries(archive: Path) -> Iterator[Iterator[_Entry]]:
    with zipfile.ZipFile(archive) as opened:

        def entries() -> Iterator[_Entry]:
            for info in opened.infolist():
                kind = _zip_kind(info)
                yield _Entry(info.filename, kind, lambda info=info: opened.open(info))  # type: ignore[misc] # binds this info

        yield entries()


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "link"
    if info.flag_bits & 1:
        return "file under a password"
    return "folder" if info.is_dir() else "file"


@contextmanager
def _tar_entries(archive: Path) -> Iterator[Iterator[_Entry]]:
    with tarfile.open(archive) as opened:

        def entries() -> Iterator[_Entry]:
            for info in opened:
                yield _Entry(info.name, _tar_kind(info), lambda info=info: _content(opened, info))  # type: ignore[misc] # binds this info

        yield entries()


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.isfile() or info.isdir():
        return "file" if info.isfile() else "folder"
    return "link" if info.issym() or info.islnk() else "special file"


def _content(opened: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    content = opened.extractfile(info)
    if content is None:
        raise tarfile.ReadError(f"{info.name} has no content")
    return content


def _replace(draft: Path, folder: Path) -> None:
    if hasattr(os, "sync"):
        # One wait for all files: a name must not reach the disk before its content.
        os.sync()
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    draft.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
