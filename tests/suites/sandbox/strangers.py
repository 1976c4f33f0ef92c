"""Answers of strangers: honest ones by hand, gaming ones by rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.tasks import Task
from tests.suites.sandbox.wordings import Judged, judge, played


class Shown:
    """The value of a fact: dates and times take strftime's codes, numbers those of a float."""

    def __init__(self, fact: Mapping[str, Any]) -> None:
        value = fact["value"]
        self.value = value[0] if isinstance(value, list) else value

    def __format__(self, spec: str) -> str:
        if "%" in spec and isinstance(self.value, str):
            pattern = "%H:%M" if ":" in self.value else "%Y-%m-%d"
            return datetime.strptime(self.value, pattern).strftime(spec)
        return format(self.value, spec)


def worded(task: Task, pattern: str) -> str:
    """Return an answer with the values of the task's facts in it."""
    return pattern.format(*map(Shown, task.goal.get("facts", ())))


def honest(answers: Mapping[str, tuple[str, ...]]) -> Iterator[Judged]:
    """Yield what the judge says of honest answers, after the calls that gold makes."""
    source = SandboxTasks()
    for task_id, patterns in answers.items():
        game = played(source.get(task_id))
        for pattern in patterns:
            yield judge("honest", game, worded(game.task, pattern))
