"""Writing a response cache as the official folder layout."""

from __future__ import annotations

from pathlib import Path

from stb_env.backend.cache.entry import CacheEntry
from stb_env.backend.cache.response_cache import ResponseCache
from stb_env.formats.recorded_answer import Answer, RecordedCall
from stb_env.suites.stabletoolbench.cache_folder import write_folder


def export_folder(cache: ResponseCache, folder: Path) -> dict[str, int]:
    """Write every entry to a new folder; importing it gives the same calls and answers back.

    The layout has no place for source, origin, model and prompt version.

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

    files = write_folder(map(recorded, cache.entries()), folder)
    return {"entries": written, "files": files}
