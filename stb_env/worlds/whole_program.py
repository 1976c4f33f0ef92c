"""One action is a whole program: nothing comes after it, so the episode is judged by what it left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stb_env.actions import Action
from stb_env.tools import FINISH, ToolCall

_END = ToolCall(FINISH, {"return_type": "give_answer", "final_answer": ""}, "finish")


def whole_program(parse: Callable[[Any], Action]) -> Callable[[Any], Action]:
    """Return a reader that ends every action with Finish, an action without a call too.

    Args:
        parse: Reads the program.

    Examples:
        >>> from stb_env.actions import parse_action
        >>> [call.name for call in whole_program(parse_action)("API.search()").calls]
        ['search', 'Finish']
        >>> [call.name for call in whole_program(parse_action)("no program").calls]
        ['Finish']
    """

    def read(action: Any) -> Action:
        program = parse(action)
        if program.calls and program.calls[-1].name == FINISH:
            return program
        return Action((*program.calls, _END), program.text)

    return read
