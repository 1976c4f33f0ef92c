"""Checksums of what is saved, so that damage is told and never read as if it had been written.

- A line of JSON ends with the checksum of all that stands before it: `sealed`, `is_unchanged`, `check_line`.
- ``SHA256SUMS``, which ``sha256sum -c`` reads too, names the finished files of a folder: `note`, `forget`,
  `check`. It tells lines that are gone or moved, which are whole in themselves. Who writes a file forgets it
  first, and notes it at the end; meanwhile, and after a kill, the lines alone are checked.
- A row of a store has one beside it: `of_row`.

What earlier versions wrote lacks some of these, and is taken as it is: lines without ``sha256`` (trajectories
before version 3, verdicts before version 2), files that no ``SHA256SUMS`` names, rows without a tag.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stb_env.core.files import lock, write_json, write_text
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError

SUMS = "SHA256SUMS"
_LINE = re.compile(r"^([0-9a-f]{64}) [ *](.+)$", re.MULTILINE)
_SUM = ', "sha256": "'
_SEAL = re.compile(rb', "sha256": "([0-9a-f]{64})"}$')


def sealed(text: str) -> str:
    """Return the JSON of an object with a checksum at its end, of all that stands before it.

    Examples:
        >>> sealed('{"version": 3}')[:40]
        '{"version": 3, "sha256": "d916c65e2a446e'
    """
    return f'{text[:-1]}{_SUM}{_digest(text)}"}}'


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_unchanged(line: str) -> bool:
    """Return whether the checksum at the end of a line is that of what stands before it."""
    text, _, rest = line.rstrip("\n").rpartition(_SUM)
    return rest == f'{_digest(text + "}")}"}}'


def seal_of(line: bytes) -> str:
    """Return the checksum at the end of a line, without its line break; empty where it has none.

    Examples:
        >>> seal_of(sealed('{"version": 3}').encode())[:8], seal_of(b"{}")
        ('d916c65e', '')
    """
    found = _SEAL.search(line)
    return found[1].decode() if found else ""


def check_line(line: str, data: JsonMapping) -> None:
    """Raise `DataError` where a line has a checksum that is not that of what stands before it.

    Args:
        line: The line.
        data: What it says.

    Examples:
        >>> check_line('{"n": 1}', {"n": 1})
        >>> check_line('{"n": 1, "sha256": "d9"}', {"n": 1, "sha256": "d9"})  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: changed since it was written (its sha256 differs); put back ...
    """
    if "sha256" in data and not is_unchanged(line):
        raise DataError("changed since it was written (its sha256 differs); put back the file that was there")


def of_row(key: str, value: str) -> int:
    """Return the checksum of a row: it tells a changed text, and one that stands under another's key."""
    return zlib.crc32(value.encode(), zlib.crc32(key.encode()))


def note(folder: Path, *names: str) -> None:
    r"""Note the checksums of files of a folder, which are finished; those that are not there have none.

    Examples:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "lines").write_text("one\n")
        >>> note(folder, "lines", "absent")
        >>> check(folder / "lines")
        >>> _ = (folder / "lines").write_text("")
        >>> check(folder / "lines")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: .../lines was changed since it was finished: its sha256 is e3b0c...
    """
    with _alone(folder):
        there = {name: _digest_of(folder / name) for name in names}
        _write(folder, _noted(folder) | {name: digest for name, digest in there.items() if digest})


def forget(folder: Path, *names: str) -> None:
    """Forget the checksums of files, before they are written to."""
    with _alone(folder):
        noted = _noted(folder)
        if not noted.keys().isdisjoint(names):
            _write(folder, {name: digest for name, digest in noted.items() if name not in names})


def write_noted(file: Path, value: object, *, sort_keys: bool = True) -> None:
    """Replace a JSON file and note its checksum; see `stb_env.core.files.write_json`."""
    forget(file.parent, file.name)
    write_json(file, value, sort_keys=sort_keys)
    note(file.parent, file.name)


def check(file: Path) -> None:
    """Compare a file with the checksum that its folder has of it, if any.

    Raises:
        DataError: It was changed since it was noted, or is gone.
    """
    noted = _noted(file.parent).get(file.name)
    if noted is None:
        return
    found = _digest_of(file)
    # Who writes to a file forgets it first: its checksum may have become another meanwhile.
    if found != noted and noted == _noted(file.parent).get(file.name):
        what = f"changed since it was finished: its sha256 is {found[:12]}" if found else "deleted"
        raise DataError(
            f"{file} was {what}, and {SUMS} beside it says {noted[:12]}; lines may be missing, moved or "
            f"repeated: put back the file that was there, or delete {SUMS} to take it as it is"
        )


def _digest_of(file: Path) -> str:
    try:
        with file.open("rb") as data:
            return hashlib.file_digest(data, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def _noted(folder: Path) -> dict[str, str]:
    try:
        text = (folder / SUMS).read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {name: digest for digest, name in _LINE.findall(text)}


def _write(folder: Path, noted: dict[str, str]) -> None:
    write_text(folder / SUMS, "".join(f"{digest}  {name}\n" for name, digest in sorted(noted.items())))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process note or forget at the same time."""
    if os.name != "posix":
        # Folders cannot be opened there.
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        lock(handle)
        yield
    finally:
        os.close(handle)
