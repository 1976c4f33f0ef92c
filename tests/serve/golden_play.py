"""Plays a task's solution through whatever carries calls, as a model that knows everything would."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any

from stb_env.runs.baselines.gold import gold_oracle
from stb_env.runs.baselines.null import answer
from stb_env.runs.baselines.plain_answer import plain_answer
from stb_env.runs.make import make_env
from stb_env.serve.toolbox import SAY
from stb_env.tasks import Ending, Task
from stb_env.tools import ToolCall, ToolResult

Carry = Callable[[str, dict[str, Any]], Awaitable[str]]
"""Carries a call by name and arguments, and returns the text of the tool message."""

Plan = Generator[ToolCall | Sequence[ToolCall] | str, ToolResult, Ending]


def plan_of(env_id: str, index: int, **settings: Any) -> tuple[Task, Plan]:
    """Return a task of an environment and its solution."""
    env = make_env(env_id, settings)
    task = env.tasks.at(index)
    return task, (env.oracle or (gold_oracle if task.gold else plain_answer))(task)


def _calls(move: ToolCall | Sequence[ToolCall] | str) -> Sequence[ToolCall]:
    if isinstance(move, str):
        return [ToolCall(SAY, {"text": move})]
    return [move] if isinstance(move, ToolCall) else move


async def solve(plan: Plan, carry: Carry) -> None:
    """Play a solution to its end, Finish included."""
    try:
        move = next(plan)
        while True:
            for call in _calls(move):
                told = json.loads(await carry(call.name, call.arguments))
            # A call that ends the episode by itself has two results; the first is its own.
            told = told[0] if isinstance(told, list) else told
            result = ToolResult.of(told["response"], error=told["error"], source="world")
            move = plan.send(result)
    except StopIteration as stop:
        await carry("Finish", answer(stop.value)["arguments"])
