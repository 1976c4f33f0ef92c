"""The gold solution of a task, driven call by call from whatever state the episode is in."""

from __future__ import annotations

from collections.abc import Generator

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.registry import ApiCall
from stb_env.suites.sandbox.values import values_of
from stb_env.tasks import Task
from stb_env.tools import FINISH, ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a sandbox task: yields calls, is sent their results, returns the final answer.

    Args:
        task: A task of the sandbox.

    Returns:
        The final answer, as the generator's return value.

    Raises:
        DataError: The task is not one of the sandbox's.

    Examples:
        >>> from stb_env.suites.sandbox.tasks import SandboxTasks
        >>> next(oracle(SandboxTasks("train", template="sun_times").at(0))).name
        'sun_times_for_sky_almanac'
    """
    solution = plan_of(task.id).solve()
    try:
        request = next(solution)
        while True:
            result = yield _tool_call(request)
            if result.error:
                request = solution.throw(ApiError(result.error))
            else:
                request = solution.send(result.response)
    except StopIteration as stop:
        return str(stop.value.text)
    except ApiError as error:
        # An episode can do what nothing undoes, such as delete the contact that the query is about.
        return f"This cannot be done any more: {error}."


def valued_oracle(task: Task) -> Generator[ToolCall, ToolResult, str]:
    """Solve a sandbox task as `oracle` does, and end it with a Finish that brings the bare values.

    Examples:
        >>> from stb_env.suites.sandbox.tasks import SandboxTasks
        >>> next(valued_oracle(SandboxTasks("train", template="sun_times").at(0))).name
        'sun_times_for_sky_almanac'
    """
    text = yield from oracle(task)
    values = values_of(task.goal.get("facts", ()))
    yield ToolCall(FINISH, {"return_type": "give_answer", "final_answer": text, "values": values})
    return text


def _tool_call(request: ApiCall) -> ToolCall:
    return ToolCall(tools()[request.api.id].name, dict(request.arguments))
