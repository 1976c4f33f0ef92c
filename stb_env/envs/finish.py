"""The Finish call, with which an agent ends its episode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from stb_env import jsontext
from stb_env.actions.finish_arguments import finish_arguments
from stb_env.jsontypes import JsonArray, JsonMapping
from stb_env.tools import FINISH, Status, Tool, ToolCall, ToolResult
from stb_env.trajectory import CallRecord

FINISH_TOOL = Tool(
    name=FINISH,
    description=(
        "Ends the task. With return_type give_answer, final_answer is what the user gets to read, and "
        "nothing else is shown to them. With give_up_and_restart, this attempt is abandoned."
    ),
    parameters={
        "type": "object",
        "properties": {
            "return_type": {"type": "string", "enum": ["give_answer", "give_up_and_restart"]},
            "final_answer": {
                "type": "string",
                "description": "The complete answer for the user; required with give_answer.",
            },
        },
        "required": ["return_type"],
    },
)
LONGEST_VALUE = 60
"""Characters of one of the bare values of an answer; what is longer is a sentence."""
VALUED_FINISH_TOOL = replace(
    FINISH_TOOL,
    parameters={
        **FINISH_TOOL.parameters,
        "properties": {
            **FINISH_TOOL.parameters["properties"],
            "values": {
                "type": "array",
                "items": {"type": ["string", "number", "boolean"], "maxLength": LONGEST_VALUE},
                "description": (
                    "The values that the query asks for, in the order in which the query asks for them, one "
                    "an item and bare, with no sentence around it: a number with its unit or currency, a "
                    "name, a code, a date as YYYY-MM-DD, a time as HH:MM, yes or no. Of several names, each "
                    "is an item. Where the query asks for an action and for nothing to be told, give no "
                    "items. Where the request cannot be met, give in a word or two what is lacking: the "
                    "detail that it leaves out (like 'weight'), the name of what does not exist, or what no "
                    "tool can do (like 'print')."
                ),
            },
        },
    },
)
"""Finish where an answer comes as bare values beside its text."""


@dataclass(frozen=True, slots=True)
class Finish:
    """A Finish call as read.

    Attributes:
        kind: What the agent asked for; ``invalid`` where its arguments are no valid Finish.
        answer: The final answer, as text.
        problem: Why it is invalid, for the agent.
    """

    kind: Literal["answer", "give_up", "invalid"]
    answer: str = ""
    problem: str = ""


def read_finish(call: ToolCall, *, needs_values: bool = False) -> Finish:
    """Read a Finish call, tolerating broken JSON in its arguments.

    Args:
        call: The call.
        needs_values: Whether an answer must bring its bare values as well.

    Examples:
        >>> read_finish(ToolCall("Finish", {"return_type": "give_answer", "final_answer": "42"}))
        Finish(kind='answer', answer='42', problem='')
        >>> read_finish(ToolCall("Finish", {"return_type": "give_answer"})).problem
        "with return_type 'give_answer', Finish needs final_answer"
    """
    arguments: JsonMapping = finish_arguments(call)
    kind = arguments.get("return_type")
    if kind == "give_up_and_restart":
        return Finish("give_up")
    if kind != "give_answer":
        got = "nothing" if kind is None else jsontext.dumps(kind)[:80]
        return Finish(
            "invalid", problem=f"return_type must be 'give_answer' or 'give_up_and_restart', got {got}"
        )
    if "final_answer" not in arguments:
        return Finish("invalid", problem="with return_type 'give_answer', Finish needs final_answer")
    if needs_values and not isinstance(arguments.get("values"), list):
        got = "nothing" if "values" not in arguments else jsontext.dumps(arguments["values"])[:80]
        return Finish(
            "invalid",
            problem="Finish needs values beside final_answer, a list of bare values as in "
            f'["Oslo", 4.5, "yes"] or, where nothing is asked for, an empty one; got {got}',
        )
    if needs_values and (problem := _unlike_a_value(arguments["values"])):
        return Finish("invalid", problem=problem)
    answer = arguments["final_answer"]
    if answer is None:
        return Finish("answer")
    return Finish("answer", answer if isinstance(answer, str) else jsontext.dumps(answer))


def _unlike_a_value(values: JsonArray) -> str:
    """Return which of some values is no bare one and what is wanted in its place, or an empty string."""
    for place, value in enumerate(values):
        if not isinstance(value, str | int | float) or len(f"{value}") > LONGEST_VALUE:
            return (
                f"values[{place}] must be one bare value, a text of at most {LONGEST_VALUE} characters, a "
                f"number, true or false, got {jsontext.dumps(value)[:80]}; give each value an item of its own"
            )
    return ""


_ABANDONED = ToolResult.of("gave up", source="env", status=Status.GAVE_UP)
_GIVEN = ToolResult.of("answer given", source="env", status=Status.FINISHED)


def finish_record(call: ToolCall, finish: Finish) -> CallRecord:
    """Return the record of a Finish call: what its agent gets to see of it."""
    if finish.kind == "invalid":
        result = ToolResult.of("", error=finish.problem, source="env", status=Status.INVALID_ARGUMENTS)
    elif finish.kind == "give_up":
        result = _ABANDONED
    else:
        result = _GIVEN
    return CallRecord(call.id, call.name, call.arguments, result)
