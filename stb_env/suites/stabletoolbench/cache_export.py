"""Writing a response cache as the official folder layout."""

from __future__ import annotations

import csv
import json
import os
import time
import uuid
from itertools import groupby
from pathlib import Path
from typing import Any

from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.cache.key import id_prefix
from stb_env.backend.cache.response_cache import ResponseCache
from stb_env.backend.cache.resumable_pass import EVERY, Progress
from stb_env.backend.store import kept_folder
from stb_env.core.files import make_folder, write_text
from stb_env.errors import ConfigError, DataError
from stb_env.formats.recorded_answer import Answer, RecordedCall
from stb_env.suites.stabletoolbench import provenance
from stb_env.suites.stabletoolbench.cache_folder import FolderWriter
from stb_env.tools import ToolId

_WHOLE, _DONE = "export", "done.json"


def export_folder(cache: ResponseCache, folder: Path, *, progress: Progress | None = None) -> dict[str, int]:
    """Write every entry to a new folder; importing it gives the same entries back.

    The layout has no place for source, origin, model, prompt version and time; they stand beside it, in a
    table (`provenance`) that an import reads and the original's server passes over. The folder appears
    whole or not at all; the same call goes on where a killed one stopped, as long as the cache has not
    changed.

    Args:
        cache: What is written.
        folder: A new or empty folder.
        progress: Told the entries written.

    Returns:
        Number of ``entries`` and ``files``.

    Raises:
        ConfigError: The folder is not empty, or another process is making it.
        DataError: A row of the cache is damaged or refused, or belongs to a service with state.
    """
    folder = Path(os.path.abspath(folder))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} exists and is not empty; name a new folder to export to")
    make_folder(folder.parent)
    with kept_folder(folder, f"export\n{cache.state or uuid.uuid4()}") as part:
        counts = _write(cache, part, progress)
        (part / _WHOLE).replace(folder)
    return counts


def _write(cache: ResponseCache, part: Path, progress: Progress | None) -> dict[str, int]:
    """Write what is not written yet, and note now and then up to where everything is."""
    start, entries, files, odd, size = _noted(part)
    whole = part / _WHOLE
    whole.mkdir(exist_ok=True)
    writer = FolderWriter(whole, files, odd)
    with (whole / provenance.FILE).open("a", encoding="utf-8", errors="backslashreplace", newline="") as out:
        # What stands behind the mark is written again.
        out.truncate(size)
        table = csv.writer(out)
        if not size:
            table.writerow(provenance.COLUMNS)

        def recorded(entry: CacheEntry) -> RecordedCall:
            nonlocal entries
            if entry.epoch:
                raise DataError(
                    "answers of a service with state depend on the calls before them, and these files have "
                    "no place for those; pass on the cache folder, or what `cache snapshot` makes of it"
                )
            entries += 1
            table.writerow(provenance.row(entry))
            return RecordedCall(entry.id, entry.arguments, Answer(entry.error, entry.response), entry.source)

        noted = time.monotonic()
        found = cache.entries(start=start, progress=progress, done=entries)
        for identity, answers in groupby(found, key=lambda entry: entry.id):
            writer.write(identity, map(recorded, answers))
            if time.monotonic() - noted >= EVERY:
                out.flush()
                mark = [_after(identity), entries, writer.files, writer.odd, os.fstat(out.fileno()).st_size]
                _note(part, mark)
                noted = time.monotonic()
    writer.finish()
    return {"entries": entries, "files": writer.files}


def _noted(part: Path) -> Any:
    """Return the key to go on from, the entries and files before it, their odd names and the table's size."""
    try:
        return json.loads((part / _DONE).read_text())
    except FileNotFoundError:
        return "", 0, 0, {}, 0


def _note(part: Path, mark: object) -> None:
    if hasattr(os, "sync"):
        # The mark must not outlive what it counts, should the machine stop.
        os.sync()
    write_text(part / _DONE, json.dumps(mark))


def _after(identity: ToolId) -> str:
    prefix = id_prefix(identity)
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
