"""Form tasks from SambaNova's own files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from stb_env.errors import DataError
from stb_env.suites.sambanova.common.form.api import PROGRAM, FormApi
from stb_env.suites.sambanova.common.form.judge import Labels
from stb_env.suites.sambanova.common.form.program import calls_of
from stb_env.suites.sambanova.common.form.reader import typed
from stb_env.suites.sambanova.common.official import Item, read_official
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH, ToolCall

Build = Callable[[Item, tuple[ToolCall, ...]], Task]
"""Makes a task of an item and the calls that solve it."""


def read_tasks(path: str | Path, api: FormApi, name: str, build: Build, *, original: bool = False) -> TaskSet:
    """Read the test items of an official folder; every label is tried.

    Args:
        path: Folder with ``test.jsonl``, or that file.
        api: The form.
        name: Name of the suite.
        build: Makes the tasks.
        original: Whether labels have to run in the original's own way.

    Raises:
        DataError: A file is broken, or a label does not run.
    """
    labels = Labels(api, original=original)
    tasks = []
    for item in read_official(path).items:
        try:
            for label in item.labels:
                labels.criteria(label)
        except DataError as error:
            raise DataError(f"{path}, line {item.number}: {error}") from error
        tasks.append(build(item, _gold(item.labels[0], api, original)))
    return TaskSet(tasks, name)


def _gold(label: str, api: FormApi, original: bool) -> tuple[ToolCall, ...]:
    if original:
        # Taken apart, its calls would be held to their schemas.
        return (ToolCall(PROGRAM, {"text": label}),)
    return tuple(typed(call) for call in calls_of(label, api) if call.name != FINISH)
