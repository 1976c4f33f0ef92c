"""The calls of a task's gold solution with their results, as an episode has them."""

from __future__ import annotations

from functools import lru_cache

from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.tasks import SandboxTasks
from stb_env.suites.sandbox.world import SandboxWorld
from stb_env.tasks import Task
from stb_env.tools import ToolCall
from stb_env.trajectory import CallRecord

WORLD = SandboxWorld()
BY_NAME = {tool.name: tool for tool in tools().values()}


def made(task: Task, calls: tuple[ToolCall, ...]) -> tuple[CallRecord, ...]:
    """Return calls with what the world answers them from the start of a task on."""
    state, records = WORLD.start(task, 0), []
    for number, call in enumerate(calls):
        result, state = WORLD.call(state, BY_NAME[call.name], call.arguments)
        records.append(CallRecord(str(number), call.name, call.arguments, result))
    return tuple(records)


@lru_cache(maxsize=512)
def gold_calls(task_id: str) -> tuple[CallRecord, ...]:
    """Return the gold calls of a task, made."""
    task = SandboxTasks().get(task_id)
    return made(task, task.gold)
