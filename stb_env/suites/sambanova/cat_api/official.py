"""Cat tasks from SambaNova's own files."""

from __future__ import annotations

from pathlib import Path

from stb_env.errors import DataError
from stb_env.suites.sambanova.cat_api.account import Account
from stb_env.suites.sambanova.cat_api.command import as_typed
from stb_env.suites.sambanova.cat_api.judge import OriginalJudge, outcome_of
from stb_env.suites.sambanova.cat_api.tasks import NAME, cat_task
from stb_env.suites.sambanova.common.curl.reader import CURL
from stb_env.suites.sambanova.common.official import Item, read_official
from stb_env.tasks import TaskSet
from stb_env.tools import ToolCall

FAVOURITES = ("q7Kd2mPzA", "aaR5tLw8e")
"""What an account has among its favourites, besides what the goal deletes."""


def official_tasks(path: str | Path, *, original: bool = False) -> TaskSet:
    """Read the test items of an official folder; every label is tried.

    The files do not say what the account holds. Each task gets one whose favourites include whatever its
    labels delete.

    Args:
        path: Folder with ``test.jsonl``, or that file.
        original: Whether labels have to run in the original's own way.

    Raises:
        DataError: A file is broken, or a label does not run.
    """
    tasks = []
    for item in read_official(path).items:
        calls = [as_typed(ToolCall(CURL, {"command": label})) for label in item.labels]
        deleted = [str(_image_of(call)) for call in calls if call.name == "delete_favourite"]
        favourites = tuple(dict.fromkeys((*FAVOURITES, *deleted)))
        by_text = bool(item.record.get("compare_string_only"))
        try:
            _try(item, favourites, by_text=by_text, original=original)
        except DataError as error:
            raise DataError(f"{path}, line {item.number}: {error}") from error
        number = str(item.number)
        tasks.append(cat_task(number, "test", item.goal, calls[0], item.labels, favourites, by_text=by_text))
    return TaskSet(tasks, NAME)


def _try(item: Item, favourites: tuple[str, ...], *, by_text: bool, original: bool) -> None:
    account = Account.of(favourites)
    judge = OriginalJudge()
    for label in item.labels:
        if not original:
            outcome_of(label, account)
        elif not by_text:
            judge.answer_to(label, account)


def _image_of(call: ToolCall) -> object:
    return "" if isinstance(call.arguments, str) else call.arguments.get("image_id", "")
