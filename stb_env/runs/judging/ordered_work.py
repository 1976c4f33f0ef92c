"""A thread pool whose results go to a file in order, each on disk before the next; and reading such files."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from stb_env.core import checksums
from stb_env.core.files import LineWriter
from stb_env.core.interrupts import held
from stb_env.errors import ConfigError, DataError

Progress = Callable[[int, int], None]
"""Told after each item how many of how many are done."""

_AHEAD = 4


class Line(Protocol):
    """A result that is written as one line."""

    def to_json(self) -> str:
        """Return the line, without a line break."""
        ...


Item = TypeVar("Item")
Result = TypeVar("Result", bound=Line)


def check_concurrency(concurrency: int) -> None:
    """Raise `ConfigError` where it is below 1."""
    if concurrency < 1:
        raise ConfigError(f"concurrency must be at least 1, got {concurrency}")


def work_in_order(
    todo: Sequence[Item],
    work: Callable[[Item], Result],
    file: Path,
    concurrency: int,
    progress: Progress | None = None,
) -> list[Result]:
    """Append the result of each item to a file, in the order of the items, and return them.

    A file without new lines is not touched. Whoever stops waits for the items in progress, whose results are
    appended too; without concurrency the one in progress is lost. A kill loses what is in progress and what
    waits for an earlier result: at most four times as many items as are worked on at once.
    """
    results = []
    for result in _lines(todo, work, file, concurrency):
        results.append(result)
        if progress is not None:
            progress(len(results), len(todo))
    return results


def _lines(
    todo: Sequence[Item], work: Callable[[Item], Result], file: Path, concurrency: int
) -> Iterator[Result]:
    if not todo:
        return
    lines = LineWriter(file)
    checksums.forget(file.parent, file.name)
    if concurrency == 1:
        try:
            for item in todo:
                result = work(item)
                lines.write(result.to_json())
                yield result
            checksums.note(file.parent, file.name)
        finally:
            lines.close()
        return
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="judge")
    waiting, pending = iter(todo), deque[Future[Result]]()
    try:
        pending.extend(pool.submit(work, item) for item in islice(waiting, _AHEAD * concurrency))
        while pending:
            result = pending[0].result()
            with held():
                lines.write(result.to_json())
                pending.popleft()
            pending.extend(pool.submit(work, item) for item in islice(waiting, 1))
            yield result
        checksums.note(file.parent, file.name)
    finally:
        pool.shutdown(cancel_futures=True)
        for future in pending:
            # They begin in order: what stands behind one that never began did not begin either.
            if future.cancelled() or future.exception() is not None:
                break
            lines.write(future.result().to_json())
        lines.close()


def read_lines(file: Path, read: Callable[[str], Item]) -> list[Item]:
    """Return what the lines of a file say; a torn last line is left out, as is a missing file.

    Raises:
        DataError: A line is broken; the message says which.
    """
    if not file.is_file():
        return []
    items = []
    for number, line in enumerate(file.read_bytes().decode("utf-8").split("\n")[:-1], 1):
        try:
            items.append(read(line))
        except DataError as error:
            raise DataError(f"{file}, line {number}: {error}") from error
    checksums.check(file)
    return items
