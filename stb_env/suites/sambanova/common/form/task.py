"""The parts of an environment whose action is a program that fills in a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from stb_env.judges.judge import Judge
from stb_env.suites.sambanova.common.form.api import PROGRAM, FormApi
from stb_env.suites.sambanova.common.form.judge import FormJudge, Labels, OriginalJudge
from stb_env.suites.sambanova.common.form.program import calls_of
from stb_env.suites.sambanova.common.form.reader import form_reader, original_reader, typed
from stb_env.suites.sambanova.common.form.world import FormWorld
from stb_env.suites.sambanova.common.labelled import gold_oracle
from stb_env.suites.sambanova.common.mode import Mode, Split
from stb_env.suites.sambanova.common.official import Item, official_tasks
from stb_env.suites.sambanova.common.program_task import ProgramTask
from stb_env.tasks import Task, TaskSource
from stb_env.tools import FINISH, ToolCall


class Build(Protocol):
    """Builds a task of a form."""

    def __call__(
        self, task_id: str, split: str, goal: str, gold: Sequence[ToolCall], labels: Sequence[str]
    ) -> Task:
        """Build a task from a goal, the calls that solve it and the programs that are accepted."""
        ...


def form_task(
    api: FormApi, suite: str, tasks: Callable[[Split], TaskSource], build: Build
) -> ProgramTask[None]:
    """Return the parts of a task over a form.

    Args:
        api: The form.
        suite: Name of the task set.
        tasks: Makes the embedded tasks of a split.
        build: Builds a task of an official item.
    """

    def official(item: Item, original: bool) -> Task:
        for label in item.labels:
            Labels(api, original=original).criteria(label)
        gold = _gold(item.labels[0], api, original)
        return build(str(item.number), "test", item.goal, gold, item.labels)

    def judge(mode: Mode) -> Judge:
        return OriginalJudge(api) if mode.original else FormJudge(api, mends=not mode.program)

    return ProgramTask(
        tasks=tasks,
        official=lambda path, mode: official_tasks(path, suite, lambda item: official(item, mode.original)),
        world=lambda mode, _: FormWorld(api, original=mode.original),
        judge=judge,
        parse=form_reader(api),
        parse_original=original_reader(api),
        oracle=gold_oracle("The search is submitted."),
    )


def _gold(label: str, api: FormApi, original: bool) -> tuple[ToolCall, ...]:
    if original:
        # Taken apart, its calls would be held to their schemas.
        return (ToolCall(PROGRAM, {"text": label}),)
    return tuple(typed(call) for call in calls_of(label, api, trusted=True) if call.name != FINISH)
