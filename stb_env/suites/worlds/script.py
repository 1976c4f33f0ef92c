"""Scripts: what happens in an episode beside what its calls do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NotRequired, TypedDict

from stb_env.core.jsontypes import JsonMapping
from stb_env.suites.worlds.api_error import ApiError
from stb_env.suites.worlds.archetypes.tool import WorldTool
from stb_env.suites.worlds.rows import State
from stb_env.suites.worlds.user import UserRecord
from stb_env.tools import ToolResult


class ScriptRecord(TypedDict):
    """Script in a task's ``goal``: parts that are off are not there.

    Attributes:
        budget: Calls that are allowed.
        user: What the user knows.
    """

    budget: NotRequired[int]
    user: NotRequired[UserRecord]


@dataclass(frozen=True, slots=True)
class Script:
    """Runs the calls of an episode in which more happens than what they do.

    Attributes:
        budget: Calls that are allowed; 0 is any number.
        user: What the user knows; None where nobody is there to be asked.
    """

    budget: int = 0
    user: UserRecord | None = None

    @classmethod
    def of(cls, record: Mapping[str, object]) -> Script:
        """Return the script that a task's goal holds.

        Raises:
            TypeError: The record has a part that no script has.
        """
        return cls(**record)  # type: ignore[arg-type]  # a `ScriptRecord`, read back from JSON

    def call(self, tool: WorldTool, state: State, arguments: JsonMapping) -> tuple[ToolResult, State]:
        """Run one call, and answer with an error where it is refused."""
        state = replace(state, clock=state.clock + 1)
        if self.budget and state.clock > self.budget:
            refused = ApiError(f"the budget of {self.budget} calls is used up; finish with what you know")
            return refused.result, state
        return tool.answer(state, arguments)
