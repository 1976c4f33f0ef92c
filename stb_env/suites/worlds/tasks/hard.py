"""The pinned hard test: a fixed list of tasks under every dial, by their ids."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cached_property
from importlib.resources import files

from stb_env.errors import DataError, did_you_mean
from stb_env.suites.worlds.data.traits import Traits
from stb_env.suites.worlds.tasks.dials import Dials
from stb_env.suites.worlds.tasks.making import task_of
from stb_env.suites.worlds.tasks.source import WorldTasks
from stb_env.suites.worlds.world import VERSION
from stb_env.tasks import Task

LEVELS = (5, 6)
SIZE = 300
HARD_DIALS = Dials(faults=10, events=1, hidden=2, tools=80, budget=200)


def candidates(level: int) -> WorldTasks:
    """Return the tasks of a level of which the first are pinned: of the test split, under every dial."""
    return WorldTasks(
        "test",
        level=level,
        policies=True,
        services=4,
        dials=HARD_DIALS,
        traits=Traits(look_alikes=2),
    )


class HardTasks:
    """A `TaskSource` of pinned tasks: their ids stand in ``hard.toml``, and a task is made from its id.

    Examples:
        >>> tasks = HardTasks()
        >>> tasks.size
        300
    """

    name = "WorldsHard"
    levels = range(LEVELS[0], LEVELS[-1] + 1)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The ids of the tasks, in order."""
        text = files("stb_env.suites.worlds.tasks").joinpath("hard.toml").read_text("utf-8")
        return tuple(tomllib.loads(text)["ids"])

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self.ids)

    @property
    def hash(self) -> str:
        """SHA-256 hex digest of what the tasks are made from: their ids, the kits and the version."""
        digest = hashlib.sha256(f"hard {VERSION} {WorldTasks('test').hash}".encode())
        digest.update(" ".join(self.ids).encode())
        return digest.hexdigest()

    def at(self, index: int) -> Task:
        """Return the task of an index from 0; past the end it starts over."""
        return task_of(self.ids[index % self.size]).task

    def get(self, task_id: str) -> Task:
        """Return the task of this id.

        Raises:
            DataError: There is none in the list.
        """
        if task_id not in self.ids:
            near = did_you_mean(task_id, self.ids)
            raise DataError(f"{task_id!r:.80} is none of the {self.size} tasks of stb/WorldsHard-v0.{near}")
        return task_of(task_id).task
