"""The files of a task as SambaNova distributes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.errors import DataError
from stb_env.tasks import Task, TaskSet


class Document(NamedTuple):
    """An API document: the name of its file and its text."""

    name: str
    text: str


class Demonstration(NamedTuple):
    """A solved example: the name of its file, the goal and the program."""

    name: str
    goal: str
    program: str

    @classmethod
    def of(cls, name: str, task: Task) -> Demonstration:
        """Return a task with its first label as an example."""
        return cls(name, task.query, task.goal["labels"][0])


@dataclass(frozen=True, slots=True)
class Item:
    """One line of ``test.jsonl``.

    Attributes:
        number: Line number, from 1.
        goal: What the user asks.
        labels: Accepted programs.
        record: The line as it is.
    """

    number: int
    goal: str
    labels: tuple[str, ...]
    record: JsonMapping


@dataclass(frozen=True, slots=True)
class Official:
    """A task folder: test items, and documents and demonstrations where they are there."""

    items: tuple[Item, ...]
    documents: tuple[Document, ...] = ()
    demonstrations: tuple[Demonstration, ...] = ()


def read_official(path: str | Path) -> Official:
    """Read a version folder with ``test.jsonl``, ``functions/`` and ``examples/``, or a test file alone.

    Raises:
        DataError: There is no test file, or a file is not what its format promises.
    """
    path = Path(path)
    file = path / "test.jsonl" if path.is_dir() else path
    if not file.is_file():
        raise DataError(f"no test file at {file}; give the folder that holds test.jsonl, or that file")
    items = tuple(
        _item(file, number, line) for number, line in enumerate(_text(file).splitlines(), 1) if line.strip()
    )
    if not items:
        raise DataError(f"{file} has no lines")
    return Official(
        items,
        tuple(Document(_name(entry), _text(entry).strip()) for entry in _files(file.parent / "functions")),
        tuple(_demonstration(entry) for entry in _files(file.parent / "examples")),
    )


def official_tasks(path: str | Path, suite: str, build: Callable[[Item], Task]) -> TaskSet:
    """Read the test items of an official folder as tasks.

    Args:
        path: Folder with ``test.jsonl``, or that file.
        suite: Name of the task set.
        build: Makes a task of an item.

    Raises:
        DataError: A file is broken, or an item is refused; the message names its line.
    """
    tasks = []
    for item in read_official(path).items:
        try:
            tasks.append(build(item))
        except DataError as error:
            raise DataError(f"{path}, line {item.number}: {error}") from error
    return TaskSet(tasks, suite)


def _files(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if entry.is_file()) if folder.is_dir() else []


def _name(file: Path) -> str:
    return file.name.removesuffix(".txt")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{file} is not UTF-8 text: {error}") from error


def _item(file: Path, number: int, line: str) -> Item:
    place = f"{file}, line {number}"
    try:
        record = jsontext.loads(line)
    except ValueError as error:
        raise DataError(f"{place} is no JSON: {error}") from error
    goal = record.get("prompt") if isinstance(record, dict) else None
    labels = record.get("completion") if isinstance(record, dict) else None
    # A single label may stand without its list.
    labels = [labels] if isinstance(labels, str) else labels
    if not isinstance(goal, str) or not isinstance(labels, list) or not labels:
        raise DataError(
            f"{place} needs a text 'prompt' and a list 'completion', got {json.dumps(record)[:120]}"
        )
    if not all(isinstance(label, str) for label in labels):
        raise DataError(f"{place}: each completion must be a text, got {json.dumps(labels)[:120]}")
    return Item(number, goal.strip(), tuple(labels), record)


def _demonstration(file: Path) -> Demonstration:
    head, mark, program = _text(file).replace("Actions:", "Action:", 1).partition("Action:")
    goal = head.strip().removeprefix("Task:").strip()
    if not mark or not goal or not program.strip():
        raise DataError(f"{file} must hold 'Task: <goal>', a line 'Action:' and the program")
    return Demonstration(_name(file), goal, program.strip())
