"""Tasks and ordered, hashed collections of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, overload

from stb_env import jsontext, seeding
from stb_env.errors import DataError, did_you_mean
from stb_env.jsontypes import JsonMapping
from stb_env.tools import Tool, ToolCall, ToolCatalog, ToolId, ToolResult


@dataclass(frozen=True, slots=True)
class Task:
    """One query with its tools.

    Attributes:
        id: Unique in its suite.
        query: What the user asks.
        tools: What the agent may call, Finish excluded.
        suite: The suite it belongs to, for example ``I1-Instruction`` or ``Sandbox``.
        group: The group inside the suite.
        split: ``train``, ``val`` or ``test``.
        relevant: Identities of the APIs that the data set marks as relevant.
        gold: Calls that are known to solve it, where the suite knows them.
        goal: What an exact verifier checks, as plain data; empty for open queries.
        record: The record as the data set gives it.

    Examples:
        >>> from stb_env import Task, Tool
        >>> ping = Tool("ping", "Answers pong.", {"type": "object", "properties": {}})
        >>> task = Task("1", "Is it there?", (ping,), goal={"answer": "yes"})
        >>> task.tools[0].name, task.split
        ('ping', 'test')
    """

    id: str
    query: str
    tools: tuple[Tool, ...]
    suite: str = ""
    group: str = ""
    split: str = "test"
    relevant: tuple[ToolId, ...] = ()
    gold: tuple[ToolCall, ...] = ()
    goal: JsonMapping = field(default_factory=dict, repr=False)
    record: JsonMapping = field(default_factory=dict, repr=False, compare=False)

    def __hash__(self) -> int:
        return hash((self.suite, self.id))

    @property
    def key(self) -> str:
        """Text that identifies the task's content, for hashing."""
        tools = [tool.spec for tool in self.tools]
        gold = [[call.name, call.arguments] for call in self.gold]
        return jsontext.dumps(
            [self.suite, self.group, self.split, self.id, self.query, tools, gold, dict(self.goal)]
        )


Oracle = Callable[[Task], Generator[ToolCall | str, ToolResult, str]]
"""Solves a task: yields calls, is sent their results, returns the final answer.

In conversations it also yields what it says to the user, and is sent what the user says back.
"""


class TaskSource(Protocol):
    """Where an environment gets its tasks: a `TaskSet`, or a generator with a task for every index."""

    name: str

    @property
    def size(self) -> int | None:
        """Number of tasks, or None where they are generated without end."""
        ...

    @property
    def hash(self) -> str:
        """Hex digest of the content; equal hashes mean equal tasks."""
        ...

    def at(self, index: int) -> Task:
        """Return the task of an index; past the end it starts over."""
        ...

    def get(self, task_id: str) -> Task:
        """Return the task of this id.

        Raises:
            DataError: There is none.
        """
        ...


class TaskSet(Sequence[Task]):
    """An ordered, hashed collection of tasks.

    Args:
        tasks: The tasks; ids are unique.
        name: Name of the suite.

    Raises:
        DataError: Two tasks share an id.

    Examples:
        >>> from stb_env import Task, TaskSet
        >>> tasks = TaskSet([Task("1", "a", (), group="x"), Task("2", "b", (), group="y")], name="demo")
        >>> len(tasks), tasks.get("2").query, len(tasks.filter(group="x"))
        (2, 'b', 1)
    """

    def __init__(self, tasks: Iterable[Task], name: str = "") -> None:
        self._tasks = tuple(tasks)
        self.name = name
        self._index: dict[str, int] = {}
        for position, task in enumerate(self._tasks):
            if self._index.setdefault(task.id, position) != position:
                raise DataError(
                    f"task id {task.id!r} occurs twice in {name or 'the task set'}; ids must be unique"
                )

    @overload
    def __getitem__(self, index: int) -> Task: ...

    @overload
    def __getitem__(self, index: slice) -> TaskSet: ...

    def __getitem__(self, index: int | slice) -> Task | TaskSet:
        if isinstance(index, slice):
            return TaskSet(self._tasks[index], self.name)
        return self._tasks[index]

    def __len__(self) -> int:
        return len(self._tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self._tasks)

    def __repr__(self) -> str:
        return f"TaskSet({self.name!r}, {len(self)} tasks, {self.hash[:12]})"

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self._tasks)

    @cached_property
    def hash(self) -> str:
        """SHA-256 hex digest over every task's content, in order."""
        digest = hashlib.sha256()
        for task in self._tasks:
            digest.update(task.key.encode("utf-8", "surrogatepass"))
            digest.update(b"\n")
        return digest.hexdigest()

    @cached_property
    def catalog(self) -> ToolCatalog:
        """All tools that any task offers."""
        return ToolCatalog(tool for task in self._tasks for tool in task.tools)

    def at(self, index: int) -> Task:
        """Return the task of an index, starting over past the end.

        Raises:
            DataError: The set is empty.
        """
        if not self._tasks:
            raise DataError(f"the task set {self.name!r} is empty; loosen the filter or check the data path")
        return self._tasks[index % len(self._tasks)]

    def get(self, task_id: str) -> Task:
        """Return the task of this id.

        Raises:
            DataError: There is none; the message names the nearest.
        """
        position = self._index.get(task_id)
        if position is None:
            near = did_you_mean(task_id, self._index)
            raise DataError(f"no task {task_id!r} among the {len(self)} of {self.name or 'this set'}.{near}")
        return self._tasks[position]

    def filter(
        self,
        *,
        group: str | None = None,
        split: str | None = None,
        ids: Iterable[str] | None = None,
        where: Callable[[Task], bool] | None = None,
    ) -> TaskSet:
        """Return the tasks that meet every given condition, in order.

        Raises:
            DataError: An id in ``ids`` does not exist.
        """
        wanted = None if ids is None else {self.get(task_id).id for task_id in ids}
        return TaskSet(
            (
                task
                for task in self._tasks
                if (group is None or task.group == group)
                and (split is None or task.split == split)
                and (wanted is None or task.id in wanted)
                and (where is None or where(task))
            ),
            self.name,
        )

    def split(self, fractions: Mapping[str, float], seed: int = 0) -> dict[str, TaskSet]:
        """Divide into named parts; where a task lands depends on its id and the seed alone.

        Adding tasks moves none of the others to another part.

        Args:
            fractions: Share of each part, in order; together at most 1.
            seed: Chooses another division.

        Raises:
            DataError: The shares are negative or sum to more than 1.

        Examples:
            >>> tasks = TaskSet([Task(str(i), "", ()) for i in range(1000)])
            >>> parts = tasks.split({"train": 0.8, "val": 0.1, "test": 0.1})
            >>> {name: len(part) for name, part in parts.items()}
            {'train': 799, 'val': 98, 'test': 103}
        """
        if any(share < 0 for share in fractions.values()) or sum(fractions.values()) > 1 + 1e-9:
            raise DataError(f"split shares must be 0 or more and sum to at most 1, got {dict(fractions)}")
        parts: dict[str, list[Task]] = {name: [] for name in fractions}
        for task in self._tasks:
            point = seeding.derive("split", seed, task.id) / 2**63
            for name, share in fractions.items():
                point -= share
                if point < 0:
                    parts[name].append(task)
                    break
        return {name: TaskSet(part, self.name) for name, part in parts.items()}
