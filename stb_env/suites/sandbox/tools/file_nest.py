"""File Nest: the user's files and folders, with a quota."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from stb_env.backend.world import Row, Table, Tables
from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.content.coming_days import iso_day
from stb_env.suites.sandbox.conventions import PAGE, changed, columns, found, page_of, search
from stb_env.suites.sandbox.params import text
from stb_env.suites.sandbox.registry import Response, ToolDoc, Update

TOOL = ToolDoc("Productivity", "File Nest", "The user's files and folders.")
_FILE = text("file_id", "Id from Search Files or List Folder.", "file-001")
FOLDERS = ("/Work", "/Work/Reports", "/Home", "/Home/Photos")
_STEMS = (
    "agenda", "allotment", "archive", "bicycle", "budget", "chimney", "contract", "expenses", "garden",
    "invoice", "kitchen", "lecture", "map", "passport", "recital", "scan", "survey", "tickets", "warranty",
)  # fmt: skip
_ENDINGS = ("csv", "csv", "jpg", "pdf")
_SPARE_KB = 900


@TOOL.starts_with
def rows(rng: random.Random, _household: int) -> Mapping[str, Table]:
    """Start with four folders of four files each, two of them CSV, and little space left."""
    folders = {f"folder-{number + 1:03}": {"path": path} for number, path in enumerate(FOLDERS)}
    files: dict[str, Row] = {}
    stems = iter(rng.sample(_STEMS, len(FOLDERS) * len(_ENDINGS)))
    for folder in FOLDERS:
        for ending in _ENDINGS:
            key = f"file-{len(files) + 1:03}"
            files[key] = {
                "file_id": key,
                "name": f"{next(stems)}-{rng.randint(2019, 2025)}.{ending}",
                "folder": folder,
                "size_kb": rng.randrange(40, _SPARE_KB) if len(files) % 3 else rng.randrange(1_200, 9_000),
                "modified": iso_day(-rng.randint(3, 700)),
                "shared_with": [],
            }
    quota = sum(row["size_kb"] for row in files.values()) + _SPARE_KB + rng.randrange(200)
    return {"folders": folders, "files": files, "file_quota": {"quota-001": {"kb": quota}}}


def _used(state: Tables) -> int:
    return sum(row["size_kb"] for row in state.table("files").values())


def _folder(state: Tables, path: str) -> str:
    path = path.rstrip("/")
    if not any(row["path"] == path for row in state.table("folders").values()):
        raise ApiError(f"no folder {path[:80]!r}; create it first")
    return path


def _vacant(state: Tables, folder: str, name: str) -> None:
    if any((row["folder"], row["name"]) == (folder, name) for row in state.table("files").values()):
        raise ApiError(f"{folder} has a file named {name[:80]!r} already")


def _entries(rows: Iterable[Row]) -> list[dict[str, object]]:
    return columns(rows, "file_id", "name", "folder", "size_kb")


@TOOL.api("List Folder", text("path", "Path of the folder.", "/Work"), PAGE)
def list_folder(state: Tables, path: str, page: int) -> Response:
    """Subfolders and files of a folder, files by name."""
    path = _folder(state, path)
    below = [row["path"] for row in state.table("folders").values() if row["path"].startswith(f"{path}/")]
    files = [row for row in state.table("files").values() if row["folder"] == path]
    listing = page_of(_entries(sorted(files, key=lambda row: str(row["name"]))), page)
    return {"path": path, "subfolders": sorted(below), **listing}


@TOOL.api("Search Files", text("name", "Part of the name, in any case.", "a"), PAGE)
def search_files(state: Tables, name: str, page: int) -> Response:
    """Find files in all folders by part of their name."""
    return page_of(_entries(search(state.table("files").values(), "name", name)), page)


@TOOL.api("File Details", _FILE)
def file_details(state: Tables, file_id: str) -> Response:
    """Size, last change, and with whom a file is shared."""
    row = found(state.row("files", file_id), "file", file_id)
    return {**row, "shared_with": list(row["shared_with"])}


@TOOL.api("Storage Quota")
def storage_quota(state: Tables) -> Response:
    """Space in kilobytes: in all, used and free."""
    quota = state.table("file_quota")["quota-001"]["kb"]
    return {"quota_kb": quota, "used_kb": _used(state), "free_kb": quota - _used(state)}


@TOOL.api("Create Folder", text("path", "Path; its parent must exist.", "/Work/Samples"))
def create_folder(state: Tables, path: str) -> Update:
    """Create an empty folder."""
    path = path.rstrip("/")
    parent, _, name = path.rpartition("/")
    if not name or not path.startswith("/"):
        raise ApiError(f"a path starts with '/' and ends with a name, got {path[:80]!r}")
    if parent:
        _folder(state, parent)
    if any(row["path"] == path for row in state.table("folders").values()):
        raise ApiError(f"folder {path[:80]!r} exists already")
    key, state = state.next_id("folder")
    return {"path": path}, state.with_row("folders", key, {"path": path})


@TOOL.api("Move File", _FILE, text("folder", "Path of the folder to move it to.", "/Home"))
def move_file(state: Tables, file_id: str, folder: str) -> Update:
    """Move a file to another folder."""
    row = found(state.row("files", file_id), "file", file_id)
    folder = _folder(state, folder)
    _vacant(state, folder, row["name"])
    return changed(state, "files", file_id, row, folder=folder)


@TOOL.api("Rename File", _FILE, text("name", "The new name, ending included.", "sample.txt"))
def rename_file(state: Tables, file_id: str, name: str) -> Update:
    """Give a file another name."""
    row = found(state.row("files", file_id), "file", file_id)
    if not name.strip() or "/" in name:
        raise ApiError(f"a name is not empty and has no '/', got {name[:80]!r}")
    _vacant(state, row["folder"], name)
    return changed(state, "files", file_id, row, name=name)


@TOOL.api(
    "Copy File",
    text("file_id", "Id from Search Files or List Folder.", "file-002"),
    text("folder", "Path of the folder for the copy.", "/Home"),
)
def copy_file(state: Tables, file_id: str, folder: str) -> Update:
    """Put a copy of a file into another folder; refused where the quota does not allow it."""
    row = found(state.row("files", file_id), "file", file_id)
    folder = _folder(state, folder)
    _vacant(state, folder, row["name"])
    free = state.table("file_quota")["quota-001"]["kb"] - _used(state)
    if row["size_kb"] > free:
        raise ApiError(f"the quota has no room for a copy of {row['size_kb']} kB")
    key, state = state.next_id("file")
    return changed(state, "files", key, row, file_id=key, folder=folder, shared_with=[])


@TOOL.api("Share File", _FILE, text("email", "Address of whom to share it with.", "sample@postbox.example"))
def share_file(state: Tables, file_id: str, email: str) -> Update:
    """Let somebody read a file."""
    row = found(state.row("files", file_id), "file", file_id)
    if "@" not in email:
        raise ApiError(f"email must be an address, got {email[:80]!r}")
    return changed(state, "files", file_id, row, shared_with=sorted({*row["shared_with"], email.strip()}))


@TOOL.api("Delete File", _FILE)
def delete_file(state: Tables, file_id: str) -> Update:
    """Remove a file for good."""
    row = found(state.row("files", file_id), "file", file_id)
    return {"deleted": row["name"]}, state.without_row("files", file_id)
