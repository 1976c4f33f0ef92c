"""What a task id says: split, template, turn and number of distractors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from stb_env.errors import DataError, did_you_mean
from stb_env.worlds.sandbox.template import Template, templates

BUCKETS: Mapping[str, range] = {"train": range(8), "val": range(8, 9), "test": range(9, 10)}
TEST_GROUP = 100
"""Tasks of each group in the test split."""
_VAL_DRAWS = 2
MOST_DISTRACTORS = 20

_ID = re.compile(r"(train|val|test)-([a-z0-9_]+)-(0|[1-9]\d{0,17})(?:-d(\d{1,2}))?")
DISTRACTORS = 4


def draws(split: str, template: Template) -> int | None:
    """Return how many instances of a template a split has; None is without end.

    The test split shares `TEST_GROUP` tasks out among the templates of each group.
    """
    if split == "train":
        return None
    if split == "val":
        return _VAL_DRAWS
    names = [known.name for known in templates().values() if known.group == template.group]
    return TEST_GROUP // len(names) + (names.index(template.name) < TEST_GROUP % len(names))


class TaskKey(NamedTuple):
    """What a task id says."""

    split: str
    template: Template
    turn: int
    distractors: int

    @classmethod
    def parse(cls, task_id: str) -> TaskKey:
        """Read a task id such as ``train-sun_times-17`` or ``test-sun_times-3-d8``.

        Raises:
            DataError: There is no such task.
        """
        match = _ID.fullmatch(task_id)
        found = templates().get(match[2]) if match else None
        if match is None or found is None:
            known = [f"{split}-{name}-0" for split in BUCKETS for name in templates()]
            near = did_you_mean(task_id, known)
            raise DataError(f"no sandbox task {task_id[:80]!r}; ids look like 'train-sun_times-17'.{near}")
        split, index, limit = match[1], int(match[3]), draws(match[1], found)
        if found.held_out and split != "test":
            raise DataError(f"no task {task_id!r}: {found.name} needs held-out tools, which only test has")
        if limit is not None and index >= limit:
            raise DataError(f"no task {task_id!r}: {split} has instances 0 to {limit - 1} of {found.name}")
        distractors = int(match[4]) if match[4] else DISTRACTORS
        if distractors > MOST_DISTRACTORS:
            raise DataError(f"no task {task_id!r}: at most {MOST_DISTRACTORS} distractors, got {distractors}")
        return cls(split, found, index, distractors)

    @property
    def id(self) -> str:
        """The task id."""
        plain = f"{self.split}-{self.template.name}-{self.turn}"
        return plain if self.distractors == DISTRACTORS else f"{plain}-d{self.distractors}"
