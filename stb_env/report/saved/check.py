"""Whether the lines of a run are as they were written, found without reading what they say."""

from __future__ import annotations

from pathlib import Path

from stb_env.errors import DataError
from stb_env.trajectory_line import is_unchanged

_SUMMED = b'{"version": 3'


def check_lines(folder: Path) -> None:
    """Check the episodes of a run: each line with its checksum, and none twice.

    Raises:
        DataError: A line was changed since it was written, or stands twice.

    Examples:
        >>> check_lines(Path("runs/nothing"))
    """
    for name in ("trajectories.jsonl", "played.jsonl"):
        file = folder / name
        if not file.is_file():
            continue
        first: dict[int, int] = {}
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                whole = line.startswith(_SUMMED) and line.endswith(b"\n")
                if whole and not is_unchanged(line.decode("utf-8", "surrogatepass")):
                    raise DataError(
                        f"{file}, line {number}: changed since it was written (its sha256 differs)"
                    )
                # In the journal, the last line on an episode counts.
                before = first.setdefault(hash(line), number)
                if before != number and name == "trajectories.jsonl":
                    raise DataError(f"{file}, line {number}: stands twice, first in line {before}")
