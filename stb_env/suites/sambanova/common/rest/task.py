"""The parts of an environment whose action is one request to a service."""

from __future__ import annotations

from collections.abc import Callable

from stb_env.judges.judge import Judge
from stb_env.suites.sambanova.common.labelled import gold_oracle
from stb_env.suites.sambanova.common.mode import Split
from stb_env.suites.sambanova.common.official import Item, official_tasks
from stb_env.suites.sambanova.common.program_task import ProgramTask
from stb_env.suites.sambanova.common.rest.actions import curl_reader
from stb_env.suites.sambanova.common.rest.service import S, Service
from stb_env.suites.sambanova.common.rest.world import RestWorld
from stb_env.tasks import Task, TaskSource


def rest_task(
    service: Service[S],
    suite: str,
    tasks: Callable[[Split], TaskSource],
    official: Callable[[Item, bool], Task],
    judge: Judge,
    original_judge: Judge,
) -> ProgramTask[None]:
    """Return the parts of a task over a service.

    Args:
        service: The service.
        suite: Name of the task set.
        tasks: Makes the embedded tasks of a split.
        official: Makes a task of an official item, by the original's rules where the second argument says so.
        judge: The exact judge.
        original_judge: The original's judge.
    """
    return ProgramTask(
        tasks=tasks,
        official=lambda path, mode: official_tasks(path, suite, lambda item: official(item, mode.original)),
        world=lambda mode, _: RestWorld(service, original=mode.original),
        judge=lambda mode: original_judge if mode.original else judge,
        # A command is read as the typed call that it stands for; the original judges its text.
        parse=curl_reader(service.as_typed, known=service.tools),
        parse_original=curl_reader(service.as_command, continued=False),
        oracle=gold_oracle("The request is sent."),
    )
