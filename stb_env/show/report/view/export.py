"""The viewer as files, for any web server: the page, and every answer that it can ask for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from stb_env.core.files import make_folder
from stb_env.errors import ConfigError
from stb_env.show.report.view.page_files import page_files
from stb_env.show.report.view.run_index import RunIndex, encoded

MOST_STATES = 200
"""Episodes of a run whose worlds are replayed for an export."""

_MARK = ".stb-env-view"


def export_view(run_index: RunIndex, folder: Path, *, most_states: int = MOST_STATES) -> dict[str, int]:
    """Write the viewer's page with its runs.

    Args:
        run_index: The runs.
        folder: Where to; empty, new, or with an earlier export, whose files are written over.
        most_states: Of how many episodes of each run the changes in the world are computed.

    Returns:
        How many runs, episodes, files and bytes were written.

    Raises:
        ConfigError: The folder holds something else.
        DataError: A line of a run is damaged.
        StorageError: The disk refuses it.
    """
    make_folder(folder)
    if any(folder.iterdir()) and not (folder / _MARK).exists():
        raise ConfigError(f"{folder} is not empty and holds no earlier export; name another folder")
    (folder / _MARK).write_bytes(b"")
    count = {"runs": len(run_index.runs), "episodes": 0, "files": 0, "bytes": 0}
    for name, content in _files(run_index, most_states):
        file = folder / name
        make_folder(file.parent)
        file.write_bytes(content)
        count["episodes"] += "/episodes/" in name
        count["files"] += 1
        count["bytes"] += len(content)
    return count


def _files(run_index: RunIndex, most_states: int) -> Iterator[tuple[str, bytes]]:
    yield from page_files().items()
    yield "data/runs.json", encoded(run_index.overview(live=False))
    for run in range(len(run_index.runs)):
        first, total = 0, 1
        while first < total:
            rows = run_index.rows(run, first)
            yield f"data/{run}/rows/{first}.json", encoded(rows)
            first, total = first + len(rows["rows"]), rows["total"]
        for number in range(total):
            yield f"data/{run}/episodes/{number}.json", encoded(run_index.runs[run].episode(number))
        known = most_states if total and run_index.has_states(run) else 0
        for number in range(min(total, known)):
            yield f"data/{run}/states/{number}.json", encoded(run_index.states(run, number))
