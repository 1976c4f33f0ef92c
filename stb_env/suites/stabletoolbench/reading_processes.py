"""Processes that read files of recorded calls for one that stores what they found."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TypeAlias

from stb_env.backend.cache.key import RowKey
from stb_env.core.jsontypes import JsonObject
from stb_env.suites.stabletoolbench.recording_reader import ImportReport, Reading, RecordingReader

Rows: TypeAlias = Iterable[tuple[RowKey, str]]
_Read: TypeAlias = tuple[list[tuple[RowKey, str]], JsonObject]

_TASK_BYTES = 1_000_000
_TASK_FILES = 200
_AHEAD = 2
_LARGE = 16_000_000
"""A file of so many bytes is read where it is stored, a row at a time, and passed on to nobody."""


class ReadingProcesses:
    """Reads files in several processes and gives what is in them in the order of the files.

    What a process does not live to answer is read here. Each ends when this one does, however that happens.

    Args:
        count: How many.
        reading: How they read.
        report: Takes their counts, those of a file before its rows.
    """

    def __init__(self, count: int, reading: Reading, report: ImportReport) -> None:
        self._reader = RecordingReader(reading, report)
        context = multiprocessing.get_context("spawn")
        self._processes: list[SpawnProcess] = []
        self._connections: list[Connection] = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, reading), daemon=True)
            process.start()
            # Left open here, it would keep this side from noticing that the other is gone.
            theirs.close()
            self._processes.append(process)
            self._connections.append(ours)

    def rows(self, files: Iterable[Path]) -> Iterator[tuple[Path, Rows]]:
        """Yield each file with its rows; close it to end the processes early."""
        tasks = _tasks(files)
        turns = cycle(self._connections)
        first = islice(tasks, _AHEAD * len(self._connections))
        waiting = deque((each, task, _sent(each, task)) for each, task in zip(turns, first, strict=False))
        try:
            while waiting:
                connection, task, sent = waiting.popleft()
                yield from self._received(connection, task) if sent else self._read_here(task)
                for following in islice(tasks, 1):
                    waiting.append((connection, following, _sent(connection, following)))
        finally:
            self._end()

    def _received(self, connection: Connection, task: list[Path]) -> Iterator[tuple[Path, Rows]]:
        try:
            found: list[_Read] = connection.recv()
        except (EOFError, OSError):
            yield from self._read_here(task)
            return
        for file, (rows, counts) in zip(task, found, strict=True):
            self._reader.report.include(counts)
            yield file, rows

    def _end(self) -> None:
        for connection, process in zip(self._connections, self._processes, strict=True):
            connection.close()
            process.terminate()
            process.join()

    def _read_here(self, task: list[Path]) -> Iterator[tuple[Path, Rows]]:
        return ((file, self._reader.rows(file)) for file in task)


def _work(connection: Connection, reading: Reading) -> None:
    """Answer every list of files with what is in them."""
    # Who interrupts the import interrupts the process that stores, and that one ends this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What is read has no cycles, and looking for some takes a twentieth of the time.
    gc.set_threshold(100_000)
    reader = RecordingReader(reading, ImportReport())
    try:
        while True:
            connection.send([_read(reader, file) for file in connection.recv()])
    except (EOFError, OSError):
        # Nobody is left to answer.
        return


def _read(reader: RecordingReader, file: Path) -> _Read:
    reader.report = ImportReport()
    return list(reader.rows(file)), reader.report.counts()


def _tasks(files: Iterable[Path]) -> Iterator[list[Path]]:
    """Put files together that are worth a message, and a large one alone."""
    task: list[Path] = []
    held = 0
    for file in files:
        size = file.stat().st_size
        if task and (held + size > _TASK_BYTES or len(task) == _TASK_FILES):
            yield task
            task, held = [], 0
        task.append(file)
        held += size
    if task:
        yield task


def _sent(connection: Connection, task: list[Path]) -> bool:
    if len(task) == 1 and task[0].stat().st_size > _LARGE:
        return False
    try:
        connection.send(task)
    except OSError:
        return False
    return True
