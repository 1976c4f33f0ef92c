"""The table beside an exported cache: who gave each answer, for what and when, a line an answer.

The official layout has no place for it, and the original's server passes over it.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from stb_env.backend.cache.entry import SOURCES, CacheEntry, EntrySource, is_time
from stb_env.errors import DataError
from stb_env.suites.stabletoolbench.cache_folder import write_key
from stb_env.tools import ToolId

FILE = "provenance.csv"
COLUMNS = ("category", "tool", "api", "arguments", "source", "origin", "model", "prompt", "recorded")

_API, _OLDER = 3, len(COLUMNS) - 1


class Provenance(NamedTuple):
    """The origin of an answer, as `CacheEntry` has it."""

    source: EntrySource
    origin: str
    model: str
    prompt: str
    recorded: str


def row(entry: CacheEntry) -> tuple[str, ...]:
    """Return an entry's line; the file escapes with backslashes what UTF-8 cannot encode."""
    known = (entry.source, entry.origin, entry.model, entry.prompt, entry.recorded)
    return (*entry.id, write_key(entry.arguments), *known)


class ProvenanceTable:
    """Finds the lines of one API at a time, so that a table of any size takes little memory.

    Args:
        file: The table; those that earlier versions wrote have no ``recorded``.

    Raises:
        DataError: It is no such table.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        # Answers may be longer than what the module takes for a field otherwise.
        csv.field_size_limit(max(csv.field_size_limit(), min(sys.maxsize, 2**31 - 1)))
        self._places: dict[tuple[str, ...], list[int]] = {}
        self._width = 0
        lines = self._lines(0)
        _, names = next(lines, (0, []))
        if tuple(names) not in (COLUMNS, COLUMNS[:_OLDER]):
            raise DataError(
                f"{file}: expected the columns {', '.join(COLUMNS)}, got {', '.join(names)[:200]}"
            )
        last: tuple[str, ...] = ()
        for start, values in lines:
            if tuple(values[:_API]) != last:
                last = tuple(values[:_API])
                self._places.setdefault(last, []).append(start)

    def of(self, identity: ToolId) -> Mapping[str, Provenance]:
        """Return what is known of an API's answers, by `escaped` key.

        Raises:
            DataError: A line is damaged.
        """
        api = tuple(map(escaped, identity))
        found: dict[str, Provenance] = {}
        for place in self._places.get(api, ()):
            for _, values in self._lines(place):
                if tuple(values[:_API]) != api:
                    break
                found[values[_API]] = self._read(values)
        return found

    def _read(self, values: list[str]) -> Provenance:
        source, origin, model, prompt, *recorded = values[_API + 1 :] or ("",) * 4
        when = recorded[0] if recorded else ""
        for known in SOURCES:
            if known == source and (not when or is_time(when)):
                return Provenance(known, origin, model, prompt, when)
        raise DataError(
            f"{self.file}: the line of {'/'.join(values[:_API])} {values[_API][:80]!r} has source"
            f" {source[:80]!r} and time {when[:80]!r}; expected one of {', '.join(SOURCES)}, and"
            " 2026-03-02T10:00:00Z or nothing"
        )

    def _lines(self, start: int) -> Iterator[tuple[int, list[str]]]:
        """Yield each line from a place on, with its own place."""
        taken = start
        try:
            with self.file.open("rb") as file:
                file.seek(start)

                def texts() -> Iterator[str]:
                    nonlocal taken
                    for data in file:
                        taken += len(data)
                        yield data.decode()

                for values in csv.reader(texts(), strict=True):
                    self._width = self._width or len(values)
                    if len(values) != self._width:
                        raise DataError(
                            f"{self.file}: a line of {len(values)} columns; expected {self._width}"
                        )
                    yield start, values
                    start = taken
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise DataError(f"cannot read {self.file}: {error}") from error


def escaped(text: str) -> str:
    r"""Return a text as the table has it.

    Examples:
        >>> escaped("Zürich"), escaped(chr(0xD800))
        ('Zürich', '\\ud800')
    """
    return text.encode("utf-8", "backslashreplace").decode()
