"""Reading saved episodes: of a file, or of a run's folder, whether the run is finished or not."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from stb_env.core import checksums
from stb_env.core.run_identity import RunCheck
from stb_env.errors import DataError
from stb_env.trajectory import Trajectory
from stb_env.verdict_line import Key, verdict_lines


def read_trajectories(path: str | Path) -> list[Trajectory]:
    """Read the episodes of a run folder, or of one file such as its ``trajectories.jsonl``.

    A run that goes on, or was stopped, has more episodes than its ``trajectories.jsonl``: those that are
    played and wait for an earlier one stand behind them. A torn last line is left out.

    Raises:
        DataError: The file is missing, a line is broken, was changed or is of another run than the folder's
            manifest or an earlier line says, or an episode stands twice.

    Examples:
        >>> from stb_env import read_trajectories
        >>> read_trajectories("runs/nothing")
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: runs/nothing does not exist; give a run folder or its trajectories.jsonl
    """
    return list(iter_trajectories(path))


def iter_trajectories(path: str | Path) -> Iterator[Trajectory]:
    """Yield what `read_trajectories` returns, one episode in memory at a time.

    Raises:
        DataError: The file is missing, a line is broken, was changed or is of another run than the folder's
            manifest or an earlier line says, or an episode stands twice.

    Examples:
        >>> next(iter_trajectories("runs/nothing"))
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: runs/nothing does not exist; give a run folder or its trajectories.jsonl
    """
    folder = Path(path)
    file = folder / "trajectories.jsonl" if folder.is_dir() else folder
    if not file.is_file():
        raise DataError(f"{file} does not exist; give a run folder or its trajectories.jsonl")
    if file == folder:
        own = file.name in ("trajectories.jsonl", "played.jsonl")
        check = RunCheck(file.parent, mixed=not own)
        yield from (
            line.episode for line in saved_lines(file, once=file.name == "trajectories.jsonl", check=check)
        )
        checksums.check(file)
        return
    with ExitStack() as files:
        # Opened first: at the end of a run its lines are in the other file, and it is removed.
        journal = None
        with suppress(FileNotFoundError):
            journal = files.enter_context((folder / "played.jsonl").open("rb"))
        known, check = set(), RunCheck(folder)
        for line in saved_lines(file, once=True, check=check):
            known.add(line.episode.key)
            yield line.episode
        if journal is not None:
            yield from _waiting(folder, journal, known, check)
    # Last, since a line that was changed is named first.
    checksums.check(file)


class SavedLine(NamedTuple):
    """A line of saved episodes.

    Attributes:
        begin: Where it begins in its file, in bytes.
        length: Its bytes, without its end.
        episode: What it says.
    """

    begin: int
    length: int
    episode: Trajectory


def saved_lines(file: Path, *, once: bool, check: RunCheck | None = None) -> Iterator[SavedLine]:
    r"""Yield the whole lines of a file of episodes.

    Args:
        file: The file.
        once: Whether each episode may stand there only once.
        check: Checks of which run the lines are; that of the file's folder where not given.

    Raises:
        DataError: A line is broken, was changed or is of another run than the folder's manifest or an earlier
            line says, or an episode stands twice.

    Examples:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "trajectories.jsonl"
        >>> _ = file.write_text("nonsense\n")
        >>> next(saved_lines(file, once=True))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        stb_env.errors.DataError: .../trajectories.jsonl, line 1: not a trajectory line ...
    """
    with file.open("rb") as lines:
        yield from _lines(lines, file, check or RunCheck(file.parent), once=once)


def _lines(lines: BinaryIO, file: Path, check: RunCheck, *, once: bool) -> Iterator[SavedLine]:
    first: dict[Key, int] = {}
    begin = 0
    for number, line in enumerate(lines, 1):
        # A torn last line, which a killed process may have left, has no end.
        if not line.endswith(b"\n"):
            return
        try:
            episode = Trajectory.from_json(line.decode("utf-8"))
        except (DataError, UnicodeDecodeError) as error:
            raise DataError(f"{file}, line {number}: {error}") from error
        if wrong := check.wrong(episode.run):
            raise DataError(f"{file}, line {number}: the episode {wrong}")
        before = first.setdefault(episode.key, number)
        if once and before != number:
            raise DataError(
                f"{file}, line {number}: the episode stands twice, first in line {before}; a run has one "
                f"line for each task and trial, here {episode.task_id!r}, {episode.trial}: delete the copy"
            )
        yield SavedLine(begin, len(line) - 1, episode)
        begin += len(line)


def _waiting(
    folder: Path, journal: BinaryIO, known: Container[object], check: RunCheck
) -> Iterator[Trajectory]:
    """Yield the played episodes of a run that its ``trajectories.jsonl`` does not have yet.

    The last line on an episode counts, and a verdict that it lacks may stand in ``verdicts.jsonl``.
    """
    name = folder / "played.jsonl"
    newest = {line.episode.key: line.begin for line in _lines(journal, name, check, once=False)}
    given = (line for line in verdict_lines(folder / "verdicts.jsonl") if line.verdict is not None)
    verdicts = {line.key: line for line in given}
    for key, begin in newest.items():
        if key not in known:
            journal.seek(begin)
            episode = Trajectory.from_json(journal.readline().decode("utf-8"))
            if episode.awaits_verdict and key in verdicts:
                episode = episode.decided(verdicts[key])
            yield episode
