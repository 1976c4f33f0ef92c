"""Sheet tasks from SambaNova's own files."""

from __future__ import annotations

import csv
from pathlib import Path

from stb_env.errors import DataError
from stb_env.suites.sambanova.common.interpreter.crash import CrashError
from stb_env.suites.sambanova.common.interpreter.reader import PROGRAM
from stb_env.suites.sambanova.common.official import read_official
from stb_env.suites.sambanova.google_sheets.judge import labelled
from stb_env.suites.sambanova.google_sheets.original_frame import read_frame
from stb_env.suites.sambanova.google_sheets.tasks import NAME, sheets_task
from stb_env.suites.sambanova.google_sheets.values import Plain, entered
from stb_env.tasks import TaskSet
from stb_env.tools import ToolCall

SHEETS = "sheets"
"""Folder with the worksheets that tasks start from, beside ``test.jsonl``."""

_PIVOT = "pivotTable"
"""Part of every program that asks the service for a pivot table."""


def official_tasks(path: str | Path) -> TaskSet:
    """Read the test items of an official folder; every label is tried.

    The worksheets that the items start from are no files of the benchmark, but a public spreadsheet. Export
    each as CSV into ``sheets/NAME.csv`` beside ``test.jsonl``. As in the original (specification of the eight
    tasks, 7.1), each is read as a data frame and written anew: merged and missing titles get names, blank
    rows and columns are gone.

    Args:
        path: Folder with ``test.jsonl``, or that file.

    Raises:
        ConfigError: A label uses data frames, and pandas is not installed.
        DataError: A file is missing or broken, or a label does not run.
    """
    path = Path(path)
    folder = (path if path.is_dir() else path.parent) / SHEETS
    tasks = []
    for item in read_official(path).items:
        name = item.record.get("question_sheet_name")
        if not isinstance(name, str) or not name or Path(name).name != name:
            raise DataError(f"{path}, line {item.number}: 'question_sheet_name' must name a worksheet")
        task = sheets_task(
            str(item.number),
            "test",
            item.goal,
            name,
            # What the original starts from is the table as data frames read it, written anew.
            read_frame(read_grid(folder / f"{name}.csv")).grid,
            item.labels,
            (ToolCall(PROGRAM, {"text": item.labels[0]}),),
            check_format=bool(item.record.get("check_format", False)),
            is_summary=any(_PIVOT in label for label in item.labels),
            sheet_name=name,
        )
        try:
            labelled(task)
        except DataError as error:
            raise DataError(f"{path}, line {item.number}: {error}") from error
        tasks.append(task)
    return TaskSet(tasks, NAME)


def read_grid(file: Path) -> list[list[Plain | None]]:
    """Read a worksheet that was exported as CSV.

    Raises:
        DataError: The file is missing or broken.
    """
    if not file.is_file():
        raise DataError(f"no worksheet at {file}; export it from the spreadsheet as CSV, under this name")
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.reader(lines))
        return [[_value(text) for text in row] for row in rows]
    except (UnicodeDecodeError, csv.Error, CrashError) as error:
        raise DataError(f"{file} is no CSV of a worksheet: {error}") from error


def _value(text: str) -> Plain | None:
    content = entered(text).content
    # An exported formula is its value; what still begins with an equals sign is text.
    return content if isinstance(content, bool | int | float | str | None) else text
