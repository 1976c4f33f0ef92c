"""The viewer as files, for any web server: the page, and every answer that it can ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stb_env.errors import ConfigError, STBError
from stb_env.files import make_folder
from stb_env.jsontypes import JsonObject
from stb_env.report.view.page_files import page_files
from stb_env.report.view.shelf import Shelf, encoded

MOST_STATES = 200
"""Episodes of a run whose worlds are replayed for an export."""

_MARK = ".stb-env-view"


def export_view(shelf: Shelf, folder: Path, *, most_states: int = MOST_STATES) -> dict[str, int]:
    """Write the viewer's page with its runs.

    Args:
        shelf: The runs.
        folder: Where to; empty, new, or with an earlier export, which is replaced.
        most_states: Of how many episodes of each run the changes in the world are computed.

    Returns:
        How many runs, episodes, files and bytes were written.

    Raises:
        ConfigError: The folder holds something else.
        StorageError: The disk refuses it.
    """
    make_folder(folder)
    if any(folder.iterdir()) and not (folder / _MARK).exists():
        raise ConfigError(f"{folder} is not empty and holds no earlier export; name another folder")
    (folder / _MARK).write_bytes(b"")
    count = {"runs": len(shelf.runs), "episodes": 0, "files": 0, "bytes": 0}
    for name, content in _files(shelf, most_states):
        file = folder / name
        make_folder(file.parent)
        file.write_bytes(content)
        count["episodes"] += "/episodes/" in name
        count["files"] += 1
        count["bytes"] += len(content)
    return count


def _files(shelf: Shelf, most_states: int) -> Iterator[tuple[str, bytes]]:
    yield from page_files().items()
    yield "data/runs.json", encoded(shelf.overview(live=False))
    for run in range(len(shelf.runs)):
        first, total = 0, 1
        while first < total:
            rows = shelf.rows(run, first)
            yield f"data/{run}/rows/{first}.json", encoded(rows)
            first, total = first + len(rows["rows"]), rows["total"]
        for number in range(total):
            yield f"data/{run}/episodes/{number}.json", encoded(_episode(shelf, run, number))
        known = most_states if total and shelf.has_states(run) else 0
        for number in range(min(total, known)):
            yield f"data/{run}/states/{number}.json", encoded(shelf.states(run, number))


def _episode(shelf: Shelf, run: int, number: int) -> JsonObject:
    try:
        return shelf.runs[run].episode(number)
    except STBError as error:
        return {"error": str(error)}
