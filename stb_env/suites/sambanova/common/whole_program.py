"""One action is a whole program: nothing comes after it, so the episode is judged by what it left."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial

from stb_env.actions import Action, finish_arguments
from stb_env.actions.parse import ActionLike
from stb_env.tasks import Ending, Oracle, Task
from stb_env.tools import FINISH, ToolCall, ToolResult


def finish_saying(text: str) -> ToolCall:
    """Return a Finish that ends an episode with something said; nothing that is said decides."""
    return ToolCall(FINISH, {"final_answer": text}, "finish")


END = finish_saying("")


def whole_program(parse: Callable[[ActionLike], Action]) -> Callable[[ActionLike], Action]:
    """Return a reader that ends every action with Finish, an action without a call too.

    Args:
        parse: Reads the program.

    Examples:
        >>> from stb_env.actions import parse_action
        >>> [call.name for call in whole_program(parse_action)("API.search()").calls]
        ['search', 'Finish']
        >>> [call.name for call in whole_program(parse_action)("no program").calls]
        ['Finish']
        >>> malformed = {"name": "Finish", "arguments": {"return_type": "later", "final_answer": "Bye."}}
        >>> whole_program(parse_action)(malformed).calls[-1].arguments
        {'final_answer': 'Bye.'}
    """
    # No inner function: what an environment holds is pickled with it.
    return partial(_read_whole, parse)


def whole_gold(oracle: Oracle) -> Oracle:
    """Return an oracle that makes all of a task's gold calls in one action; others go step by step.

    Args:
        oracle: Solves the tasks that have no gold calls.
    """
    return partial(_solve_whole, oracle)


def _solve_whole(
    oracle: Oracle, task: Task
) -> Generator[ToolCall | Sequence[ToolCall] | str, ToolResult, Ending]:
    if not task.gold:
        return (yield from oracle(task))
    yield tuple(task.gold)
    return ""


def _read_whole(parse: Callable[[ActionLike], Action], action: ActionLike) -> Action:
    program = parse(action)
    last = program.calls[-1] if program.calls else None
    own = finish_arguments(last) if last and last.name == FINISH else {}
    if own.get("return_type") == "give_up_and_restart":
        return program
    said = own.get("final_answer")
    end = finish_saying(said) if isinstance(said, str) else END
    return Action((*(call for call in program.calls if call.name != FINISH), end), program.text)
