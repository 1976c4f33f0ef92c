"""A backend whose tools are local executable code over immutable state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic

from stb_env.backend.backend import S
from stb_env.backend.lazy_mapping import put
from stb_env.backend.own import as_answer
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow, settled
from stb_env.errors import BackendError, STBError, bug_in
from stb_env.tasks import Task
from stb_env.tools import Status, Tool, ToolCall, ToolResult

Row = JsonMapping
Table = Mapping[str, Row]


@dataclass(frozen=True, slots=True)
class Tables:
    """Named tables of rows, copied on write, so that a snapshot is a reference.

    Rows are plain dicts that nothing changes after they were put in.

    Attributes:
        tables: Rows by id, by table name.
        counters: How many ids each prefix has given out.

    Examples:
        >>> empty = Tables()
        >>> key, state = empty.next_id("note")
        >>> state = state.with_row("notes", key, {"text": "milk"})
        >>> state.row("notes", "note-001"), empty.row("notes", "note-001")
        ({'text': 'milk'}, None)
    """

    tables: Mapping[str, Table] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)

    def table(self, table: str) -> Table:
        """Return the rows of a table by id, in order of insertion; empty where there is no such table."""
        return self.tables.get(table, {})

    def row(self, table: str, key: str) -> Row | None:
        """Return one row, or None."""
        return self.table(table).get(key)

    def with_row(self, table: str, key: str, row: Row) -> Tables:
        """Return a state in which the table holds this row."""
        # dataclasses.replace costs a microsecond more, on every write.
        return Tables(put(self.tables, table, {**self.table(table), key: row}), self.counters)

    def without_row(self, table: str, key: str) -> Tables:
        """Return a state without this row; the same one where it is absent already."""
        if key not in self.table(table):
            return self
        rows = {other: row for other, row in self.table(table).items() if other != key}
        return Tables(put(self.tables, table, rows), self.counters)

    def next_id(self, prefix: str) -> tuple[str, Tables]:
        """Return a fresh id such as ``note-001`` and the state that has given it out."""
        count = self.counters.get(prefix, 0) + 1
        return f"{prefix}-{count:03}", Tables(self.tables, put(self.counters, prefix, count))


class World(ABC, Generic[S]):
    """A `Backend` for local tools: answers at once, never fails, keeps no episode.

    A subclass names the type of its states: ``class Desk(World[Tables])``. It may define `call` as ``async``
    too. What it raises is a bug of the world: the episode is invalid then, and never unsolved.

    Examples:
        >>> from stb_env import Task, TaskSet, Tool, ToolEnv, ToolResult, World, load_judge
        >>> class Counter(World):
        ...     fingerprint = {"world": "counter"}
        ...     def start(self, task, seed):
        ...         return 0
        ...     def call(self, state, tool, arguments):
        ...         return ToolResult.of({"count": state + 1}, source="world"), state + 1
        >>> tick = Tool("tick", "Counts.", {"type": "object", "properties": {}})
        >>> tasks = TaskSet([Task("1", "Count to two.", (tick,))])
        >>> env = ToolEnv(tasks, Counter(), load_judge("heuristic"))
        >>> _ = env.reset(seed=0)
        >>> [env.step('{"name": "tick", "arguments": {}}')[0]["result"] for _ in range(2)][-1]
        '{"error": "", "response": {"count": 2}}'
    """

    @property
    @abstractmethod
    def fingerprint(self) -> dict[str, object]:
        """Plain data that decides the answers, for the run's manifest."""

    @abstractmethod
    def start(self, task: Task, seed: int) -> S:
        """Return the state at the start of an episode of this task."""

    @abstractmethod
    def call(self, state: S, tool: Tool, arguments: Mapping[str, object]) -> tuple[ToolResult, S]:
        """Run one call and return its result and the new state; pure, so the old state stays valid.

        Args:
            state: A state that `start` or `call` returned.
            tool: One of this world's tools.
            arguments: Anything; arguments that do not fit are answered with an error.
        """

    def answer(self, state: S, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, S]]:
        """Answer one call; yields no request unless `call` is asynchronous.

        Raises:
            BackendError: `call` raised something, or returned what is no answer.
        """
        if isinstance(call.arguments, str):
            error = f"arguments must be a JSON object, got text {call.arguments[:80]!r}"
            result = ToolResult.of("", error=error, source="world", status=Status.INVALID_ARGUMENTS)
            return result, state
        try:
            made = self.call(state, tool, call.arguments)
            if type(made) is tuple:
                return made
            return as_answer((yield from settled(made)), f"world {type(self).__name__!r}")
        except STBError:
            raise
        except Exception as error:
            who = f"tool {tool.name!r} of {type(self).__name__}"
            raise BackendError(bug_in(who, error, self.call), stage="world") from error

    def recorded(self, state: S, tool: Tool, call: ToolCall) -> ToolResult | None:  # noqa: ARG002
        """Return None: a world computes every answer."""
        return None

    def close(self) -> None:
        """Release handles; a world has none."""
