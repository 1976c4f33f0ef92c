"""The gold solution of a task, driven call by call from whatever state the episode is in."""

from __future__ import annotations

from collections.abc import Generator

from stb_env.suites.sandbox.api_error import ApiError
from stb_env.suites.sandbox.catalog import tools
from stb_env.suites.sandbox.facts import values_of
from stb_env.suites.sandbox.generator import plan_of
from stb_env.suites.sandbox.template import Answer
from stb_env.tasks import Ending, Task
from stb_env.tools import ToolCall, ToolResult


def oracle(task: Task) -> Generator[ToolCall, ToolResult, Ending]:
    """Solve a sandbox task: yields calls, is sent their results, returns how it ends.

    Args:
        task: A task of the sandbox.

    Returns:
        The arguments of Finish, or the final answer alone where the task takes text.

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
            result = yield ToolCall(tools()[request.api.id].name, dict(request.arguments))
            if result.error:
                request = solution.throw(ApiError(result.error))
            else:
                request = solution.send(result.response)
    except StopIteration as stop:
        return ending(task, stop.value)
    except ApiError as error:
        # An episode can do what nothing undoes, such as delete the contact that the query is about.
        return ending(task, Answer(f"This cannot be done any more: {error}."))


def ending(task: Task, answer: Answer) -> Ending:
    """Return how an episode of a task ends with an answer: as Finish takes it, or as prose."""
    if task.answer is None:
        return answer.text
    if answer.gap:
        return {"cannot": answer.gap.to_dict(), "final_answer": answer.text}
    return {"answer": values_of(answer.facts), "final_answer": answer.text}
