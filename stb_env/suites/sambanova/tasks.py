"""The tasks of the suite: one list of where each is declared, from which all else follows."""

from __future__ import annotations

from collections.abc import Iterable

from stb_env.errors import ConfigError, did_you_mean
from stb_env.reference import load_object
from stb_env.suites.sambanova.common.task import SambaNovaTask

TASKS = (
    "stb_env.suites.sambanova.open_weather.task:TASK",
    "stb_env.suites.sambanova.cat_api.task:TASK",
    "stb_env.suites.sambanova.home_search.task:TASK",
    "stb_env.suites.sambanova.trip_booking.task:TASK",
    "stb_env.suites.sambanova.google_sheets.task:TASK",
    "stb_env.suites.sambanova.virtual_home.task:TASK",
    "stb_env.suites.sambanova.web_shop.task:TASK",
    "stb_env.suites.sambanova.web_shop.task:SHORT",
    "stb_env.suites.sambanova.tabletop.task:TASK",
)
"""Where each task is declared, in the order of the paper's tables."""


def declared(references: Iterable[str]) -> dict[str, SambaNovaTask]:
    """Return the tasks that stand at some places, by name.

    Raises:
        ConfigError: There is no task at a place.

    Examples:
        >>> [task.env_id for task in declared(TASKS[:2]).values()]
        ['stb/OpenWeather-v1', 'stb/CatAPI-v1']
    """
    tasks = map(_declared, references)
    return {task.id: task for task in tasks}


def _declared(reference: str) -> SambaNovaTask:
    found = load_object(reference)
    if not isinstance(found, SambaNovaTask):
        raise ConfigError(f"{reference} is a {type(found).__name__}; expected a SambaNovaTask")
    return found


SUITE = declared(TASKS)
"""Every task by its name."""


def suite_task(name: str) -> SambaNovaTask:
    """Return a task by its name, the name that saved episodes have, or the id of its environment.

    Raises:
        ConfigError: There is no such task; the message names the nearest.

    Examples:
        >>> suite_task("home_search") is suite_task("HomeSearch") is suite_task("stb/HomeSearch-v1")
        True
    """
    if name in SUITE:
        return SUITE[name]
    for task in SUITE.values():
        if name in (task.name, task.env_id):
            return task
    known = ", ".join(SUITE)
    raise ConfigError(f"no SambaNova task {name!r}; there is {known}.{did_you_mean(name, list(SUITE))}")
