"""The files of a part as its host lists them, at one commit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from stb_env.core.jsontypes import JsonMapping
from stb_env.fetch.failure import FetchError
from stb_env.fetch.paths import relative
from stb_env.fetch.sources import Part
from stb_env.fetch.web import get_json

_MODES = ("100644", "100755")
_NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file that can be fetched.

    Attributes:
        url: Where it is.
        target: Path below the data folder, with ``/``.
        size: Size in bytes, where the host or the list of sources says so.
        sha256: Its SHA-256, where they say so.
        blob: The name that Git gives its content, where the host says so.
    """

    url: str
    target: str
    size: int | None = None
    sha256: str = ""
    blob: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a part.

    Attributes:
        commit: Commit that they are of; empty for a single file.
        files: The files in order of their paths.
    """

    commit: str
    files: tuple[RemoteFile, ...]


def list_files(part: Part, endpoints: Mapping[str, str], commit: str = "") -> Listing:
    """List the files of a part.

    Args:
        part: The part.
        endpoints: Base URL of each host.
        commit: The commit to list; the one that the part's revision stands at where empty.

    Raises:
        FetchError: The host cannot be reached, or what it says is not understood.
    """
    if part.url:
        target = f"{part.dataset}/{part.target}"
        return Listing("", (RemoteFile(part.url, target, part.size, part.sha256),))
    lister = _huggingface if part.huggingface else _github
    try:
        commit = commit or part.commit
        commit, files = lister(part, endpoints, commit)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise FetchError(f"{part.origin} was listed in a form that is not understood ({error!r})") from error
    if not files:
        raise FetchError(f"{part.origin} has no files at commit {commit}; see its homepage (--list)")
    return Listing(commit, tuple(sorted(files, key=lambda file: file.target)))


def _huggingface(part: Part, endpoints: Mapping[str, str], commit: str) -> tuple[str, list[RemoteFile]]:
    base, repository = endpoints["huggingface"], part.huggingface
    api = f"{base}/api/datasets/{repository}"
    commit = commit or _checked_commit(get_json(f"{api}/revision/{quote(part.revision, safe='')}")[0]["sha"])
    files = []
    for entry in _pages(f"{api}/tree/{commit}?recursive=true"):
        inside = _inside(part, str(entry["path"])) if entry["type"] == "file" else None
        if inside is not None:
            large = entry.get("lfs") or {}
            url = f"{base}/datasets/{repository}/resolve/{commit}/{quote(entry['path'])}"
            blob = "" if large else str(entry["oid"])
            sha256 = str(large.get("oid", ""))
            files.append(RemoteFile(url, _target(part, inside), int(entry["size"]), sha256, blob))
    return commit, files


def _pages(url: str | None) -> Iterator[JsonMapping]:
    while url:
        entries, headers = get_json(url)
        yield from entries
        following = _NEXT.search(headers.get("link", ""))
        url = following[1] if following and following[1].startswith(("https://", "http://")) else None


def _github(part: Part, endpoints: Mapping[str, str], commit: str) -> tuple[str, list[RemoteFile]]:
    api, raw = f"{endpoints['github_api']}/repos/{part.github}", f"{endpoints['github_raw']}/{part.github}"
    commit = commit or _checked_commit(get_json(f"{api}/commits/{quote(part.revision, safe='')}")[0]["sha"])
    tree = commit
    # Folder by folder: the listing of a whole large repository would be cut short.
    for name in PurePosixPath(part.folder).parts:
        below = {entry["path"]: entry["sha"] for entry in _tree(f"{api}/git/trees/{tree}")}
        if name not in below:
            raise FetchError(f"{part.origin} has no folder {name!r} at commit {commit}")
        tree = _checked_commit(below[name])
    files = []
    for entry in _tree(f"{api}/git/trees/{tree}?recursive=1"):
        path = str(PurePosixPath(part.folder, entry["path"]))
        inside = _inside(part, path) if entry["type"] == "blob" and entry["mode"] in _MODES else None
        if inside is not None:
            url = f"{raw}/{commit}/{quote(path)}"
            files.append(RemoteFile(url, _target(part, inside), int(entry["size"]), blob=str(entry["sha"])))
    return commit, files


def _tree(url: str) -> list[JsonMapping]:
    data, _ = get_json(url)
    if data.get("truncated"):
        raise FetchError(f"{url} lists only some of the files; name a smaller folder in the list of sources")
    listed: list[JsonMapping] = data["tree"]
    return listed


def _inside(part: Part, path: str) -> PurePosixPath | None:
    """Return a path as it stands below the part's folder, or None for what is not wanted."""
    safe = relative(path)
    if safe is None:
        raise FetchError(f"{part.origin} lists the unsafe path {path!r}; nothing of it was fetched")
    if part.folder and not safe.is_relative_to(part.folder):
        return None
    below = safe.relative_to(part.folder)
    # Settings of the repository, such as .gitattributes.
    return None if any(name.startswith(".") for name in below.parts) else below


def _target(part: Part, inside: PurePosixPath) -> str:
    return str(PurePosixPath(part.dataset, part.target, inside))


def _checked_commit(value: object) -> str:
    if not isinstance(value, str) or not _COMMIT.fullmatch(value):
        raise ValueError(f"expected a commit of 40 hexadecimal digits, got {value!r}")
    return value
