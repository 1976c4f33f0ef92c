"""Judges: score a finished episode."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from stb_env.core.jsontypes import JsonObject
from stb_env.core.request import Slow, drive
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolCall
from stb_env.trajectory import CallRecord
from stb_env.trajectory_line import text_of
from stb_env.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Case:
    """A finished episode as a judge sees it.

    Attributes:
        task: The task, with its query and tools.
        final_answer: The prose for the user; empty where there is none.
        calls: Every call of the episode in order, Finish included.
        state: The backend's state at the end, for exact verifiers.
        replies: What the agent said to the user, in tasks that are conversations.
        answer: The typed answer, where the task has a schema for one; None where the agent gave none.
        cannot: Why the request cannot be met and what is lacking, where the agent said so.
        reads: Calls that were made after the episode, in the state that it left, because the judge asked for
            them (`Reads`); the agent never sees them.
        clock: The date and the calls so far, in environments that have a clock.

    Examples:
        >>> from stb_env import Case, Task, Tool, load_judge
        >>> task = Task("1", "Weather in Oslo?", (Tool("forecast", "Tells the weather.", {}),))
        >>> case = Case(task, final_answer="Sorry, I cannot say.", calls=())
        >>> case.verdict(load_judge("heuristic")).status
        'unsolved'
    """

    task: Task
    final_answer: str
    calls: tuple[CallRecord, ...]
    state: Any = None
    replies: tuple[str, ...] = ()
    answer: JsonObject | None = None
    cannot: JsonObject | None = None
    reads: tuple[CallRecord, ...] = ()
    clock: Any = None

    @property
    def text(self) -> str:
        """The answer as text."""
        return text_of(self.final_answer, self.answer, self.cannot)

    def verdict(self, judge: Judge) -> Verdict:
        """Return what a judge says of it, once that is there.

        Raises:
            JudgeError: No usable verdict came.
        """
        return drive(judge.judge(self))


class Judge(Protocol):
    """Decides on a case. Deterministic judges yield nothing; model judges yield requests.

    Examples:
        >>> from stb_env import Case, Task, Tool, Verdict
        >>> class Polite:
        ...     name = "polite"
        ...     def judge(self, case):
        ...         yield from ()
        ...         polite = "please" in case.final_answer
        ...         return Verdict.of("solved" if polite else "unsolved", judge=self.name)
        >>> task = Task("1", "Ask for tea.", (Tool("kettle", "Boils water.", {}),))
        >>> Case(task, "Tea, please.", ()).verdict(Polite()).score
        1.0
    """

    @property
    def name(self) -> str:
        """Label that appears in every verdict; runs with different labels are never compared."""
        ...

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict.

        Raises:
            JudgeError: No usable verdict came.
        """
        ...


@runtime_checkable
class Reads(Protocol):
    """A judge that asks tools for the state that an episode left."""

    def reads(self, case: Case) -> Iterable[tuple[Tool, ToolCall]]:
        """Return the calls to make when an episode has ended, before the judge is asked."""
        ...
