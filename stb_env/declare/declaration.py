"""Declarations of environments, found again in any process by the place of the declaration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stb_env.core.reference import load_module, place_of
from stb_env.declare.function import Function
from stb_env.declare.queries import Query
from stb_env.declare.states import started
from stb_env.errors import ConfigError, DataError
from stb_env.judges.own_judge import JudgeLike
from stb_env.tasks import TaskSet

_DECLARED: dict[str, Declaration] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """Arguments of `stb_env.environment`.

    Functions and checks need not pickle: a declaration is pickled as the place where it stands, and whoever
    reads that imports the module or runs the file.

    Attributes:
        place: Module name or file, from `stb_env.core.reference.place_of`.
        env_id: The environment's id.
        functions: Tools by name.
        queries: What was declared of each task, by id.
        tasks: The tasks.
        state: What makes the state, or an object that is copied.
        judge: What judges in place of the tasks' checks.
        max_turns: Actions after which an episode is cut off.
        source: Hash of the files that declare it.
    """

    place: str
    env_id: str
    functions: Mapping[str, Function]
    queries: Mapping[str, Query]
    tasks: TaskSet
    state: Any
    judge: JudgeLike | str | None
    max_turns: int
    source: str

    @property
    def where(self) -> str:
        """Text that names it in any process: ``module:ID`` or ``path.py:ID``."""
        return f"{self.place}:{self.env_id}"

    def __reduce__(self) -> tuple[Callable[[str], Declaration], tuple[str]]:
        return declared, (self.where,)

    def start(self, task_id: str) -> Any:
        """Return the state that a task starts with.

        Raises:
            DataError: There is no such task.
        """
        query = self.queries.get(task_id)
        if query is None:
            raise DataError(f"{self.env_id} has no task {task_id!r}")
        return started(self.state) if query.state is None else started(query.state)


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
