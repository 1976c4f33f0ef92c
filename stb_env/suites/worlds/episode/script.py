"""Scripts: what happens in an episode beside what its calls do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NotRequired, TypedDict

from stb_env.core.jsontypes import JsonObject
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.episode.events import Event, happen
from stb_env.suites.worlds.episode.faults import Faults
from stb_env.suites.worlds.episode.user import UserRecord
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import WorldTool
from stb_env.tools import ToolResult

if TYPE_CHECKING:
    from stb_env.suites.worlds.world import Built


class ScriptRecord(TypedDict):
    """Script in a task's ``goal``: parts that are off are not there.

    Attributes:
        budget: Calls that are allowed.
        faults: Calls that fail, as a percentage.
        seed: The text that decides which ones fail.
        events: Changes that others make, in order: an `Event` each.
        user: What the user knows.
    """

    budget: NotRequired[int]
    faults: NotRequired[int]
    seed: NotRequired[str]
    events: NotRequired[list[JsonObject]]
    user: NotRequired[UserRecord]


@dataclass(frozen=True, slots=True)
class Script:
    """Runs the calls of an episode in which more happens than what they do.

    Attributes:
        budget: Calls that are allowed; 0 is any number.
        faults: Which calls fail; None where none does.
        events: What others change, in order.
        user: What the user knows; None where nobody is there to be asked.
    """

    budget: int = 0
    faults: Faults | None = None
    events: tuple[Event, ...] = ()
    user: UserRecord | None = None

    @classmethod
    def of(cls, record: ScriptRecord) -> Script:
        """Return the script that a task's goal holds.

        Raises:
            TypeError: The record has a part that no script has.
        """
        unknown = record.keys() - ScriptRecord.__annotations__.keys()
        if unknown:
            raise TypeError(f"a script has {', '.join(ScriptRecord.__annotations__)}, got {min(unknown)!r}")
        share = record.get("faults", 0)
        return cls(
            budget=record.get("budget", 0),
            faults=Faults(share, record.get("seed", "")) if share else None,
            events=tuple(Event.of(each) for each in record.get("events", ())),
            user=record.get("user"),
        )

    def call(
        self, world: Built, tool: WorldTool, state: State, arguments: Mapping[str, object]
    ) -> tuple[ToolResult, State]:
        """Run one call, and answer with an error where it is refused."""
        state = replace(state, clock=state.clock + 1)
        if self.events:
            state = happen(self.events, world.blueprint, state)
        if self.budget and state.clock > self.budget:
            message = f"the budget of {self.budget} calls is used up; finish with what you know"
            return ApiError(message, unheard=True).result, state
        if self.faults is not None:
            return self.faults.call(world, tool, state, arguments)
        return tool.answer(state, arguments)
