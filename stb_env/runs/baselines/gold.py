"""The agent that knows: a world's oracle, else a task's gold calls, else what the query says."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from stb_env.actions import Action, finish_arguments
from stb_env.core.gymtypes import AnyEnv
from stb_env.core.jsontypes import JsonMapping
from stb_env.runs import Agent
from stb_env.runs.baselines.null import answer
from stb_env.runs.baselines.plain_answer import PLACEHOLDERS, plain_answer
from stb_env.tasks import Ending, Task
from stb_env.tools import FINISH, Tool, ToolCall, ToolResult

_LONGEST = 16_384
"""Characters of a response that are given as an answer; longer actions are not read."""


class Gold(Agent):
    """Solves tasks with what the suite knows about them; where actions are programs, by writing such.

    Where there is an oracle it drives that, and where a task has gold calls it makes those. For open queries
    it calls each relevant API with what the query says and reports what was asked for (see `plain_answer`),
    which is a reference for plumbing and judges, not a solution.
    """

    name = "gold"

    def reset(self, env: AnyEnv, seed: int) -> None:
        """Choose the plan for the task."""
        inner: Any = env.unwrapped
        plan = inner.oracle or (gold_oracle if inner.task.gold else plain_answer)
        self._plan = plan(inner.task)
        self._started = False
        self._ending: Ending | None = None
        self._env = inner

    def act(self, observation: Mapping[str, object], info: Mapping[str, object]) -> Any:
        """Return the plan's next call, what it says to the user, or its answer."""
        try:
            call = next(self._plan) if not self._started else self._plan.send(_result(observation, info))
        except StopIteration as stop:
            # Where its Finish was refused, the plan has no more to say.
            self._ending = stop.value if self._ending is None else self._ending
            return answer(self._ending)
        self._started = True
        if isinstance(call, str):
            # Some texts to users look like calls, and are none.
            return Action((), call)
        return self._written([call] if isinstance(call, ToolCall) else call)

    def _written(self, calls: Sequence[ToolCall]) -> Any:
        """Return calls as the environment takes them."""
        if self._env.rules.programs is not None:
            return self._env.program_of(calls)
        written = [{"name": call.name, "arguments": call.arguments} for call in calls]
        return written[0] if len(written) == 1 else written


def _result(observation: JsonMapping, info: JsonMapping) -> ToolResult:
    if not info["calls"]:
        return ToolResult.of(json.loads(observation["result"])["response"], source="env")
    call = info["calls"][-1]
    return ToolResult.of(call["response"], error=call["error"], source=call["source"])


def gold_oracle(task: Task) -> Generator[ToolCall, ToolResult, Ending]:
    """Make a task's gold calls, and answer as a Finish among them does, or else with the last response.

    Examples:
        >>> tools = (Tool("count", "Counts.", {}),)
        >>> plan = gold_oracle(Task("1", "How many?", tools, gold=(ToolCall("count", {}),)))
        >>> next(plan).name
        'count'
        >>> try:
        ...     plan.send(ToolResult.of(3, source="world"))
        ... except StopIteration as stop:
        ...     stop.value
        '3'
    """
    said = ""
    for call in task.gold:
        if call.name == FINISH:
            given = finish_arguments(call)
            return given if isinstance(task.answer, Mapping) else str(given.get("final_answer", ""))
        response = (yield call).response
        said = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
    return said[:_LONGEST]


def default_arguments(tool: Tool) -> dict[str, object]:
    """Return the documented defaults of every required parameter; a placeholder where there is none.

    Examples:
        >>> schema = {"type": "object", "properties": {"city": {"type": "string", "default": "Oslo"},
        ...           "n": {"type": "number"}, "page": {"type": "number"}}, "required": ["city", "n"]}
        >>> default_arguments(Tool("forecast", "", schema))
        {'city': 'Oslo', 'n': 1}
    """
    properties = tool.parameters.get("properties", {})
    return {name: _default(properties.get(name, {})) for name in tool.parameters.get("required", ())}


def _default(schema: JsonMapping) -> object:
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type", "string")
    return PLACEHOLDERS.get(kind[0] if isinstance(kind, list) else kind, "example")
