"""Plays tasks under dials the way that a careless agent does, for tests beside gold."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from stb_env.judges.judge import Case
from stb_env.suites.worlds.data.rows import State
from stb_env.suites.worlds.judge import ExactJudge
from stb_env.suites.worlds.oracle.persistent import told
from stb_env.suites.worlds.oracle.player import Player
from stb_env.suites.worlds.oracle.requests import Request
from stb_env.suites.worlds.oracle.session import Session
from stb_env.suites.worlds.tasks.world_task import WorldTask
from stb_env.suites.worlds.world import GeneratedWorld
from stb_env.tools import ToolCall, ToolResult

WORLD = GeneratedWorld()
Manner = Callable[[WorldTask, Request], Generator[ToolCall, ToolResult, ToolResult]]


class Lost(Exception):
    """A player does not know how to go on."""


def once(_made: WorldTask, request: Request) -> Generator[ToolCall, ToolResult, ToolResult]:
    """Make a call, and give up where it fails."""
    result = yield ToolCall(request.tool.tool.name, request.arguments)
    if result.error:
        raise Lost(result.error)
    return result


def blindly(_made: WorldTask, request: Request) -> Generator[ToolCall, ToolResult, ToolResult]:
    """Make a call until no fault comes back."""
    result = yield ToolCall(request.tool.tool.name, request.arguments)
    while result.source == "fault":
        result = yield ToolCall(request.tool.tool.name, request.arguments)
    return result


def solves(made: WorldTask, manner: Manner) -> bool:
    """Return whether the plan of the task, made before its dials, solves it when it is played in a manner."""
    state = WORLD.start(made.task, 0)
    tools = {tool.name: tool for tool in made.task.tools}
    plan = Session(made.world).carried(Player(made.world, made.solved.modes).solve(made.drawn.goal))
    response: Any = None
    try:
        while True:
            request = plan.send(response)
            calls = manner(made, request)
            call = next(calls)
            while True:
                result, state = WORLD.call(state, tools[call.name], dict(call.arguments))  # type: ignore[arg-type]
                try:
                    call = calls.send(result)
                except StopIteration as stop:
                    response = told(stop.value)
                    break
    except StopIteration as stop:
        return ended_well(made, state, stop.value)
    except (Lost, KeyError, TypeError, ValueError):
        return False


def gold_solves(made: WorldTask, *, first: int = 0, between: int = 0) -> bool:
    """Return whether the oracle solves a task, which may be slow: it makes harmless calls beside its own.

    Args:
        made: The task.
        first: Harmless calls before all others.
        between: Harmless calls before each other one.
    """
    state, play = WORLD.start(made.task, 0), made.play()
    tools = {tool.name: tool for tool in made.task.tools}
    idle = next(tools[each.tool.name] for each in made.world.tools.values() if each.kind == "today")
    for _ in range(first):
        _, state = WORLD.call(state, idle, {})
    try:
        call = next(play)
        while True:
            for _ in range(between):
                _, state = WORLD.call(state, idle, {})
            result, state = WORLD.call(state, tools[call.name], dict(call.arguments))  # type: ignore[arg-type]
            call = play.send(result)
    except StopIteration as stop:
        return ended_well(made, state, stop.value["answer"])


def ended_well(made: WorldTask, state: State, answer: dict[str, object]) -> bool:
    """Return whether a state and an answer solve a task."""
    return Case(made.task, "", (), state, answer=answer).verdict(ExactJudge()).status == "solved"
