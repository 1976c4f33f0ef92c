"""Trip booking tasks from SambaNova's own files."""

from __future__ import annotations

from pathlib import Path

from stb_env.suites.sambanova.common.form.official import read_tasks
from stb_env.suites.sambanova.common.official import Item
from stb_env.suites.sambanova.trip_booking.tasks import NAME, trip_task
from stb_env.suites.sambanova.trip_booking.world import API
from stb_env.tasks import Task, TaskSet
from stb_env.tools import ToolCall


def official_tasks(path: str | Path, *, original: bool = False) -> TaskSet:
    """Read the test items of an official folder; every label is tried.

    Args:
        path: Folder with ``test.jsonl``, or that file.
        original: Whether labels have to run in the original's own way.

    Raises:
        DataError: A file is broken, or a label does not run.
    """
    return read_tasks(path, API, NAME, _task, original=original)


def _task(item: Item, gold: tuple[ToolCall, ...]) -> Task:
    return trip_task(str(item.number), "test", item.goal, gold, item.labels)
