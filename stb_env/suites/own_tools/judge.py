"""Judge of own queries: the check of a query, or else the judge of open queries."""

from __future__ import annotations

from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.judges.judge import Case, Judge
from stb_env.suites.own_tools.check import Check
from stb_env.tasks import TaskSet
from stb_env.verdict import Verdict, Vote

EXACT = "exact"


class QueryJudge:
    """Asks a query's own check, and of one that has none another judge.

    Args:
        tasks: The tasks that it will judge, for its name.
        open_judge: Decides on queries without a check; None where each has one.

    Raises:
        ConfigError: A query has no check, and there is no judge for it.

    Examples:
        >>> from stb_env.tasks import Task
        >>> from stb_env.tools import Tool
        >>> task = Task("1", "How many?", (Tool("count", "", {}),), goal={"check": {"number": 3}})
        >>> judge = QueryJudge(TaskSet([task]))
        >>> judge.name, Case(task, "3 or 4", ()).verdict(judge).votes[0].reason
        ('exact', 'the answer tells 4, and 3 was expected')
    """

    def __init__(self, tasks: TaskSet, open_judge: Judge | None = None) -> None:
        checked = sum("check" in task.goal for task in tasks)
        if open_judge is None and checked < len(tasks):
            raise ConfigError(f"{len(tasks) - checked} queries have no check; name a judge for them")
        self._open = open_judge
        self.name = (
            EXACT if open_judge is None else f"{EXACT} or {open_judge.name}" if checked else open_judge.name
        )

    @property
    def fingerprint(self) -> dict[str, object]:
        """Its name, and what the other judge says of itself."""
        other = None if self._open is None else getattr(self._open, "fingerprint", {"judge": self._open.name})
        return {"judge": self.name, "open": other}

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict.

        Raises:
            JudgeError: The other judge gave no usable verdict.
            ConfigError: The query has no check, and there is no other judge.
        """
        form = case.task.goal.get("check")
        if form is not None:
            problem = Check.of(form).problem(case.final_answer, case.task.query)
            if problem:
                return Verdict.of("unsolved", judge=EXACT, votes=(Vote("unsolved", problem),))
            return Verdict.of("solved", judge=EXACT)
        if self._open is None:
            raise ConfigError(f"query {case.task.id!r} has no check, and there is no judge for it")
        return (yield from self._open.judge(case))
