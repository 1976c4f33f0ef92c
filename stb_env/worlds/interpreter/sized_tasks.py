"""Seeded tasks whose test list has another size than most."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property

from stb_env.errors import DataError
from stb_env.tasks import Task
from stb_env.worlds.curl.seeded_tasks import Generate, SeededTasks

_TEST_ID = re.compile(r"test-(0|[1-9]\d{0,17})")


class SizedTasks(SeededTasks):
    """A `TaskSource` over a function that makes any task again from its id.

    Args:
        name: Name of the suite.
        generate: Makes a task.
        split: ``test``, a fixed list, or ``train``, without end.
        test_size: Number of test tasks.

    Raises:
        ConfigError: There is no such split.

    Examples:
        >>> tasks = SizedTasks("demo", lambda split, index: Task(f"{split}-{index}", "?", ()), "test", 70)
        >>> tasks.size, tasks.get("test-69").id, tasks.at(70).id, tasks.endless().at(70).id
        (70, 'test-69', 'test-0', 'train-70')
    """

    def __init__(self, name: str, generate: Generate, split: str, test_size: int) -> None:
        super().__init__(name, generate, split)
        self._test_size = test_size

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where there is no end."""
        return self._test_size if super().size else None

    @cached_property
    def hash(self) -> str:
        """SHA-256 hex digest over the test tasks, or over as many of the training tasks."""
        digest = hashlib.sha256()
        for index in range(self._test_size):
            digest.update(self.at(index).key.encode())
        return digest.hexdigest()

    def endless(self) -> SizedTasks:
        """Return the training tasks."""
        return SizedTasks(self.name, self._generate, "train", self._test_size)

    def get(self, task_id: str) -> Task:
        """Return the task of this id, of whichever split.

        Raises:
            DataError: There is none.
        """
        match = _TEST_ID.fullmatch(task_id)
        if match is None:
            return super().get(task_id)
        if int(match[1]) >= self._test_size:
            raise DataError(
                f"no {self.name} task {task_id!r}; test ids go up to 'test-{self._test_size - 1}'"
            )
        return self._generate("test", int(match[1]))
