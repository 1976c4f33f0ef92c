"""Weather tasks from SambaNova's own files."""

from __future__ import annotations

from pathlib import Path

from stb_env.errors import DataError
from stb_env.suites.sambanova.common.curl.reader import CURL
from stb_env.suites.sambanova.common.official import read_official
from stb_env.suites.sambanova.open_weather.command import as_typed
from stb_env.suites.sambanova.open_weather.judge import OriginalJudge, wanted
from stb_env.suites.sambanova.open_weather.tasks import NAME, weather_task
from stb_env.tasks import TaskSet
from stb_env.tools import ToolCall


def official_tasks(path: str | Path, *, original: bool = False) -> TaskSet:
    """Read the test items of an official folder; every label is tried.

    Args:
        path: Folder with ``test.jsonl``, or that file.
        original: Whether labels have to run in the original's own way.

    Raises:
        DataError: A file is broken, or a label does not run.
    """
    judge = OriginalJudge()
    tasks = []
    for item in read_official(path).items:
        try:
            for label in item.labels:
                judge.answer_to(label) if original else wanted(label)
        except DataError as error:
            raise DataError(f"{path}, line {item.number}: {error}") from error
        call = as_typed(ToolCall(CURL, {"command": item.labels[0]}))
        tasks.append(weather_task(str(item.number), "test", item.goal, call, item.labels))
    return TaskSet(tasks, NAME)
