"""What an agent reads in the Sandbox where its answers come as bare values."""

from __future__ import annotations

from stb_env.envs.finish import VALUED_FINISH_TOOL
from stb_env.envs.wording import Wording
from stb_env.tools import Tool


class ValuedWording(Wording):
    """The usual words, and a Finish that takes values.

    Args:
        needs_values: Whether an answer without them is invalid.

    Examples:
        >>> sorted(ValuedWording(needs_values=True).finish.parameters["properties"])
        ['final_answer', 'return_type', 'values']
    """

    finish: Tool = VALUED_FINISH_TOOL

    def __init__(self, *, needs_values: bool) -> None:
        super().__init__()
        self.needs_values = needs_values
