"""The steps that all trials of a group share: given ones, or the first of an episode that is sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from stb_env.errors import ConfigError, DataError
from stb_env.formats.saved_action import saved_action
from stb_env.tasks import Task, TaskSource
from stb_env.trajectory import Trajectory

Prefix: TypeAlias = Trajectory | Sequence[Any]
"""A saved episode, or actions."""
Prefixes: TypeAlias = Mapping[str, Prefix]
"""What the trials of a task begin with, by task."""


def check_prefixes(prefixes: Prefixes, tasks: TaskSource) -> None:
    """Check that each prefix is one, and of its task.

    Args:
        prefixes: The prefixes.
        tasks: The tasks that an environment has.

    Raises:
        ConfigError: There is no such task, or its prefix is an episode of another one, or neither an episode
            nor a sequence of actions.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> check_prefixes({"dya": []}, notes().tasks)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: prefix needs ids of tasks: no task 'dya' among the 3 of notes. Did you ...
    """
    if not isinstance(prefixes, Mapping):
        raise ConfigError(
            f"prefix must be a mapping, got {_noun(prefixes)}; give each prefix under the id of its task"
        )
    for task_id, prefix in prefixes.items():
        try:
            task = tasks.get(str(task_id))
        except DataError as error:
            raise ConfigError(f"prefix needs ids of tasks: {error}") from None
        if isinstance(prefix, Trajectory):
            _check_origin(prefix, task)
        elif isinstance(prefix, str | bytes) or not isinstance(prefix, Sequence):
            raise ConfigError(
                f"the prefix of task {task_id!r} must be a saved episode of it (a Trajectory) or a list of "
                f"actions, got {_noun(prefix)}; put a single action into a list"
            )


def prefix_actions(prefix: Prefix, length: int | None = None) -> list[object]:
    """Return the first actions of a prefix.

    Args:
        prefix: Actions, or a saved episode.
        length: How many; None for all, of an episode for all but its last.

    Raises:
        ConfigError: There are not so many.

    Examples:
        >>> prefix_actions(["look", "think"], 1)
        ['look']
        >>> prefix_actions(["look"], 2)
        Traceback (most recent call last):
        ...
        stb_env.errors.ConfigError: branch_at is 2, but the prefix has 1 action
    """
    if isinstance(prefix, Trajectory):
        actions, most = [saved_action(step) for step in prefix.steps], max(0, len(prefix.steps) - 1)
    else:
        actions, most = list(prefix), len(prefix)
    size = most if length is None else length
    if size > len(actions):
        counted = f"{len(actions)} action{'s' * (len(actions) != 1)}"
        raise ConfigError(f"branch_at is {size}, but the prefix has {counted}")
    return actions[:size]


def marked(steps: Sequence[Mapping[str, object]], shared: int) -> list[dict[str, object]]:
    """Return steps of which the first ones say that all trials of a group share them.

    Examples:
        >>> marked([{"calls": []}, {"calls": []}], 1)
        [{'calls': [], 'prefix': True}, {'calls': []}]
    """
    return [{**step, **({"prefix": True} if place < shared else {})} for place, step in enumerate(steps)]


def _check_origin(episode: Trajectory, task: Task) -> None:
    # An episode that could not be started knows no suite.
    suite = episode.suite or task.suite
    for what, got, wanted in (("task", episode.task_id, task.id), ("suite", suite, task.suite)):
        if got != wanted:
            raise ConfigError(
                f"the prefix of task {task.id!r} is an episode of {what} {got!r}, expected {wanted!r}; give "
                "an episode of the task itself, or a list of actions"
            )


def _noun(value: object) -> str:
    return f"the text {value!r:.80}" if isinstance(value, str) else type(value).__name__
