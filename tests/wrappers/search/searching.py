"""A world small enough to search by hand: rooms with doors, and gold behind one path."""

from __future__ import annotations

from typing import Any, ClassVar

from stb_env.core.request import Request, Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import BackendError
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCall, ToolId, ToolResult
from stb_env.usage import Usage
from stb_env.verdict import Verdict

DOOR = {
    "type": "object",
    "properties": {"door": {"type": "string", "enum": ["a", "b", "c", "wall", "fire"]}},
    "required": ["door"],
}
GO = Tool("go", "Goes through a door.", DOOR, ToolId("Maze", "maze", "go"))
TASKS = TaskSet([Task("1", "Where is the gold?", (GO,), suite="Maze")])

GIVE_UP = {"name": "Finish", "arguments": {"return_type": "give_up_and_restart"}}


def go(door: str) -> dict[str, Any]:
    return {"name": "go", "arguments": {"door": door}}


def answer(text: str = "gold") -> dict[str, Any]:
    return {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": text}}


def actions(script: str) -> list[Any]:
    """Actions by letter: a, b, c and w (a wall) are doors, ``.`` talks, ``-`` gives up, ``!`` is right."""
    letters = {".": "Let me think.", "-": GIVE_UP, "!": answer(), "?": answer("nothing"), "w": go("wall")}
    return [letters.get(letter) or go(letter) for letter in script]


class Maze:
    """The path so far is the state; walls answer with an error, fire is a failure of the infrastructure."""

    fingerprint: ClassVar[dict[str, Any]] = {}

    def __init__(self, *, slow: bool = False) -> None:
        self.slow = slow

    def start(self, task: Task, seed: int) -> str:
        return ""

    def answer(self, state: str, tool: Tool, call: ToolCall) -> Slow[tuple[ToolResult, str]]:
        if self.slow:
            return (yield Request(lambda: self._go(state, call)))
        yield from ()
        return self._go(state, call)

    def _go(self, state: str, call: ToolCall) -> tuple[ToolResult, str]:
        door = call.arguments["door"]
        if door == "fire":
            raise BackendError("the maze is on fire", kind="transport", stage="real")
        if door == "wall":
            return ToolResult.of("", error="a wall", source="world", usage=Usage(calls=1)), state
        return ToolResult.of({"room": state + door}, source="world", usage=Usage(calls=1)), state + door

    def recorded(self, state: str, tool: Tool, call: ToolCall) -> None:
        return None

    def close(self) -> None:
        pass


class CountingJudge:
    """Solved where the answer is gold; keeps every case that it was asked about."""

    name = "counting"

    def __init__(self, *, broken: bool = False) -> None:
        self.cases: list[Any] = []
        self.broken = broken

    def judge(self, case: Any) -> Slow[Verdict]:
        yield from ()
        self.cases.append(case)
        if self.broken:
            raise BackendError("no verdict", kind="judge", stage="judge")
        return Verdict.of("solved" if case.final_answer == "gold" else "unsolved", judge=self.name)


def maze(judge: CountingJudge | None = None, *, slow: bool = False, **settings: Any) -> ToolEnv:
    return ToolEnv(TASKS, Maze(slow=slow), judge or CountingJudge(), **settings)


def nodes_after(env: Any, script: str) -> list[Any]:
    """The node that each action of a script leads to; ``end`` where the episode is over."""
    env.reset(seed=0)
    visited = []
    for action in actions(script):
        *_, terminated, truncated, info = env.step(action)
        visited.append("end" if terminated or truncated else info["node"])
    return visited


def played_out(env: Any, script: str) -> tuple[Any, ...]:
    """The last transition of a script that ends the episode with its last action."""
    env.reset(seed=0)
    for action in actions(script)[:-1]:
        assert not any(env.step(action)[2:4])
    return env.step(actions(script)[-1])
