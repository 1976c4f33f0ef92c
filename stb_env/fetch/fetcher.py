"""Fetching a data set into a folder: every file checked, replaced in one step, and recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from stb_env.core.files import LineWriter
from stb_env.fetch.archive import unpack, unpacked_folder
from stb_env.fetch.download import Digest, Download, Progress, Version, digest
from stb_env.fetch.failure import FetchError
from stb_env.fetch.record import FileRecord, PartRecord, Record
from stb_env.fetch.repository import RemoteFile, list_files
from stb_env.fetch.sources import Part, Sources

Status = Literal["fetched", "kept"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome for one file.

    Attributes:
        file: Path below the data folder.
        status: ``fetched`` now, or ``kept`` because it is what was recorded.
        size: Its size in bytes.
        sha256: Its SHA-256.
        recorded: Whether its hash was recorded just now, because none was known.
    """

    file: str
    status: Status
    size: int
    sha256: str
    recorded: bool


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of a fetch.

    Attributes:
        dataset: The data set.
        folder: The data folder.
        commits: Commit of each part; empty for a single file.
        files: What became of each file.
        unpacked: Folders that archives were unpacked to, now or before.
    """

    dataset: str
    folder: Path
    commits: dict[str, str]
    files: tuple[Outcome, ...]
    unpacked: tuple[Path, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain data."""
        return {
            "dataset": self.dataset,
            "folder": str(self.folder),
            "commits": dict(self.commits),
            "files": [asdict(outcome) for outcome in self.files],
            "unpacked": [str(folder) for folder in self.unpacked],
        }


class Fetcher:
    """Fetches data sets into a folder.

    What is fetched first is recorded in ``fetched.json``: the commit of each repository, and size and hash of
    each file. From then on files come from that commit, and one that differs from its record is refused.
    A file that is what was recorded is not fetched again.

    Args:
        sources: Where data sets lie.
        folder: The data folder; made where it does not exist.
        progress: Told what is worked on, how many bytes of it are done, and of how many.
    """

    def __init__(self, sources: Sources, folder: Path, progress: Progress | None = None) -> None:
        self._sources = sources
        self._folder = folder
        self._progress: Progress = progress or _quiet

    def fetch(self, dataset: str, only: Iterable[str] = ()) -> Report:
        """Fetch the parts of a data set.

        Args:
            dataset: Its name.
            only: Names of parts; all that are not optional where empty.

        Raises:
            ConfigError: There is no such data set or part, or another process is fetching into the folder.
            DataError: The folder's record cannot be read.
            FetchError: Something could not be fetched, or is not what it must be. What was fetched before
                is kept, and the same call goes on from there.
        """
        parts = self._sources.choose(dataset, only)
        try:
            with self._alone():
                record = Record(self._folder)
                done = [_PartFetch(part, self._folder, record, self._progress) for part in parts]
                files = tuple(outcome for each in done for outcome in each.run(self._sources.endpoints))
                unpacked = tuple(folder for each in done for folder in each.unpack())
                commits = {part.name: record.parts[part.key].commit for part in parts}
        except OSError as error:
            raise FetchError(f"cannot write to {self._folder}: {error}") from error
        return Report(dataset, self._folder, commits, files, unpacked)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        # Held open and never written to: two fetches into one folder would spoil each other's files.
        held = LineWriter(self._folder / ".fetching")
        try:
            yield
        finally:
            held.close()


