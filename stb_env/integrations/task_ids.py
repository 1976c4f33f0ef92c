"""Which tasks of an environment a framework's data set has."""

from __future__ import annotations

from collections.abc import Iterable

from stb_env.errors import ConfigError
from stb_env.tasks import TaskSource


def task_ids(source: TaskSource, chosen: Iterable[str] | int | None) -> list[str]:
    """Return ids of tasks: those named, so many from the first on, or all.

    Args:
        source: The tasks of an environment.
        chosen: Ids, a number, or None for all.

    Raises:
        ConfigError: All of an endless source, more than there are, or none.
        DataError: There is no task of an id.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> task_ids(notes().tasks, 1)
        ['day']
    """
    if not (chosen is None or isinstance(chosen, int)):
        ids = [source.get(task_id).id for task_id in chosen]
        if not ids:
            raise ConfigError("no task is named; name one, or leave the tasks out for all")
        return ids
    count = source.size if chosen is None else chosen
    if count is None:
        raise ConfigError(f"{source.name} has a task for every number; say how many of them, as tasks=100")
    if not 0 < count <= (source.size or count):
        raise ConfigError(f"{source.name} has {source.size} tasks, not {count}; ask for 1 to {source.size}")
    return [source.at(index).id for index in range(count)]
