"""The backend of a declared environment: calls go to functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from stb_env.backend.own import Answered
from stb_env.backend.world import World
from stb_env.core.jsontypes import JsonMapping
from stb_env.core.request import Request, Slow, settled
from stb_env.declare.declaration import Declaration
from stb_env.declare.facts import ASK_USER, answer_of
from stb_env.declare.function import Function
from stb_env.declare.json_values import plain
from stb_env.declare.states import Timed, handed, is_frozen
from stb_env.errors import BackendError, ConfigError, InfrastructureError, STBError, bug_in, did_you_mean
from stb_env.runs.deadlines import Deadlines, Watch
from stb_env.tasks import Task
from stb_env.tools import Tool, ToolResult


class FunctionWorld(World):
    """Calls the functions of a declaration.

    Each call gets a copy of the state to change, so that a snapshot is a reference and a fork stays as it is;
    what raises changes nothing. A `ValueError` or a `LookupError` is what the tool has to say to the agent.
    Anything else that a function raises is its bug, and ends the episode as invalid.

    Args:
        declaration: The environment's declaration.
    """

    def __init__(self, declaration: Declaration) -> None:
        self._declared = declaration

    @property
    def fingerprint(self) -> dict[str, object]:
        """The environment's id and a hash of the files that declare it."""
        return {"world": self._declared.env_id, "source": self._declared.source}

    def start(self, task: Task, seed: int) -> Any:  # noqa: ARG002 (the protocol's parameters)
        """Return a state of the episode's own."""
        return self._declared.start(task.id)

    def call(self, state: Any, tool: Tool, arguments: JsonMapping) -> Any:
        """Run one call.

        Raises:
            ConfigError: The tool belongs to another environment.
        """
        if not isinstance(state, Timed):
            return self._called(state, tool, partial(self._function(tool).run, arguments=arguments))
        return self._timed(state, tool, arguments)

    def _timed(self, state: Timed, tool: Tool, arguments: JsonMapping) -> Slow[Answered]:
        """Run one call of an episode in which calls are counted and others change the state, too."""
        query = self._declared.query(state.task_id)
        state = replace(state, calls=state.calls + 1)
        event = None if query is None else query.events.get(state.calls)
        if event is not None:
            state = replace(state, own=(yield from self._happened(event, state)))
        if tool.name == ASK_USER and self._declared.facts:
            return answer_of({} if query is None else query.facts, str(arguments["about"])), state
        clock = self._declared.clock(state.task_id, state)
        run = partial(self._function(tool).run, arguments=arguments, clock=clock)
        result, after = yield from self._called(state.own, tool, run)
        return result, replace(state, own=after)

    def _happened(self, event: Callable[[Any], Any], state: Timed) -> Slow[Any]:
        given = handed(state.own)
        try:
            after = yield from settled((yield Request(run=partial(event, given), inline=True)))
        except (Exception, SystemExit) as error:
            raise BackendError(
                bug_in(f"the event before call {state.calls} of task {state.task_id!r}", error, event),
                stage="world",
            ) from error
        return given if after is None else after

    def _called(self, state: Any, tool: Tool, run: Callable[..., Any]) -> Slow[Answered]:
        function = self._function(tool)
        given = handed(state) if function.takes_state else state
        called = _run(partial(run, given))
        seconds = self._declared.timeouts.get(tool.name)
        try:
            value = yield from (called if seconds is None else Watch(Deadlines(call=seconds)).keep(called))
        except (ValueError, LookupError) as error:
            return _refused(error), state
        except InfrastructureError as error:
            if error.kind == "timeout":
                error.args = (f"tool {tool.name!r} did not return: {error}",)
            raise
        except STBError:
            raise
        except (Exception, SystemExit) as error:
            raise BackendError(
                bug_in(f"tool {function.tool.name!r}", error, function.call), stage="world"
            ) from error
        return _answer(function, value, state, given)

    def _function(self, tool: Tool) -> Function:
        function = self._declared.functions.get(tool.name)
        if function is None:
            near = did_you_mean(tool.name, self._declared.functions)
            raise ConfigError(f"{self._declared.env_id} has no tool {tool.name!r}.{near}")
        return function


def _run(run: Callable[[], Any]) -> Slow[Any]:
    return (yield from settled((yield Request(run=run, inline=True))))


def _answer(function: Function, value: Any, state: Any, given: Any) -> Answered:
    # Nothing changes a frozen state: a function that would returns the next one beside its answer.
    pair = is_frozen(state) and function.takes_state and isinstance(value, tuple) and len(value) == 2
    if pair and type(value[1]) is type(state):
        value, given = value
    try:
        return ToolResult.of(plain(value), source="world"), given
    except (TypeError, RecursionError) as error:
        raise BackendError(
            f"tool {function.tool.name!r} returned a value of type {type(value).__name__}, which is no JSON; "
            "return text, numbers, lists, dicts or dataclasses of them",
            stage="world",
        ) from error


def _refused(error: Exception) -> ToolResult:
    text = str(error.args[0]) if len(error.args) == 1 else str(error)
    # What a dict or a list says of a missing key is the key alone.
    if type(error) in (KeyError, IndexError) or not text:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return ToolResult.of("", error=text, source="world")
