"""Solutions for clients that may have them: what a gold agent does next."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from stb_env.core.jsontypes import JsonMapping
from stb_env.envs.tool_env import ToolEnv
from stb_env.runs.baselines.gold import gold_oracle
from stb_env.runs.baselines.plain_answer import plain_answer
from stb_env.tasks import Ending, Task
from stb_env.tools import ToolCall, ToolResult

Move = ToolCall | Sequence[ToolCall] | str


def next_move(env: ToolEnv, task: Task, results: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return what a task's solution does after these results: ``call``, ``calls``, ``says``, or how it ends.

    It ends with ``answer``, a text, or with ``finish``, the arguments of Finish.

    The solution runs anew over all results, so that nothing of it stays here between two requests.

    Examples:
        >>> from stb_env.testing.notes import notes
        >>> env = notes()
        >>> next_move(env, env.tasks.get("day"), [])["call"]["name"]
        'find_notes'
    """
    plan = (env.oracle or (gold_oracle if task.gold else plain_answer))(task)
    try:
        return _written(_moved(plan, results))
    except StopIteration as stop:
        ending = stop.value
        return {"answer": ending} if isinstance(ending, str) else {"finish": dict(ending)}


def _moved(plan: Generator[Move, ToolResult, Ending], results: Sequence[JsonMapping]) -> Move:
    move = next(plan)
    for result in results:
        move = plan.send(ToolResult.of(result["response"], error=result["error"], source=result["source"]))
    return move


def _written(move: Move) -> dict[str, object]:
    if isinstance(move, str):
        return {"says": move}
    return {"call": _call(move)} if isinstance(move, ToolCall) else {"calls": [_call(one) for one in move]}


def _call(call: ToolCall) -> dict[str, object]:
    return {"name": call.name, "arguments": call.arguments, "id": call.id}
