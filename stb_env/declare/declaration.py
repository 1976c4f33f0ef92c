"""Declarations of environments, found again in any process by the place of the declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from stb_env.backend.own import UserLike
from stb_env.core.reference import load_module, place_of
from stb_env.declare.facts import ASK_USER, asking_tool
from stb_env.declare.function import Function
from stb_env.declare.queries import Query, Reasons, to_task
from stb_env.declare.states import Clock, Timed, started
from stb_env.errors import ConfigError, DataError, did_you_mean
from stb_env.judges.own_judge import JudgeLike
from stb_env.tasks import Task
from stb_env.tools import ToolId

_DECLARED: dict[str, Declaration] = {}

Range = tuple[int, int | None]
"""The first seed of a split, and the one after its last; None for no end."""


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """Arguments of `stb_env.environment`.

    Functions and checks need not pickle: a declaration is pickled as the place where it stands, and whoever
    reads that imports the module or runs the file.

    Attributes:
        place: Module name or file, from `stb_env.core.reference.place_of`.
        env_id: The environment's id.
        suite: Name of its suite.
        functions: Tools by name.
        queries: What was declared of each task, by id; empty where tasks come from seeds.
        seeded: Makes the task of a seed.
        splits: Range of seeds of each split, where tasks come from seeds.
        reasons: What may be lacking, by the reason for which a request cannot be met.
        state: What makes the state, or an object that is copied.
        judge: What judges in place of the tasks' checks.
        user: Hears what agents write without a call; ``model`` for one.
        policy: What every agent is told beside the usual.
        today: The day of every episode.
        facts: What the user can be asked about; empty where nobody is there to be asked.
        timed: Whether episodes have a clock, events or facts that a user knows.
        max_turns: Actions after which an episode is cut off.
        timeouts: Seconds that calls of tools may take, by the tool's name; those of others may take for ever.
        source: Hash of the files that declare it.
    """

    place: str
    env_id: str
    suite: str
    functions: Mapping[str, Function]
    queries: Mapping[str, Query]
    seeded: Callable[[int], Query] | None
    splits: Mapping[str, Range]
    reasons: Reasons | None
    state: Any
    judge: JudgeLike | str | None
    user: UserLike | str | None
    policy: str
    today: date | None
    facts: tuple[str, ...]
    timed: bool
    max_turns: int
    timeouts: Mapping[str, float]
    source: str

    @property
    def where(self) -> str:
        """Text that names it in any process: ``module:ID`` or ``path.py:ID``."""
        return f"{self.place}:{self.env_id}"

    def __reduce__(self) -> tuple[Callable[[str], Declaration], tuple[str]]:
        return declared, (self.where,)

    def query(self, task_id: str) -> Query | None:
        """Return what was declared of a task; None where there is no such task."""
        return self.queries.get(task_id) if self.seeded is None else _seeded(self, task_id)

    def task(self, task_id: str) -> Task:
        """Return a task.

        Raises:
            DataError: There is no such task.
            ConfigError: Something is wrong with the one that was made of a seed.
        """
        query, tools = self._known(task_id), {name: each.tool for name, each in self.functions.items()}
        unknown = [about for about in query.facts if about not in self.facts]
        if unknown:
            known = ", ".join(self.facts) or "none"
            raise ConfigError(
                f"the user of task {task_id!r} of {self.env_id} knows {unknown[0]!r}, and those of the first "
                f"tasks do not; give every task facts of the same names ({known})"
            )
        for name in query.tools or ():
            if name not in tools:
                near = did_you_mean(name, tools)
                raise ConfigError(
                    f"task {task_id!r} of {self.env_id} offers {name!r}, which is no tool.{near}"
                )
        offered = [tools[name] for name in (tools if query.tools is None else query.tools)]
        if self.facts:
            asking = asking_tool(self.facts, ToolId.of(self.suite, "user", ASK_USER))
            tools[ASK_USER] = asking
            offered.append(asking)
        return to_task(query, task_id, self.suite, tools, offered, self.reasons)

    def start(self, task_id: str) -> Any:
        """Return the state that a task starts with.

        Raises:
            DataError: There is no such task.
        """
        query = self._known(task_id)
        state = started(self.state) if query.state is None else started(query.state)
        return Timed(state, task_id) if self.timed else state

    def clock(self, task_id: str, state: object) -> Clock:
        """Return the clock of an episode in a state."""
        today = self._known(task_id).today or self.today
        return Clock(today, state.calls if isinstance(state, Timed) else 0)

    def _known(self, task_id: str) -> Query:
        query = self.query(task_id)
        if query is None:
            raise DataError(f"{self.env_id} has no task {task_id!r}")
        return query


@lru_cache(maxsize=4096)
def _seeded(declaration: Declaration, task_id: str) -> Query | None:
    """Return the query of a seed, in the split that the seed belongs to."""
    seed = int(task_id) if task_id.isascii() and task_id.isdigit() and len(task_id) < 20 else -1
    for split, (first, end) in declaration.splits.items():
        if declaration.seeded is not None and first <= seed and (end is None or seed < end):
            return made_query(declaration.seeded, seed, split, declaration.env_id)
    return None


def made_query(seeded: Callable[[int], object], seed: int, split: str, env_id: str) -> Query:
    """Return the query that a function makes of a seed.

    Raises:
        ConfigError: It raised something, or returned what is no task.
    """
    try:
        query = seeded(seed)
    except Exception as error:
        raise ConfigError(
            f"tasks of {env_id} raised {type(error).__name__} for the seed {seed}: {error}"
        ) from error
    if not isinstance(query, Query):
        kind = type(query).__name__
        raise ConfigError(
            f"tasks of {env_id} returned a {kind} for the seed {seed}; return stb_env.task(...)"
        )
    return query.of_split(split)


def declare(declaration: Declaration) -> None:
    """Keep a declaration, so that `declared` finds it; a newer one of the same place and id replaces it."""
    _DECLARED[declaration.where] = declaration


def declared(where: str) -> Declaration:
    """Return the declaration that stands at a place, importing that where it was not imported yet.

    Args:
        where: ``module:ID`` or ``path.py:ID``.

    Raises:
        ConfigError: It declares no such environment.
    """
    place, _, env_id = where.rpartition(":")
    found = _DECLARED.get(where)
    if found is None:
        module = load_module(place)
        found = _DECLARED.get(f"{place_of(module.__name__)}:{env_id}")
    if found is None:
        hint = (
            "; what is typed at a prompt is known to that process alone: write it to a file"
            if place == "__main__"
            else f"; call stb_env.environment({env_id!r}, ...) when it is imported"
        )
        raise ConfigError(f"{place} declares no environment {env_id!r}{hint}")
    return found
