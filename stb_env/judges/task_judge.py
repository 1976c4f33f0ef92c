"""The exact judge of tasks that say in their ``goal`` what is right: values, calls, state, words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from stb_env.core import jsontext
from stb_env.core.answers import right_fields
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.errors import ConfigError
from stb_env.judges.check_forms import read_checks
from stb_env.judges.checks import Check, StateRead, Words
from stb_env.judges.judge import Case, Judge
from stb_env.steps import CallRecord
from stb_env.tasks import Task, TaskSet
from stb_env.tools import FINISH, Tool, ToolCall
from stb_env.verdict import Verdict, Vote

EXACT = "exact"
_CHECKS = ("check", "checks")


class TaskJudge:
    """Compares an episode with what its task's ``goal`` holds; of a task whose goal is empty asks a judge.

    A goal has the right values under ``answer``, why the request cannot be met under ``cannot``, and checks
    (see `stb_env.judges.checks`). All must hold. A right value, reason or text counts where it was looked up:
    a call of the episode was answered, or was refused as gold's own is, if gold makes any, and where what was
    to be done is done. Where no check is about that, every tool that gold writes with must have been called.

    The verdict's parts are ``answer:FIELD``, ``answer:text``, ``cannot``, ``act: TOOL`` for a call that has
    to be made, ``state:TOOL`` for what a call after the episode has to be answered, and ``kept:TOOL`` for
    what must not be done.

    Args:
        open_judge: Decides on tasks whose goal is empty.
        tools: Tools that checks of the state may call, by name.
        writes: Says of a tool whether its calls change anything; None where nobody knows.

    Examples:
        >>> task = Task("1", "How many?", (Tool("count", "", {}),), goal={"check": {"number": 3}})
        >>> verdict = Case(task, "3 or 4", ()).verdict(TaskJudge())
        >>> verdict.judge, verdict.votes[0].reason
        ('exact', 'answer:text: the answer tells 4, and 3 was expected')
    """

    def __init__(
        self,
        open_judge: Judge | None = None,
        tools: Mapping[str, Tool] | None = None,
        writes: Callable[[Tool], bool] | None = None,
    ) -> None:
        self._open = open_judge
        self._tools = tools or {}
        self._writes = writes

    @classmethod
    def of(
        cls,
        tasks: TaskSet,
        open_judge: Judge | None = None,
        tools: Mapping[str, Tool] | None = None,
        writes: Callable[[Tool], bool] | None = None,
    ) -> TaskJudge:
        """Return the judge of a set of tasks, whose name says who decides on them.

        Raises:
            ConfigError: The goal of a task is empty, and there is no judge for it.
        """
        decided = sum(bool(task.goal) for task in tasks)
        judge = cls(open_judge, tools, writes)
        if open_judge is not None:
            judge.name = f"{EXACT} or {open_judge.name}" if decided else open_judge.name
        elif decided < len(tasks):
            raise ConfigError(f"{len(tasks) - decided} queries have no check; name a judge for them")
        return judge

    name = EXACT

    @property
    def fingerprint(self) -> dict[str, object]:
        """Its name, and what the other judge says of itself."""
        other = None if self._open is None else getattr(self._open, "fingerprint", {"judge": self._open.name})
        return {"judge": self.name, "open": other}

    def reads(self, case: Case) -> Iterable[tuple[Tool, ToolCall]]:
        """Return the calls that the checks of the state need; none where what was done is not enough.

        Nobody may have recorded what such a state is, and it decides nothing any more.
        """
        checks = goal_checks(case.task)
        asked = [check for check in checks if isinstance(check, StateRead)]
        done = [check for check in checks if not isinstance(check, Words | StateRead)]
        if self.unsupported(case, checks) or any(check.problem(case) for check in done):
            return []
        unknown = [check.tool for check in asked if check.tool not in self._tools]
        if unknown:
            raise ConfigError(f"a check of task {case.task.id!r} calls {unknown[0]!r}, which is no tool here")
        return [(self._tools[check.tool], check.call) for check in asked]

    def judge(self, case: Case) -> Slow[Verdict]:
        """Return the verdict.

        Raises:
            JudgeError: The other judge gave no usable verdict.
            ConfigError: The goal is empty, and there is no other judge.
        """
        if case.task.goal:
            return self.decided(case)
        if self._open is None:
            raise ConfigError(f"query {case.task.id!r} has no check, and there is no judge for it")
        return (yield from self._open.judge(case))

    def decided(self, case: Case) -> Verdict:
        """Return the verdict by the goal of the task."""
        problems = dict(self.problems(case))
        reasons = [f"{part}: {problem}" for part, problem in problems.items() if problem]
        return Verdict.of(
            "unsolved" if reasons else "solved",
            judge=EXACT,
            votes=(Vote("unsolved", "; ".join(reasons)),) if reasons else (),
            parts={part: not problem for part, problem in problems.items()},
        )

    def problems(self, case: Case) -> Iterator[tuple[str, str]]:
        """Yield every part with why it failed, or an empty string."""
        goal, checks = case.task.goal, goal_checks(case.task)
        cannot, answer = goal.get("cannot"), goal.get("answer")
        lacking = self.unsupported(case, checks)
        if cannot is not None:
            given = case.cannot
            right = given is not None and given["reason"] == cannot["reason"]
            right = right and given is not None and set(given["what"]) == set(cannot["what"])
            yield "cannot", lacking if right else _other(cannot, given)
        acts = [check for check in checks if not isinstance(check, Words)]
        undone = lacking or next(filter(None, (check.problem(case) for check in acts)), "")
        if isinstance(answer, Mapping) and isinstance(case.task.answer, Mapping):
            values: JsonMapping = case.answer or {}
            for name, right in right_fields(case.task.answer, answer, case.answer).items():
                wrong = "" if right else _other(answer[name], values.get(name))
                yield f"answer:{name}", wrong or (undone and f"is right, but {undone}")
        seen: dict[str, int] = {}
        for check in checks:
            problem = check.problem(case)
            if isinstance(check, Words):
                problem = problem or undone
            elif isinstance(check, StateRead):
                problem = problem or lacking
            seen[check.part] = seen.get(check.part, 0) + 1
            yield check.part if seen[check.part] == 1 else f"{check.part} {seen[check.part]}", problem

    def unsupported(self, case: Case, checks: Iterable[Check]) -> str:
        """Return why nothing that the agent says counts; empty where it was looked up, or need not be."""
        gold = [call for call in case.task.gold if call.name != FINISH]
        if not gold:
            return ""
        made = {call.name for call in case.calls if _counts(call, gold)}
        if not made:
            return "no call of the episode succeeded"
        if self._writes is None or not all(isinstance(check, Words) for check in checks):
            return ""
        writing = {tool.name for tool in case.task.tools if self._writes(tool)}
        undone = [call.name for call in gold if call.name in writing and call.name not in made]
        return f"{undone[0]} was not called" if undone else ""


def goal_checks(task: Task) -> tuple[Check, ...]:
    """Return the checks that a task's goal holds as data."""
    found = [task.goal[name] for name in _CHECKS if name in task.goal]
    # The goal of a task with a function has its name there.
    return tuple(check for forms in found if not isinstance(forms, str) for check in read_checks(forms))


def _counts(call: CallRecord, gold: Iterable[ToolCall]) -> bool:
    if call.name == FINISH:
        return False
    own = any((call.name, call.arguments) == (one.name, one.arguments) for one in gold)
    return own or not call.result.error


def _other(wanted: object, got: object) -> str:
    told = "nothing" if got is None else jsontext.dumps(got)[:80]
    return f"wanted {jsontext.dumps(wanted)[:80]}, got {told}"
