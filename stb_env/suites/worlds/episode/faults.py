"""Faults: calls that fail, decided by the task, the number of the call and the tool.

A fault is an observation of the world, told in the error itself: it never makes an episode invalid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Literal

from stb_env.core import jsontext
from stb_env.seeding import derive
from stb_env.suites.worlds.data.earlier import earlier
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.services.api_error import ApiError
from stb_env.suites.worlds.services.archetypes.tool import ACTS, WorldTool
from stb_env.suites.worlds.services.style import Style
from stb_env.tools import Status, ToolResult

if TYPE_CHECKING:
    from stb_env.suites.worlds.world import Built

Kind = Literal["limit", "unavailable", "timeout", "internal", "stale"]

AGAIN = "try again"
"""Stands in the error of a call that did nothing."""
UNSURE = "may have been done or not"
"""Stands in the error of a call that changed rows, or did not."""

_READS: tuple[Kind, ...] = ("limit", "unavailable", "timeout")
_LISTS: tuple[Kind, ...] = ("limit", "unavailable", "timeout", "stale", "stale")
_WRITES: tuple[Kind, ...] = ("limit", "unavailable", "timeout", "internal", "internal")
_IN_A_ROW = 3
"""Most faults of one tool without a call of it between them that is answered."""
_WAIT = 2
"""Most calls for which a limit lasts."""
_SPARED: tuple[str, ...] = ("ask_user",)
"""Kinds of tools that never fail: people are no service."""
_FINE = 10_000
_AS_OF = ("as_of", "asOf")


@dataclass(frozen=True, slots=True)
class Faults:
    """Decides which calls of an episode fail, and how.

    A call that failed is answered when it is made again, unless the service said to wait. Both are kept in
    `State.notes`: how many calls of a tool failed in a row, until when it takes none, and which calls failed.

    Attributes:
        share: Share of calls, as a percentage.
        seed: The text that decides it.
    """

    share: int
    seed: str

    def call(
        self, world: Built, tool: WorldTool, state: State, arguments: Mapping[str, object]
    ) -> tuple[ToolResult, State]:
        """Run one call, which may fail."""
        if tool.kind in _SPARED:
            return tool.answer(state, arguments)
        key = f"fault:{tool.tool.name}"
        in_a_row, until, *failed = state.notes.get(key, (0, 0))
        asked = derive(jsontext.dumps(dict(sorted(arguments.items()))))
        style = _style(world, tool)
        if state.clock <= until:
            kind: Kind | None = "limit"
        elif asked in failed or in_a_row >= _IN_A_ROW:
            kind = None
        else:
            kind = self._kind(tool, state.clock)
            most = _IN_A_ROW - in_a_row - 1
            if kind == "limit" and most:
                until = state.clock + min(most, 1 + derive("wait", self.seed, state.clock) % _WAIT)
            elif kind == "limit":
                kind = "unavailable"
        answer = None if kind is None else self._failed(kind, world, tool, state, arguments, style, until)
        if answer is None:
            left = [each for each in failed if each != asked]
            state = _noted(state, key, (0, 0, *left) if left else ())
            return tool.answer(state, arguments)
        result, state = answer
        return result, _noted(state, key, (in_a_row + 1, until, *failed, asked))

    def _kind(self, tool: WorldTool, clock: int) -> Kind | None:
        drawn = derive("fault", self.seed, clock, tool.tool.name)
        if drawn % _FINE >= self.share * _FINE // 100:
            return None
        kinds = _WRITES if tool.kind in ACTS else _LISTS if tool.kind in ("list", "related") else _READS
        return kinds[drawn // _FINE % len(kinds)]

    def _failed(
        self,
        kind: Kind,
        world: Built,
        tool: WorldTool,
        state: State,
        arguments: Mapping[str, object],
        style: Style,
        until: int,
    ) -> tuple[ToolResult, State] | None:
        """Return the answer of a call that fails; None where the fault does not suit it."""
        if kind == "stale":
            shown = _earlier_answer(world, tool, arguments, self.seed, state.notes)
            return None if shown is None else (shown, state)
        writes = tool.kind in ACTS
        if writes and kind in ("timeout", "internal") and derive("done", self.seed, state.clock) % 3:
            try:
                _, after = tool.call(state, arguments)
            except ApiError:
                return None
            # The result shows no rows.
            state = replace(after, shown=state.shown)
        return _error(style, kind, writes, until - state.clock), state


def _error(style: Style, kind: Kind, writes: bool, more: int) -> ToolResult:
    match kind:
        case "limit":
            wait = f" after {more} more {'call' if more == 1 else 'calls'}" if more > 0 else ""
            text = style.error("rate_limited", f"too many requests; {AGAIN}{wait}")
        case "unavailable":
            text = style.error("unavailable", f"the service is not available, and nothing was done; {AGAIN}")
        case "timeout" if writes:
            text = style.error("timeout", f"no answer within 30 seconds; what was asked {UNSURE}")
        case "timeout":
            text = style.error("timeout", f"no answer within 30 seconds; {AGAIN}")
        case _:
            text = style.error("internal", f"internal error; what was asked {UNSURE}")
    return ToolResult.of("", error=text, source="fault", status=Status.TOOL_ERROR)


def is_earlier(response: object) -> bool:
    """Return whether a response says that it shows an earlier state."""
    return isinstance(response, Mapping) and any(name in response for name in _AS_OF)


def _earlier_answer(
    world: Built,
    tool: WorldTool,
    arguments: Mapping[str, object],
    seed: str,
    notes: Mapping[str, tuple[int, ...]],
) -> ToolResult | None:
    """Return a page of a list as an earlier copy has it; it says so, and of which day it is."""
    blueprint = world.blueprint
    try:
        state = replace(
            earlier(blueprint.entities[tool.entity], blueprint.data, tool.entity, seed), notes=notes
        )
        response, _ = tool.call(state, arguments)
    except ApiError:
        return None
    if not isinstance(response, dict):
        return None
    day = date.fromordinal(blueprint.today - 1).isoformat()
    told = {
        _style(world, tool).field("as of"): day,
        "warning": "this is an earlier copy; the same request again is answered from the present rows",
    }
    return ToolResult.of({**response, **told}, source="world")


def _style(world: Built, tool: WorldTool) -> Style:
    if tool.entity:
        return world.codec.style(tool.entity)
    return next(iter(world.codec.styles.values()))


def _noted(state: State, key: str, kept: tuple[int, ...]) -> State:
    if state.notes.get(key, ()) == kept:
        return state
    notes = {name: value for name, value in state.notes.items() if name != key}
    return replace(state, notes={**notes, key: kept} if kept else notes)
