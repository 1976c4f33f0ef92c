"""The Finish call, with which an agent ends its episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from stb_env.actions.finish_arguments import PARAMETERS, finish_arguments
from stb_env.actions.validation import validate_call
from stb_env.actions.validation.violation import in_words
from stb_env.core import jsontext
from stb_env.core.answers import form_problems, listed_spelling, object_schema
from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.tasks import Task
from stb_env.tools import FINISH, Status, Tool, ToolCall, ToolResult
from stb_env.trajectory import CallRecord
from stb_env.trajectory_line import text_of

GIVE_UP = "give_up_and_restart"
_RETURN_TYPE: JsonObject = {"type": "string", "enum": ["give_answer", GIVE_UP]}
_PROSE: JsonObject = {"type": "string", "description": "What the user reads besides; it is not judged."}

FINISH_TOOL = Tool(
    name=FINISH,
    description=(
        "Ends the task. With return_type give_answer, final_answer is what the user gets to read, and "
        "nothing else is shown to them. With give_up_and_restart, this attempt is abandoned."
    ),
    parameters={
        "type": "object",
        "properties": {
            "return_type": _RETURN_TYPE,
            "final_answer": {
                "type": "string",
                "description": "The complete answer for the user; required with give_answer.",
            },
        },
        "required": ["return_type"],
    },
)
"""Finish with a way to give up, as the original has it: under a protocol or a search that backtracks."""

TEXT_FINISH = Tool(
    name=FINISH,
    description="Ends the task. final_answer is what the user gets to read; nothing else is shown to them.",
    parameters={
        "type": "object",
        "properties": {
            "final_answer": {"type": "string", "description": "The complete answer for the user."}
        },
        "required": ["final_answer"],
    },
)
"""Finish of tasks whose answer is text."""

ACTS_FINISH = Tool(
    name=FINISH,
    description="Ends the task. What was done decides; final_answer is a last word to the user.",
    parameters={"type": "object", "properties": {"final_answer": _PROSE}},
)
"""Finish of tasks in which calls and the final state decide."""


@dataclass(frozen=True, slots=True)
class Finish:
    """A Finish call as read.

    Attributes:
        kind: What the agent asked for; ``invalid`` where its arguments are no valid Finish.
        final_answer: The prose for the user.
        answer: The typed answer, where the task asks for one.
        cannot: Why the request cannot be met, where the agent says so.
        problem: Why it is invalid, for the agent.
    """

    kind: Literal["answer", "give_up", "invalid"]
    final_answer: str = ""
    answer: JsonObject | None = None
    cannot: JsonObject | None = None
    problem: str = ""

    @property
    def text(self) -> str:
        """The answer as text."""
        return text_of(self.final_answer, self.answer, self.cannot)


@dataclass(frozen=True, slots=True)
class FinishForm:
    """Form of a task's Finish: the tool that episodes offer, and the reader of its calls.

    Attributes:
        kind: ``typed`` takes a typed answer; ``acts`` at most a last word; ``text`` an answer in prose;
            ``original`` is that of the original, whose ``return_type`` is required.
        tool: Finish as the agent sees it.
        reasons: What may be lacking, by the reason that ``cannot`` gives; empty where it takes none.
        literal: Whether broken JSON is refused wherever the original refuses it (``compat="original"``).
    """

    kind: Literal["typed", "acts", "text", "original"]
    tool: Tool
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)
    literal: bool = False

    def read(self, call: ToolCall) -> Finish:
        """Read a Finish call, tolerating broken JSON in its arguments.

        A ``return_type`` is read wherever no typed answer is asked for: models know it from the original.

        Examples:
            >>> form = FinishForm("text", TEXT_FINISH)
            >>> form.read(ToolCall("Finish", {"final_answer": "42"})).final_answer
            '42'
            >>> form.read(ToolCall("Finish", {})).problem
            'Finish needs final_answer'
        """
        names = PARAMETERS if self.kind == "original" else tuple(self.tool.parameters["properties"])
        arguments = finish_arguments(call, names)
        if self.literal:
            # What the original can read of broken JSON decides; what was meant by it is the answer.
            read = finish_arguments(call, names, compat=True)
            arguments = {**read, **{name: arguments[name] for name in read.keys() & {"final_answer"}}}
        if self.kind == "typed":
            return self._read_typed(call, arguments)
        kind = arguments.get("return_type")
        if kind == GIVE_UP:
            return Finish("give_up")
        if kind != "give_answer" and (self.kind == "original" or "return_type" in arguments):
            got = "nothing" if kind is None else jsontext.dumps(kind)[:80]
            return Finish("invalid", problem=f"return_type must be 'give_answer' or '{GIVE_UP}', got {got}")
        return self._read_acts(arguments) if self.kind == "acts" else self._read_text(arguments)

    def _read_text(self, arguments: Mapping[str, object]) -> Finish:
        if "final_answer" not in arguments:
            given = "with return_type 'give_answer', " if "return_type" in arguments else ""
            return Finish("invalid", problem=f"{given}Finish needs final_answer")
        said = arguments["final_answer"]
        return Finish(
            "answer", "" if said is None else said if isinstance(said, str) else jsontext.dumps(said)
        )

    def _read_acts(self, arguments: JsonMapping) -> Finish:
        given = {
            name: value
            for name, value in arguments.items()
            if name != "return_type" and not (name == "final_answer" and value is None)
        }
        problem = _misfit(given, self.tool)
        return (
            Finish("invalid", problem=problem) if problem else Finish("answer", given.get("final_answer", ""))
        )

    def _read_typed(self, call: ToolCall, arguments: JsonMapping) -> Finish:
        schemas = self.tool.parameters["properties"]
        if "return_type" in schemas and arguments.get("return_type") == GIVE_UP:
            return Finish("give_up")
        if isinstance(call.arguments, str) and not _is_object(call.arguments):
            problem = f"the arguments must be one JSON object, got {in_words(call.arguments)}"
            return Finish("invalid", problem=problem)
        # Structured output writes null for what is absent.
        given = {
            name: listed_spelling(schemas[name], value) if name in schemas else value
            for name, value in arguments.items()
            if value is not None or name not in schemas
        }
        fields = schemas["answer"].get("properties", {})
        if given and not given.keys() & schemas.keys() and given.keys() <= fields.keys():
            given_names = ", ".join(given)
            return Finish(
                "invalid", problem=f"give {given_names} as fields of answer: Finish takes an object there"
            )
        problem = _misfit(given, self.tool) or "; ".join(self._problems(given))
        if problem:
            return Finish("invalid", problem=problem)
        return Finish("answer", given.get("final_answer", ""), given.get("answer"), given.get("cannot"))

    def _problems(self, given: JsonMapping) -> Iterator[str]:
        answer, cannot = given.get("answer"), given.get("cannot")
        if answer is not None and cannot is not None:
            yield "Finish takes answer or cannot, got both; give one"
        elif answer is not None:
            yield from form_problems(self.tool.parameters["properties"]["answer"], answer)
        elif cannot is None:
            fields = ", ".join(self.tool.parameters["properties"]["answer"].get("properties", {}))
            yield f"Finish needs answer, an object with {fields or 'no fields'}" + (
                ", or cannot where the request cannot be met" if self.reasons else ""
            )
        else:
            reason, allowed = cannot["reason"], self.reasons[cannot["reason"]]
            yield from (
                f"'cannot.what' with reason {reason!r} must be one of {', '.join(allowed)}, got {what!r}"
                for what in cannot["what"]
                if what not in allowed
            )


_ORIGINAL = FinishForm("original", FINISH_TOOL)
_LITERAL = FinishForm("original", FINISH_TOOL, literal=True)
_ACTS_OR_UP = FinishForm(
    "acts",
    Tool(
        FINISH,
        f"{ACTS_FINISH.description} With return_type {GIVE_UP}, this attempt is abandoned.",
        {"type": "object", "properties": {"return_type": _RETURN_TYPE, "final_answer": _PROSE}},
    ),
)
_TEXT = FinishForm("text", TEXT_FINISH)
_ACTS = FinishForm("acts", ACTS_FINISH)


# Asked at every step, and runs play the same tasks again.
@lru_cache(maxsize=1024)
def finish_form(
    task: Task, *, gives_up: bool = False, original: bool = False, literal: bool = False
) -> FinishForm:
    """Return how the episodes of a task end.

    Args:
        task: The task.
        gives_up: Whether an attempt can be given up, under a search that goes back.
        original: Whether Finish is that of the original, under a protocol or with ``compat="original"``.
        literal: Whether what the original refuses is refused, as with ``compat="original"``.

    Examples:
        >>> ping = (Tool("ping", "Answers pong.", {}),)
        >>> schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
        >>> form = finish_form(Task("1", "How many?", ping, answer=schema))
        >>> form.read(ToolCall("Finish", {"answer": {"count": "two"}})).problem
        "'answer.count' must be an integer, got the text 'two'"
        >>> form.read(ToolCall("Finish", {"answer": {"count": 2}})).answer
        {'count': 2}
    """
    if original:
        return _LITERAL if literal else _ORIGINAL
    if task.answer is None:
        return _ORIGINAL if gives_up else _TEXT
    if task.answer == "acts":
        return _ACTS_OR_UP if gives_up else _ACTS
    return _typed_form(jsontext.dumps([task.answer, task.cannot]), gives_up)


def said_in(finish: JsonMapping, text: str) -> JsonObject | None:
    """Return the arguments with which Finish takes a plain text as the answer; None where answers are typed.

    Args:
        finish: The parameters of Finish.
        text: What an agent wrote without a call.

    Examples:
        >>> said_in(TEXT_FINISH.parameters, "42"), said_in(FINISH_TOOL.parameters, "42")
        ({'final_answer': '42'}, {'return_type': 'give_answer', 'final_answer': '42'})
        >>> said_in({"type": "object", "properties": {"answer": {"type": "object"}}}, "42") is None
        True
    """
    takes = finish["properties"]
    if "answer" in takes:
        return None
    said = {"final_answer": text}
    return {"return_type": "give_answer", **said} if "return_type" in takes else said


@lru_cache(maxsize=1024)
def _typed_form(schemas: str, gives_up: bool) -> FinishForm:
    """Return the form of tasks with these schemas of answer and reasons, as JSON."""
    answer, reasons = jsontext.loads(schemas)
    properties: JsonObject = {"answer": answer}
    if reasons:
        properties["cannot"] = _cannot_schema(reasons)
    properties["final_answer"] = _PROSE
    if gives_up:
        properties["return_type"] = _RETURN_TYPE
    required = [] if reasons or gives_up else ["answer"]
    description = "Ends the task. answer holds the values that the query asks for."
    if reasons:
        description += " Where the request cannot be met, give cannot in its place."
    if gives_up:
        description += f" With return_type {GIVE_UP}, this attempt is abandoned."
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return FinishForm("typed", Tool(FINISH, description, schema), reasons or {})


def _cannot_schema(reasons: Mapping[str, Sequence[str]]) -> JsonObject:
    listed = "; ".join(f"{reason}: {', '.join(whats)}" for reason, whats in reasons.items())
    every = list(dict.fromkeys(what for whats in reasons.values() for what in whats))
    what = {
        "type": "array",
        "items": {"type": "string", "enum": every},
        "minItems": 1,
        "uniqueItems": True,
        "description": f"What is lacking, of the list that the reason allows. {listed}.",
    }
    return object_schema({"reason": {"type": "string", "enum": list(reasons)}, "what": what})


def _is_object(text: str) -> bool:
    try:
        return isinstance(jsontext.loads(text), dict)
    except ValueError:
        return not text.strip()


def _misfit(arguments: Mapping[str, object], tool: Tool) -> str:
    """Return why arguments do not fit a Finish, or an empty string."""
    found = validate_call(ToolCall(FINISH, arguments), tool)
    return "; ".join(violation.message for violation in found)


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
