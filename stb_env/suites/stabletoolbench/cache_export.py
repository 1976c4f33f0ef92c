"""Writing a response cache as the official folder layout."""

from __future__ import annotations

import csv
from pathlib import Path

from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.cache.response_cache import ResponseCache
from stb_env.backend.cache.snapshot import Progress
from stb_env.formats.recorded_answer import Answer, RecordedCall
from stb_env.suites.stabletoolbench.cache_folder import write_folder, write_key

PROVENANCE = "provenance.csv"

_COLUMNS = ("category", "tool", "api", "arguments", "source", "origin", "model", "prompt")


def export_folder(cache: ResponseCache, folder: Path, *, progress: Progress | None = None) -> dict[str, int]:
    """Write every entry to a new folder; importing it gives the same calls and answers back.

    The layout has no place for source, origin, model and prompt version; they stand beside it, a line an
    entry, in a table that neither the original's server nor an import reads (`PROVENANCE`).

    Args:
        cache: What is written.
        folder: A new or empty folder.
        progress: Told the entries written, on which those of the table follow.

    Returns:
        Number of ``entries`` and ``files``.

    Raises:
        ConfigError: The folder is not empty.
        DataError: A row of the cache is damaged or refused.
    """
    written = 0

    def recorded(entry: CacheEntry) -> RecordedCall:
        nonlocal written
        written += 1
        return RecordedCall(entry.id, entry.arguments, Answer(entry.error, entry.response), entry.source)

    files = write_folder(map(recorded, cache.entries(progress=progress)), folder)
    with (folder / PROVENANCE).open("w", encoding="utf-8", errors="backslashreplace", newline="") as out:
        table = csv.writer(out)
        table.writerow(_COLUMNS)
        for entry in cache.entries(progress=progress, done=written):
            known = (write_key(entry.arguments), entry.source, entry.origin, entry.model, entry.prompt)
            table.writerow((*entry.id, *known))
    return {"entries": written, "files": files}
