"""Programs as actions: a step runs Python whose functions are the task's tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import Literal

from stb_env.actions import POSITIONAL, Program
from stb_env.core import jsontext
from stb_env.core.jsontypes import Json, JsonObject
from stb_env.core.request import Slow
from stb_env.envs.functions import ArgumentsError, functions_of, program_of, signatures
from stb_env.envs.interpreter import Interpreter
from stb_env.envs.played_calls import refused
from stb_env.envs.program_session import MODULES, Answer, Call, Ran
from stb_env.envs.program_text import RefusedError, prepared
from stb_env.envs.program_value import encodable
from stb_env.errors import ConfigError
from stb_env.models.prompting import Prompt, prompt
from stb_env.tools import FINISH, PYTHON, Status, Tool, ToolCall, ToolResult
from stb_env.trajectory import CallRecord

Actions = Literal["calls", "code"]

PYTHON_TOOL = Tool(
    name=PYTHON,
    description="Runs a Python program in which the task's tools are functions, and returns what it prints.",
    parameters={
        "type": "object",
        "properties": {"code": {"type": "string", "description": "The program."}},
        "required": ["code"],
    },
)
"""The call that runs a program, as an agent sees it."""

NO_PROGRAM = (
    "no program found; write one in a ```python block, and call Finish in it to give the final answer"
)


_SHOWN_LINE = 400
# Names under which models know a tool that runs programs.
_PYTHONS = frozenset({PYTHON, f"execute_{PYTHON}", f"run_{PYTHON}", "code_interpreter"})


def check_code_setting(compat: str | None, *, own_syntax: bool) -> None:
    """Check that an environment can take programs.

    Raises:
        ConfigError: It plays as an original does, or its tasks have a syntax of their own.
    """
    if compat is not None:
        raise ConfigError(f"compat={compat!r} plays calls as the original does; leave out actions='code'")
    if own_syntax:
        raise ConfigError(
            "these tasks have a syntax of their own for actions, which is part of what they test; leave out "
            "actions='code'"
        )


def outside_program(call: ToolCall, calls: int, tools: Container[str]) -> CallRecord:
    """Return the record of a call that is none of a program, where actions are programs.

    Args:
        call: The call.
        calls: How many the reply has.
        tools: The tools that there are.
    """
    if calls > 1:
        error = f"a reply holds one program, or one Finish alone, got {calls} calls; none of them was made"
        return refused(call, error, Status.INVALID_ARGUMENTS)
    if call.name == PYTHON:
        return refused(
            call, "invalid arguments: 'code' must be the program, as text", Status.INVALID_ARGUMENTS
        )
    if call.name.casefold() in _PYTHONS:
        error = f"no tool is named {call.name!r}; the tool that runs a program is {PYTHON!r}, and takes code"
        return refused(call, error, Status.UNKNOWN_TOOL)
    if call.name not in tools and call.name != FINISH:
        return refused(call, f"{call.name!r} is no tool; {NO_PROGRAM}", Status.UNKNOWN_TOOL)
    line = program_of([(call.name, call.arguments)], {})[:_SHOWN_LINE]
    error = f"{call.name!r} cannot be called on its own; write {line} in a ```python block"
    return refused(call, error, Status.UNKNOWN_TOOL)


PlayCall = Callable[[ToolCall, str], Slow[CallRecord | None]]
"""Plays a call, given why no tool can get it, or an empty text.

Returns its record; None where the program ends with it.
"""


@dataclass(frozen=True, slots=True)
class Programs:
    """Runs programs, and tells their authors about it.

    Attributes:
        interpreter: Runs them.
    """

    interpreter: Interpreter = field(default_factory=Interpreter)

    def run(
        self, program: Program, tools: Iterable[Tool], namespace: bytes, seed: int, play: PlayCall
    ) -> Slow[Ran]:
        """Run a program, each call of a tool in it being played.

        An application error is no exception in the program: the function returns the data that an
        observation has, so that a loop over many calls goes on as it does for calls in JSON. A call that
        reaches no tool, be its name or be its arguments wrong, raises what Python raises for that, with the
        message of the refusal.

        Args:
            program: The program.
            tools: What it can call, Finish included.
            namespace: What earlier programs of the episode left.
            seed: Seed of the episode.
            play: Plays a call.
        """
        functions = functions_of(tuple(tools))
        names = frozenset(functions)
        try:
            code = prepared(encodable(program.code), names)
        except RefusedError as error:
            return Ran("", str(error), namespace)
        made = 0

        def called(made_call: Call) -> Slow[Answer]:
            nonlocal made
            call_id, made = f"call_{made}", made + 1
            name, problem = made_call.name, ""
            if name in functions:
                try:
                    call = functions[name].call(made_call.args, made_call.kwargs, call_id)
                except ArgumentsError as error:
                    call, problem = error.call, f"invalid arguments: {error}"
            else:
                call = _unknown(made_call, call_id)
            record = yield from play(call, problem)
            return Answer(ends=True) if record is None else _answer_of(record.result)

        return (yield from self.interpreter.run(program.code, code, namespace, seed, called, names))

    @property
    def fingerprint(self) -> JsonObject:
        """Plain data that decides what programs do and what is said of them, for the run's manifest."""
        return {**self.interpreter.fingerprint, "prompt": self.prompt.hash}

    @property
    def prompt(self) -> Prompt:
        """The part of a system message on programs."""
        return prompt("programs", "v4")

    def instructions(self, tools: Iterable[Tool]) -> str:
        """Return the part of the system message on programs, with the tools as Python signatures.

        Args:
            tools: What a program can call, Finish included.
        """
        return self.prompt.render(
            functions=signatures(functions_of(tuple(tools))), modules=", ".join(MODULES)
        )


def _unknown(call: Call, call_id: str) -> ToolCall:
    given: dict[str, Json] = {key: each.value for key, each in call.kwargs.items()}
    if call.args:
        given[POSITIONAL] = [each.value for each in call.args]
    return ToolCall(call.name, given, call_id)


def _answer_of(result: ToolResult) -> Answer:
    if result.status is Status.UNKNOWN_TOOL:
        return Answer(error=NameError(encodable(result.error)))
    if result.status is Status.INVALID_ARGUMENTS:
        return Answer(error=TypeError(encodable(result.error)))
    data = jsontext.read_back(result.text)
    if "\\ud" in result.text:
        # Lone halves of characters, which no program can hold.
        data = json.loads(encodable(json.dumps(data, ensure_ascii=False)))
    return Answer(value=data)