class _PartFetch:
    """One part of a data set on its way into a folder."""

    def __init__(self, part: Part, folder: Path, record: Record, progress: Progress) -> None:
        self._part = part
        self._folder = folder
        self._record = record
        self._progress = progress

    def run(self, endpoints: Mapping[str, str]) -> list[Outcome]:
        known = self._known()
        kept = [self._kept(name) for name in known.files] if known else []
        if known and all(kept):
            return [outcome for outcome in kept if outcome]
        listing = list_files(self._part, endpoints, known.commit if known else "")
        names = tuple(file.target for file in listing.files)
        self._record.put_part(self._part.key, PartRecord(self._part.origin, listing.commit, names))
        intact = {outcome.file: outcome for outcome in kept if outcome}
        return [intact.get(file.target) or self._fetch(file, listing.commit) for file in listing.files]

    def unpack(self) -> list[Path]:
        """Unpack the part's archives where that was not done; return all folders of unpacked ones."""
        if not self._part.unpack:
            return []
        names = self._record.parts[self._part.key].files
        pairs = [(name, folder) for name in names if (folder := unpacked_folder(self._folder / name))]
        for name, folder in pairs:
            known = self._record.files[name]
            if known.unpacked and folder.is_dir():
                continue
            self._check_free(name, folder, names)
            unpack(self._folder / name, folder, progress=partial(self._progress, f"unpacking {name}"))
            self._record.put_file(name, replace(known, unpacked=True))
        return [folder for _, folder in pairs]

    def _known(self) -> PartRecord | None:
        known = self._record.parts.get(self._part.key)
        if known is None:
            return None
        for what, there, now in (
            ("place", known.origin, self._part.origin),
            ("commit", known.commit, self._part.commit or known.commit),
        ):
            if there != now:
                raise FetchError(
                    f"{self._part.key} was fetched into {self._folder} from another {what} (there {there}, "
                    f"now {now}); fetch into another --folder"
                )
        return known

    def _kept(self, name: str) -> Outcome | None:
        """Return the outcome of a file that is what was recorded, or None."""
        known, file = self._record.files.get(name), self._folder / name
        if known is None or not file.is_file() or file.stat().st_size != known.size:
            return None
        found = digest(file, partial(self._progress, f"checking {name}"))
        if found.sha256 != known.sha256 or self._part.sha256 not in ("", known.sha256):
            return None
        return Outcome(name, "kept", known.size, known.sha256, recorded=False)

    def _fetch(self, remote: RemoteFile, commit: str) -> Outcome:
        target = self._folder / remote.target
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f".{target.name}.part")
        download = Download(remote.url, part, remote.size, partial(self._progress, remote.target))
        version = download.run()
        found = digest(part, partial(self._progress, f"checking {remote.target}"))
        known = self._record.files.get(remote.target)
        try:
            _check(remote, known, found, version)
        except FetchError:
            # What is wrong must not be gone on with.
            download.discard()
            raise
        if known is None:
            self._record.put_file(remote.target, _record(remote, found, version, commit))
        download.finish(target)
        return Outcome(remote.target, "fetched", found.size, found.sha256, recorded=known is None)

    def _check_free(self, name: str, folder: Path, names: Iterable[str]) -> None:
        inside = folder.relative_to(self._folder).as_posix() + "/"
        if any(other.startswith(inside) for other in names):
            raise FetchError(f"{name} cannot be unpacked to {folder}: other files of the data set lie there")


def _quiet(name: str, done: int, size: int | None) -> None:
    del name, done, size


def _check(remote: RemoteFile, known: FileRecord | None, found: Digest, version: Version) -> None:
    where = f"{remote.target}: {remote.url} does not bring what it should"
    expected: list[tuple[str, Any, Any]] = [
        ("bytes", remote.size, found.size),
        ("SHA-256", remote.sha256, found.sha256),
        ("Git blob", remote.blob, found.blob),
    ]
    for what, wanted, got in expected:
        if wanted not in (None, "", got):
            raise FetchError(f"{where}: expected {what} {wanted}, got {got}; what was there before is kept")
    if known is not None and known.sha256 != found.sha256:
        then = f"recorded on {known.date}, commit {known.commit or '?'}, ETag {known.etag or '?'}"
        now = f"commit {version.commit or '?'}, ETag {version.etag or '?'}"
        raise FetchError(
            f"{remote.target} has changed: expected SHA-256 {known.sha256} ({then}), got {found.sha256} "
            f"({now}); what was there before is kept. To take the new version, fetch into another --folder"
        )


def _record(remote: RemoteFile, found: Digest, version: Version, commit: str) -> FileRecord:
    return FileRecord(
        url=remote.url,
        sha256=found.sha256,
        size=found.size,
        etag=version.etag,
        commit=commit or version.commit,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )
