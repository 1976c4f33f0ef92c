"""Task ids: split, template, turn and number of distractors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from stb_env import seeding
from stb_env.errors import DataError, did_you_mean
from stb_env.suites.sandbox.content.edition import KEPT
from stb_env.suites.sandbox.template import Template, templates, twin_templates

BUCKETS: Mapping[str, range] = {"train": range(8), "val": range(8, 9), "test": range(9, 10)}
MISSING = "missing"
"""The split of twins: one can be done, the other lacks a detail, a thing or a tool: right is to say so."""
EDITIONS: Mapping[str, range] = {
    "train": range(8),
    "val": range(8, 10),
    "test": range(10, 13),
    MISSING: range(13, KEPT),
}
"""The editions of the content in which the tasks of a split play: what training has shown of one is wrong
in all the others."""
SPLITS = (*BUCKETS, MISSING)
HELD_OUT_SPLITS = frozenset({"test", MISSING})
"""The splits that may show held-out tools."""
TEST_GROUP = 100
"""Tasks of each group in the test split."""
MISSING_TASKS = 200
"""Tasks in split missing, half of them impossible."""
_VAL_DRAWS = 2
MOST_DISTRACTORS = 20

_ID = re.compile(r"(train|val|test|missing)-([a-z0-9_]+)-(0|[1-9]\d{0,17})(?:-d(\d{1,2}))?")
DISTRACTORS = 4


def draws(split: str, template: Template) -> int | None:
    """Return how many instances of a template a split has; None is without end.

    The test split shares `TEST_GROUP` tasks out among the templates of each group, split missing
    `MISSING_TASKS` among all of its own, two by two.
    """
    if split == "train":
        return None
    if split == "val":
        return _VAL_DRAWS
    if split == MISSING:
        return 2 * _share(MISSING_TASKS // 2, list(twin_templates()), template.name)
    names = [known.name for known in templates().values() if known.group == template.group]
    return _share(TEST_GROUP, names, template.name)


def _share(total: int, names: list[str], name: str) -> int:
    return total // len(names) + (names.index(name) < total % len(names))


def templates_of(split: str) -> Mapping[str, Template]:
    """Return the templates from which a split is made, held-out ones included, by name."""
    return twin_templates() if split == MISSING else templates()


class TaskKey(NamedTuple):
    """The parts of a task id."""

    split: str
    template: Template
    turn: int
    distractors: int

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, task_id: str) -> TaskKey:
        """Read a task id such as ``train-sun_times-17`` or ``test-sun_times-3-d8``.

        Raises:
            DataError: There is no such task.
        """
        match = _ID.fullmatch(task_id)
        found = templates_of(match[1]).get(match[2]) if match else None
        if match is None or found is None:
            known = [f"{split}-{name}-0" for split in SPLITS for name in templates_of(split)]
            near = did_you_mean(task_id, known)
            raise DataError(f"no sandbox task {task_id[:80]!r}; ids look like 'train-sun_times-17'.{near}")
        split, index, limit = match[1], int(match[3]), draws(match[1], found)
        if found.held_out and split not in HELD_OUT_SPLITS:
            raise DataError(f"no task {task_id!r}: {found.name} needs held-out tools, which only test has")
        if limit is not None and index >= limit:
            raise DataError(f"no task {task_id!r}: {split} has instances 0 to {limit - 1} of {found.name}")
        distractors = int(match[4]) if match[4] else DISTRACTORS
        if distractors > MOST_DISTRACTORS:
            raise DataError(f"no task {task_id!r}: at most {MOST_DISTRACTORS} distractors, got {distractors}")
        return cls(split, found, index, distractors)

    @property
    def place(self) -> int:
        """The number of the instance among those of its template; twins share it."""
        return self.turn // 2 if self.template.twins else self.turn

    @property
    def feasible(self) -> bool:
        """True if the request can be met; the order of the twins is drawn at random."""
        first = seeding.derive("sandbox twins", self.template.name, self.place) % 2
        return not self.template.twins or self.turn % 2 == first

    @property
    def id(self) -> str:
        """The task id."""
        plain = f"{self.split}-{self.template.name}-{self.turn}"
        return plain if self.distractors == DISTRACTORS else f"{plain}-d{self.distractors}"
