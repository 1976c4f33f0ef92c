"""One file over HTTP into a ``.part`` beside its target, gone on with where an earlier attempt stopped.

pooch was tried and is not used: it throws away what came before a connection broke, cannot check a file by
the name that Git gives it, which is all that GitHub says of one, and on Python 3.11 unpacks tars unchecked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from stb_env.core.files import write_json
from stb_env.fetch.failure import FetchError
from stb_env.fetch.web import CHUNK, Cut, Response, get

Progress = Callable[[str, int, int | None], None]
"""Told what is worked on, how many bytes of it are done, and of how many."""

_ATTEMPTS = 5
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
_TOTAL = re.compile(r"bytes \*/(\d+)")


@dataclass(frozen=True, slots=True)
class Digest:
    """Identity of a file's content.

    Attributes:
        size: Its size in bytes.
        sha256: Its SHA-256.
        blob: The name that Git gives it.
    """

    size: int
    sha256: str
    blob: str


@dataclass(frozen=True, slots=True)
class Version:
    """Version of a file as the server describes it; empty where the server does not.

    Attributes:
        etag: The entity tag.
        commit: The commit of the repository.
    """

    etag: str = ""
    commit: str = ""


class Download:
    """One file on its way.

    What has come is kept with the server's validator, and only bytes of the same version are put behind it:
    a file is never patched together from two versions.

    Args:
        url: Where it is.
        part: Where it is collected.
        size: Its size in bytes, where that is known.
        progress: Told the bytes so far and the size.
    """

    def __init__(
        self, url: str, part: Path, size: int | None, progress: Callable[[int, int | None], None]
    ) -> None:
        self._url = url
        self._part = part
        self._note = part.with_name(f"{part.name}.json")
        self._size = size
        self._progress = progress

    def run(self) -> Version:
        """Collect the whole file.

        Returns:
            The version that came.

        Raises:
            FetchError: The server cannot be reached, refuses, offers another size, or cuts every connection.
        """
        fruitless = 0
        while fruitless < _ATTEMPTS:
            before = self._have()
            try:
                return self._attempt()
            except Cut as error:
                cut = error
                fruitless = 0 if self._have() > before else fruitless + 1
        raise FetchError(
            f"the connection for {self._url} was cut {_ATTEMPTS} times without bringing more ({cut}); "
            f"{self._have()} bytes are kept: run the same command again to go on from there",
            kind="transport",
            retryable=True,
        )

    def finish(self, target: Path) -> None:
        """Put the file in its place, replacing what was there in one step."""
        self._part.replace(target)
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget what has come."""
        self._part.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def _attempt(self) -> Version:
        validator = self._validator()
        have = self._have() if validator else 0
        headers = {"Range": f"bytes={have}-", "If-Range": validator} if have else {}
        with get(self._url, headers) as response:
            version = Version(response.headers.get("etag", ""), response.headers.get("x-repo-commit", ""))
            if response.status == 416:
                return self._complete(response, have, version)
            start = self._start(response, have, validator)
            whole = None if response.length is None else start + response.length
            self._check_size(whole)
            if start == 0:
                self._begin(_validator_of(response))
            with self._part.open("r+b") as out:
                out.seek(start)
                out.truncate()
                self._copy(response, out, start, self._size or whole)
        return version

    def _validator(self) -> str:
        """Return what must not have changed for the collected bytes to be of use."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            return str(note["validator"]) if note["url"] == self._url and self._part.is_file() else ""
        except (OSError, ValueError, KeyError, TypeError):
            return ""

    def _have(self) -> int:
        return self._part.stat().st_size if self._part.is_file() else 0

    def _begin(self, validator: str) -> None:
        # The old bytes go first, so that they are never taken for bytes of the new version.
        self._part.write_bytes(b"")
        write_json(self._note, {"url": self._url, "validator": validator})

    def _complete(self, response: Response, have: int, version: Version) -> Version:
        found = _TOTAL.fullmatch(response.headers.get("content-range", ""))
        if found and int(found[1]) == have:
            return version
        self.discard()
        raise Cut("the server has fewer bytes than came before")

    def _start(self, response: Response, have: int, validator: str) -> int:
        if response.status != 206:
            return 0
        found = _RANGE.fullmatch(response.headers.get("content-range", ""))
        # Some servers honour Range without looking at If-Range; others leave out what they agreed to.
        if found and int(found[1]) == have and _validator_of(response) in ("", validator):
            return have
        self.discard()
        raise Cut("the server went on with another version or from another place")

    def _check_size(self, whole: int | None) -> None:
        if self._size is not None and whole is not None and whole != self._size:
            self.discard()
            raise FetchError(f"{self._url}: expected {self._size} bytes, the server offers {whole}")

    def _copy(self, response: Response, out: BinaryIO, start: int, size: int | None) -> None:
        done = start
        self._progress(done, size)
        try:
            for chunk in response.chunks():
                out.write(chunk)
                done += len(chunk)
                self._progress(done, size)
                if self._size is not None and done > self._size:
                    raise FetchError(f"{self._url}: expected {self._size} bytes, more came")
        finally:
            out.flush()
            os.fsync(out.fileno())


def _validator_of(response: Response) -> str:
    etag = response.headers.get("etag", "")
    # A weak tag does not promise equal bytes.
    return response.headers.get("last-modified", "") if etag.startswith("W/") or not etag else etag


def digest(file: Path, progress: Callable[[int, int | None], None] | None = None) -> Digest:
    """Read a file and return what identifies its content.

    Args:
        file: The file.
        progress: Told the bytes so far and the size.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "empty")
        ...     _ = file.write_bytes(b"")
        ...     digest(file).blob
        'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    size = file.stat().st_size
    sha256 = hashlib.sha256()
    # Git names content so; it guards against nothing here that SHA-256 does not.
    blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    done = 0
    with file.open("rb") as content:
        while chunk := content.read(CHUNK):
            sha256.update(chunk)
            blob.update(chunk)
            done += len(chunk)
            if progress is not None:
                progress(done, size)
    return Digest(size, sha256.hexdigest(), blob.hexdigest())
