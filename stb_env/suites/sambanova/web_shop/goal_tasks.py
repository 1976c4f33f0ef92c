"""Tasks that are made of a list of goals, each when it is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

from stb_env.errors import DataError
from stb_env.suites.sambanova.web_shop.goals import Goal
from stb_env.suites.sambanova.web_shop.tasks import NAME, shopping_task
from stb_env.tasks import Task


class GoalTasks:
    """A `TaskSource` over goals, whose ids are their places in the list.

    Args:
        goals: All goals, of which a full shop has millions.
        test: Places of the goals that are for testing.
        split: ``test`` for these, ``train`` for all others.
        source: Says what the goals were made of: equal sources mean equal goals.

    Examples:
        >>> goals = [{"instruction_text": text, "category": "home"} for text in ("a cup", "a lamp", "a rug")]
        >>> tasks = GoalTasks(goals, [1], "train", "example")
        >>> tasks.size, tasks.at(0).query, tasks.at(1).id, tasks.get("2").query
        (2, 'a cup', '2', 'a rug')
    """

    def __init__(self, goals: Sequence[Goal], test: Sequence[int], split: str, source: str) -> None:
        self.name = NAME
        self._goals, self._split, self._source = goals, split, source
        self._test, self._taken = tuple(test), sorted(set(test))

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self._test) if self._split == "test" else len(self._goals) - len(self._taken)

    @cached_property
    def hash(self) -> str:
        """Hex digest of what the tasks are made of."""
        return hashlib.sha256(repr((self._source, self._split, self._test)).encode()).hexdigest()

    def at(self, index: int) -> Task:
        """Return the task of an index, starting over past the end.

        Raises:
            DataError: There are none.
        """
        if not self.size:
            raise DataError(f"all {len(self._goals)} goals are for testing; leave out split='train'")
        return self._task(self._place(index % self.size))

    def get(self, task_id: str) -> Task:
        """Return the task of this id.

        Raises:
            DataError: There is none.
        """
        place = int(task_id) if task_id.isdecimal() and len(task_id) < 20 else -1
        if not 0 <= place < len(self._goals) or (place in self._taken) != (self._split == "test"):
            raise DataError(
                f"no {self._split} task {task_id[:80]!r}; ids are numbers below {len(self._goals)}"
            )
        return self._task(place)

    def _place(self, index: int) -> int:
        if self._split == "test":
            return self._test[index]
        for taken in self._taken:
            if taken > index:
                break
            index += 1
        return index

    def _task(self, place: int) -> Task:
        return shopping_task(str(place), self._split, self._goals[place])
