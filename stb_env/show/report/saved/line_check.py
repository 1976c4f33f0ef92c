"""Check that the lines of a run are unchanged, and that their rewards follow from their verdicts."""

from __future__ import annotations

from pathlib import Path

from stb_env.core import checksums
from stb_env.core.run_identity import RunCheck
from stb_env.errors import DataError
from stb_env.evaluation.run_costs import read_seconds
from stb_env.runs.verdict_file import manifest_of, read_judgements
from stb_env.saved_episodes import iter_trajectories
from stb_env.show.report.saved.episode_row import key_of, read_line, wrong_line
from stb_env.trajectory import Key


def check_whole(folder: Path) -> None:
    """Check the manifest of a run, every line, and every verdict that was given on it later.

    Raises:
        DataError: A file is broken or was changed, or a line is of another run or stands twice.

    Examples:
        >>> check_whole(Path("runs/nothing"))
    """
    manifest_of(folder)
    if (folder / "trajectories.jsonl").is_file():
        for _ in iter_trajectories(folder):
            pass
    for file in sorted(folder.glob("verdicts*.jsonl")):
        read_judgements(file)
    read_seconds(folder)


def check_lines(folder: Path) -> None:
    """Check the episodes of a run: each line with its checksum and reward, and none twice.

    A line that is no episode is left to the list, which shows it as damaged.

    Raises:
        DataError: A line was changed since it was written, is of another run, has a reward that its verdict
            does not give, or stands twice.

    Examples:
        >>> check_lines(Path("runs/nothing"))
    """
    check = RunCheck(folder)
    for name in ("trajectories.jsonl", "played.jsonl"):
        file = folder / name
        if not file.is_file():
            continue
        first: dict[Key, int] = {}
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    data = read_line(line)
                    key, wrong = key_of(data), check.wrong(str(data.get("run", ""))) or wrong_line(line, data)
                except (ValueError, KeyError, TypeError):
                    continue
                if wrong:
                    raise DataError(f"{file}, line {number}: {wrong}")
                # In the journal, the last line on an episode counts.
                before = first.setdefault(key, number)
                if before != number and name == "trajectories.jsonl":
                    raise DataError(f"{file}, line {number}: stands twice, first in line {before}")
        checksums.check(file)
