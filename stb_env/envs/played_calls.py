"""The calls of one action as they are played, and what an agent observes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stb_env.actions.validation import check_call
from stb_env.backend.backend import Backend
from stb_env.core import jsontext
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Slow
from stb_env.envs.finish import Finish
from stb_env.envs.step_codes import find_function
from stb_env.errors import did_you_mean
from stb_env.tools import FINISH, Status, Tool, ToolCall, ToolResult
from stb_env.trajectory import CallRecord, ProgramRecord
from stb_env.usage import Usage

NO_CALL = (
    'no tool call found; write one as {"name": "<tool>", "arguments": {...}}, '
    "and call Finish to give the final answer"
)


@dataclass(slots=True)
class PlayedCalls:
    """The calls of one action as they are played.

    Attributes:
        backend: The backend's state after them.
        records: The calls with their results.
        finish: The Finish among them, valid or not.
        left: Calls after a valid Finish, which are not made.
        halted: Whether a call failed that keeps the later ones from being made.
        failure: The infrastructure failure that ended them, as plain data.
        lost: The usage of the call that failed.
    """

    backend: Any
    records: list[CallRecord]
    finish: Finish | None = None
    left: tuple[ToolCall, ...] = ()
    halted: bool = False
    failure: JsonMapping | None = None
    lost: Usage | None = None

    @property
    def ends(self) -> bool:
        """True where a valid Finish was called."""
        return self.finish is not None and self.finish.kind != "invalid"

    def observed(self, program: ProgramRecord | None, limit: int, complaint: str) -> tuple[Status, str]:
        """Return the observation's ``status`` and ``result``.

        Args:
            program: The program that made them, where one did.
            limit: Bound on the result, in characters.
            complaint: What an action without a call is answered with.
        """
        records = self.records
        if program is not None:
            shown = ToolResult.of(program.output, error=program.error, source="env")
            status = max([shown.status, *(record.result.status for record in records)])
            return status, bounded(shown, limit)
        if not records:
            return Status.NO_CALL, ToolResult.of("", error=complaint, source="env").text
        if len(records) == 1:
            return records[0].result.status, bounded(records[0].result, limit)
        return max(record.result.status for record in records), _joined_results(records, limit)


def play_call(
    backend: Backend, state: object, tools: Mapping[str, Tool], call: ToolCall
) -> Slow[tuple[CallRecord, object]]:
    """Play a call of a tool, its arguments validated.

    Args:
        backend: Answers it.
        state: The backend's state.
        tools: The tools that there are.
        call: The call.

    Returns:
        Its record, and the backend's state after it.
    """
    tool = tools.get(call.name)
    if tool is None:
        return unknown_call(call, tools), state
    checked = check_call(call, tool)
    if not checked.violations and not checked.coercions:
        if isinstance(call.arguments, str):
            # Blank text, as servers send it for a tool without parameters.
            call = replace(call, arguments=checked.arguments)
        result, state = yield from backend.answer(state, tool, call)
        return CallRecord(call.id, call.name, call.arguments, result), state
    # What the API really said to exactly this text beats our reading of its documentation.
    recorded = backend.recorded(state, tool, call)
    notes = tuple(note.to_dict() for note in (*checked.coercions, *checked.violations))
    if recorded is not None:
        return CallRecord(call.id, call.name, call.arguments, recorded, notes), state
    if checked.violations:
        error = "invalid arguments: " + "; ".join(violation.message for violation in checked.violations)
        return refused(call, error, Status.INVALID_ARGUMENTS)._replace(violations=notes), state
    call = replace(call, arguments=checked.arguments)
    result, state = yield from backend.answer(state, tool, call)
    return CallRecord(call.id, call.name, call.arguments, result, notes), state


def play_as_the_original_does(
    backend: Backend, state: object, tools: Mapping[str, Tool], call: ToolCall
) -> Slow[tuple[CallRecord, object]]:
    """Play a call as Guo et al., 2024, do: nothing is validated; see `play_call`."""
    name = find_function(tools, call.name)
    if name is None:
        return unknown_call(call, tools), state
    result, state = yield from backend.answer(state, tools[name], call)
    return call_record(call, result), state


def bounded(result: ToolResult, limit: int) -> str:
    """Return a result's JSON text, shortened structurally to fit ``limit`` characters."""
    if len(result.text) <= limit:
        return result.text
    error = jsontext.cut(result.error, max(64, limit // 4))
    room = limit - len(jsontext.dumps({"error": error, "response": ""}))
    return jsontext.dumps({"error": error, "response": jsontext.cut(result.response, max(64, room))})


def _joined_results(records: Sequence[CallRecord], limit: int) -> str:
    room = limit // len(records) - 2
    text = "[" + ", ".join(bounded(record.result, room) for record in records) + "]"
    if len(text) <= limit:
        return text
    # So many calls that not even the beginning of each result fits.
    return jsontext.dumps(jsontext.cut(jsontext.loads(text), limit))


def call_record(call: ToolCall, result: ToolResult) -> CallRecord:
    """Return the record of a call."""
    return CallRecord(call.id, call.name, call.arguments, result)


def refused(call: ToolCall, error: str, status: Status) -> CallRecord:
    """Return the record of a call that reaches no tool."""
    return call_record(call, ToolResult.of("", error=error, source="env", status=status))


def unknown_call(call: ToolCall, tools: Mapping[str, Tool]) -> CallRecord:
    """Return the record of a call of a tool that there is none of."""
    hint = did_you_mean(call.name, [*tools, FINISH])
    return refused(call, f"no tool is named {call.name!r}.{hint}", Status.UNKNOWN_TOOL)


def answered(record: CallRecord, said: str) -> CallRecord:
    """Return a Finish that the user heard with what they said back; any other call as it is."""
    if record.result.status is not Status.FINISHED:
        return record
    return record._replace(result=ToolResult.of(said, source="env"))
