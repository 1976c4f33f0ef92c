"""Tasks that a function makes of seeds, as a source: each split has a range of seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise

from stb_env.declare.declaration import Declaration, Range, made_query
from stb_env.declare.queries import Query
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.tasks import Task

_HASHED, _TRIED = 100, 3
_RANGES: Mapping[str, Range] = {"test": (0, 100), "train": (100, None)}


class DeclaredTasks:
    """The tasks of one split of an environment; the seed of a task is its id.

    Args:
        declaration: The environment's declaration.
        split: The split.

    Raises:
        ConfigError: There is no such split.
    """

    def __init__(self, declaration: Declaration, split: str) -> None:
        if split not in declaration.splits:
            known = ", ".join(declaration.splits)
            near = did_you_mean(split, declaration.splits)
            raise ConfigError(f"{declaration.env_id} has the splits {known}, got split={split!r}.{near}")
        self._declared, self.split = declaration, split
        self.name = declaration.env_id
        self._first, self._end = declaration.splits[split]

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where there is no end."""
        return None if self._end is None else self._end - self._first

    @cached_property
    def hash(self) -> str:
        """SHA-256 hex digest over the first hundred tasks."""
        digest = hashlib.sha256(f"{self._declared.source} {self.split}".encode())
        for index in range(min(_HASHED, self.size or _HASHED)):
            digest.update(self.at(index).key.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def endless(self) -> DeclaredTasks:
        """Return the tasks of the split without end, or else of the last split."""
        splits = self._declared.splits
        return DeclaredTasks(
            self._declared, next((name for name, (_, end) in splits.items() if end is None), [*splits][-1])
        )

    def at(self, index: int) -> Task:
        """Return the task of an index from 0; past the end it starts over."""
        return _task(self._declared, str(self._first + (index if self.size is None else index % self.size)))

    def get(self, task_id: str) -> Task:
        """Return the task of a seed, of whichever split.

        Raises:
            DataError: It is no seed of any split.
        """
        if self._declared.query(task_id) is None:
            ranges = ", ".join(
                f"{name} from {first} to {'no end' if end is None else end - 1}"
                for name, (first, end) in self._declared.splits.items()
            )
            raise DataError(f"no task {task_id[:40]!r} in {self.name}; its seeds are {ranges}")
        return _task(self._declared, task_id)


@lru_cache(maxsize=4096)
def _task(declaration: Declaration, task_id: str) -> Task:
    return declaration.task(task_id)


def read_ranges(env_id: str, splits: Mapping[str, object] | None, *, seeded: bool) -> dict[str, Range]:
    """Return the ranges of seeds of an environment's splits.

    Raises:
        ConfigError: There are none to have, one is no range, or two overlap.
    """
    if not seeded:
        if splits is not None:
            raise ConfigError(
                f"splits of {env_id} are for tasks from seeds; give each listed task its split="
            )
        return {}
    ranges: dict[str, Range] = {}
    for split, given in (_RANGES if splits is None else splits).items():
        match given:
            case [int() as first, (int() | None) as end] if first >= 0 and (end is None or end > first):
                ranges[split] = (first, end)
            case _:
                raise ConfigError(
                    f"the split {split!r} of {env_id} is {given!r:.60}; give its first seed and the one "
                    "after its last, as in (0, 100), or (100, None) without end"
                )
    ordered = sorted(ranges.items(), key=lambda one: one[1][0])
    for (one, (_, end)), (other, (first, _)) in pairwise(ordered):
        if end is None or end > first:
            raise ConfigError(f"the splits {one!r} and {other!r} of {env_id} share seeds; part their ranges")
    if not ranges:
        raise ConfigError(
            f"splits of {env_id} are empty; give a range of seeds, as in {{'train': (0, None)}}"
        )
    return ranges


def first_queries(
    env_id: str, seeded: Callable[[int], Query], splits: Mapping[str, Range]
) -> dict[str, Query]:
    """Return the first queries of every split, which show what is wrong with their function.

    Raises:
        ConfigError: It fails, returns something else, or something else each time.
    """
    queries: dict[str, Query] = {}
    for split, (first, end) in splits.items():
        for seed in range(first, min(first + _TRIED, first + _TRIED if end is None else end)):
            query = made_query(seeded, seed, split, env_id)
            again = made_query(seeded, seed, split, env_id)
            if (query.text, query.gold, query.answer, query.facts) != (
                again.text,
                again.gold,
                again.answer,
                again.facts,
            ):
                raise ConfigError(
                    f"tasks of {env_id} returned two tasks for the seed {seed}; draw from "
                    "random.Random(seed) alone"
                )
            if query.id:
                raise ConfigError(f"the task of seed {seed} of {env_id} has an id; its seed is its id")
            queries[str(seed)] = query
    return queries
