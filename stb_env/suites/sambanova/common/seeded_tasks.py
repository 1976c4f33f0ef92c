"""Tasks made from a seed: a fixed test list, and training tasks without end that share nothing with it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cached_property

from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.seeding import derive
from stb_env.tasks import Task

SPLITS = ("test", "train")
TEST_SIZE = 100

_ID = re.compile(r"(test|train)-(0|[1-9]\d{0,17})")
_TEST_SHARE = 4

Generate = Callable[[str, int], Task]
"""Makes the task of a split and an index."""


def belongs(split: str, content: str) -> bool:
    """Return whether a task with this content may stand in a split; each content is of exactly one.

    Examples:
        >>> belongs("test", "a") != belongs("train", "a")
        True
    """
    return (derive("split", content) % _TEST_SHARE == 0) == (split == "test")


class SeededTasks:
    """A `TaskSource` over a function that makes any task again from its id.

    Args:
        name: Name of the suite.
        generate: Makes a task.
        split: ``test``, a fixed list, or ``train``, without end.
        test_size: Number of test tasks.

    Raises:
        ConfigError: There is no such split.

    Examples:
        >>> from stb_env.tools import Tool
        >>> ping = Tool("ping", "", {})
        >>> tasks = SeededTasks("demo", lambda split, index: Task(f"{split}-{index}", "?", (ping,)), "train")
        >>> tasks.at(7).id, tasks.get("test-99").id, tasks.size
        ('train-7', 'test-99', None)
    """

    def __init__(
        self, name: str, generate: Generate, split: str = "test", test_size: int = TEST_SIZE
    ) -> None:
        if split not in SPLITS:
            near = did_you_mean(split, SPLITS)
            raise ConfigError(f"unknown split {split!r}; known: {', '.join(SPLITS)}.{near}")
        self.name = name
        self._generate = generate
        self._split = split
        self._test_size = test_size

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where there is no end."""
        return self._test_size if self._split == "test" else None

    @cached_property
    def hash(self) -> str:
        """SHA-256 hex digest over the test tasks, or over as many of the training tasks."""
        digest = hashlib.sha256()
        for index in range(self._test_size):
            digest.update(self.at(index).key.encode())
        return digest.hexdigest()

    def endless(self) -> SeededTasks:
        """Return the training tasks."""
        return SeededTasks(self.name, self._generate, "train", self._test_size)

    def at(self, index: int) -> Task:
        """Return the task of an index from 0; past the end it starts over."""
        return self._generate(self._split, index % self.size if self.size else index)

    def get(self, task_id: str) -> Task:
        """Return the task of this id, of whichever split.

        Raises:
            DataError: There is none.
        """
        match = _ID.fullmatch(task_id)
        if match is None or (match[1] == "test" and int(match[2]) >= self._test_size):
            last = f"test-{self._test_size - 1}"
            raise DataError(
                f"no {self.name} task {task_id[:80]!r}; ids go from 'test-0' to {last!r}, and 'train-0' on"
            )
        return self._generate(match[1], int(match[2]))
