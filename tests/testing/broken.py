"""Environments that are broken in one way each, as somebody might break theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import stb_env
from stb_env.backend.world import World
from stb_env.core.request import Request, Slow
from stb_env.envs.tool_env import ToolEnv, Transition
from stb_env.errors import JudgeError
from stb_env.judges.judge import Case
from stb_env.suite import Maker
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from stb_env.verdict import Verdict

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
ADD = Tool("add", "Add a number.", SCHEMA)
GOLD = (
    ToolCall("add", {"n": 3}),
    ToolCall("add", {"n": 4}),
    ToolCall("Finish", {"return_type": "give_answer", "final_answer": "7"}),
)


class Sum(World):
    """Adds numbers up."""

    fingerprint = {"world": "sum"}  # noqa: RUF012

    def start(self, task: Task, seed: int) -> Any:
        return 0

    def call(self, state: Any, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        total = state + arguments["n"]
        return ToolResult.of(total, source="world"), total


class Exact:
    """Wants the right sum."""

    name = "exact"

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        solved = case.state == 7 and case.final_answer == "7"
        return Verdict.of("solved" if solved else "unsolved", judge=self.name)


def make(
    world: World | None = None,
    judge: Any = None,
    tools: tuple[Tool, ...] = (ADD,),
    gold: tuple[ToolCall, ...] = GOLD,
    kind: type[ToolEnv] = ToolEnv,
    count: int = 3,
    **settings: Any,
) -> ToolEnv:
    """Make the environment, whole where nothing else is said."""
    tasks = [
        Task(str(n), f"Add 3 and 4, please ({n}).", tools, gold=gold, checked=False) for n in range(count)
    ]
    return kind(TaskSet(tasks, "sum"), world or Sum(), judge or Exact(), **settings)


def make_otherwise() -> ToolEnv:
    """Make another one each time."""
    MADE.append(len(MADE))
    return make(count=len(MADE))


MADE: list[int] = []

SUITE = stb_env.Suite(
    name="t_sum",
    description="adds numbers up",
    environments={
        "t/Sum-v0": Maker("tests.testing.broken:make"),
        "t/Otherwise-v0": Maker("tests.testing.broken:make_otherwise"),
    },
)


class Paying(ToolEnv):
    """Pays for every step."""

    def _step(self, action: Any) -> Slow[Transition]:
        observation, _, *rest = yield from super()._step(action)
        return observation, 1.0, *rest


class Worthless(Exact):
    """Never gives the maximum."""

    def judge(self, case: Case) -> Slow[Verdict]:
        verdict = yield from super().judge(case)
        return Verdict("unsure" if verdict.score else "unsolved", verdict.score / 2, self.name)


class Failing(Exact):
    """Cannot judge."""

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        raise JudgeError("down")


class Generous(Exact):
    """Passes everything."""

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("solved", judge=self.name)


def careless(case: Case) -> bool:
    """Fail where the answer is no number."""
    return int(case.final_answer) == 7 and case.state == 7


class Documented(Exact):
    """Passes whoever repeats the documentation."""

    def judge(self, case: Case) -> Slow[Verdict]:
        verdict = yield from super().judge(case)
        return Verdict.of("solved", judge=self.name) if case.final_answer == ADD.spec else verdict


class Counting(Sum):
    """Answers otherwise each time."""

    def __init__(self) -> None:
        self.calls = 0

    def call(self, state: Any, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        self.calls += 1
        result, state = super().call(state, tool, arguments)
        return ToolResult.of([self.calls, result.response], source="world"), state


class Shared(Sum):
    """Keeps an episode's state where forks share it."""

    def start(self, task: Task, seed: int) -> Any:
        return [0]

    def call(self, state: Any, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        state[0] += arguments["n"]
        return ToolResult.of(state[0], source="world"), state


class SharedExact(Exact):
    """Judges what `Shared` holds."""

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("solved" if case.state == [7] else "unsolved", judge=self.name)


class Unlike(Sum):
    """Says something else on an event loop."""

    def call(self, state: Any, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        async def elsewhere() -> str:
            return "loop"

        where = yield Request(run=lambda: "thread", arun=elsewhere)
        total = state + arguments["n"]
        return ToolResult.of([where, total], source="world"), total


class Unpicklable(Sum):
    """Holds a function without a name."""

    def __init__(self) -> None:
        self.add = lambda state, n: state + n


class UnpicklableState(Sum):
    """Has a state that holds a function without a name."""

    def start(self, task: Task, seed: int) -> Any:
        return (lambda: 0, 0)

    def call(self, state: Any, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        total = state[1] + arguments["n"]
        return ToolResult.of(total, source="world"), (lambda: 0, total)


class UnpicklableExact(Exact):
    """Judges what `UnpicklableState` holds."""

    def judge(self, case: Case) -> Slow[Verdict]:
        yield from ()
        return Verdict.of("solved" if case.state[1] == 7 else "unsolved", judge=self.name)


class Forgetful(Sum):
    """Loses what it knows when it is pickled."""

    offset = 0

    def start(self, task: Task, seed: int) -> Any:
        self.offset = 1
        return 0

    def call(self, state: Any, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        total = state + arguments["n"]
        return ToolResult.of(total + self.offset, source="world"), total

    def __reduce__(self) -> Any:
        return Forgetful, ()


TWINS = tuple(Tool(name, "Add a number.", SCHEMA, ToolId("Sums", "sum", "add")) for name in ("add", "Add"))
NAMELESS = (Tool("add numbers", "Add a number.", SCHEMA, checked=False), ADD)
SECOND_FINISH = (ADD, Tool("Finish", "Finish.", SCHEMA))
