"""Backends, worlds, users and simulators of other people's: plain, async or generators."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.own import as_backend, as_simulator, as_user
from stb_env.backend.user import Said
from stb_env.backend.virtual import VirtualBackend
from stb_env.backend.world import World
from stb_env.core.request import Request, Slow, drive
from stb_env.envs.connections import connect_backend
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, InfrastructureError, SimulatorError
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolCall, ToolResult

ECHO = Tool("echo", "Says it again.", {"type": "object", "properties": {"n": {"type": "integer"}}})
CALL = '{"name": "echo", "arguments": {"n": 3}}'
FINISH = {"name": "Finish", "arguments": {"return_type": "give_answer", "final_answer": "3"}}


class Counting(World):
    """A world that counts its calls."""

    fingerprint = {"world": "counting"}  # noqa: RUF012

    def start(self, task: Task, seed: int) -> int:
        return 0


class Plain(Counting):
    def call(self, state: int, tool: Tool, arguments: Mapping[str, Any]) -> tuple[ToolResult, int]:
        return ToolResult.of(arguments["n"], source="world"), state + 1


class Async(Counting):
    async def call(self, state: int, tool: Tool, arguments: Mapping[str, Any]) -> tuple[Any, int]:
        await asyncio.sleep(0)
        return arguments["n"], state + 1


class Waiting(Counting):
    def call(self, state: int, tool: Tool, arguments: Mapping[str, Any]) -> Slow[tuple[ToolResult, int]]:
        got = yield Request(run=lambda: arguments["n"])
        return ToolResult.of(got, source="world"), state + 1


class Service:
    """The least that a backend has."""

    async def answer(self, state: Any, tool: Tool, call: ToolCall) -> tuple[Any, Any]:
        await asyncio.sleep(0)
        return dict(call.arguments)["n"], (state or 0) + 1


class Whole:
    """All that a backend has, plain."""

    fingerprint = {"backend": "whole"}  # noqa: RUF012
    closed = False

    def start(self, task: Task, seed: int) -> int:
        return 0

    def answer(self, state: int, tool: Tool, call: ToolCall) -> tuple[ToolResult, int]:
        return ToolResult.of(dict(call.arguments)["n"], source="real"), state + 1

    def recorded(self, state: int, tool: Tool, call: ToolCall) -> ToolResult | None:
        return ToolResult.of("recorded", source="cache") if call.arguments == {"n": "five"} else None

    def close(self) -> None:
        self.closed = True


def env(backend: Any, **settings: Any) -> ToolEnv:
    made = ToolEnv(
        TaskSet([Task("1", "Echo 3.", (ECHO,))]), backend, lambda case: case.state == 1, **settings
    )
    made.reset(seed=0)
    return made


@pytest.mark.parametrize(
    "backend", [Plain(), Async(), Waiting(), Service(), Whole()], ids=lambda it: type(it).__name__
)
def test_every_form_of_backend_answers_in_a_thread_and_on_a_loop(backend: Any):
    async def awaited() -> list[Any]:
        playing = env(backend)
        return [await playing.astep(CALL), await playing.astep(FINISH)]

    playing = env(backend)
    stepped = [playing.step(CALL), playing.step(FINISH)]
    assert json.loads(stepped[0][0]["result"]) == {"error": "", "response": 3}
    assert stepped[1][1] == 1.0
    assert asyncio.run(awaited()) == stepped


def test_a_backend_that_works_as_ours_do_stays_as_it_is():
    for backend in (Plain(), Async(), VirtualBackend()):
        assert as_backend(backend) is backend


def test_the_rest_of_a_backend_is_passed_on_where_it_is_there():
    whole, least = Whole(), Service()
    assert as_backend(whole).fingerprint == {"backend": "whole"}
    assert as_backend(least).fingerprint["backend"].startswith("Service@")
    call = ToolCall("echo", {"n": "five"})
    assert as_backend(whole).recorded(0, ECHO, call).response == "recorded"
    assert as_backend(least).recorded(0, ECHO, call) is None
    as_backend(whole).close()
    as_backend(least).close()
    assert whole.closed


class Buggy(Counting):
    def call(self, state: int, tool: Tool, arguments: Mapping[str, Any]) -> tuple[ToolResult, int]:
        raise KeyError("hunter2")


class AsyncBuggy(Counting):
    async def call(self, state: int, tool: Tool, arguments: Mapping[str, Any]) -> tuple[ToolResult, int]:
        raise KeyError("hunter2")


class BuggyService:
    def answer(self, state: Any, tool: Tool, call: ToolCall) -> tuple[Any, Any]:
        raise KeyError("hunter2")


@pytest.mark.parametrize(
    ("backend", "who"),
    [
        (Buggy(), "tool 'echo' of Buggy"),
        (AsyncBuggy(), "tool 'echo' of AsyncBuggy"),
        (BuggyService(), "backend 'BuggyService'"),
    ],
)
def test_a_bug_ends_the_episode_as_invalid_and_tells_no_secret(backend: Any, who: str):
    _, reward, _, truncated, info = env(backend).step(CALL)
    assert (reward, truncated, info["valid"]) == (0.0, True, False)
    assert info["failure"]["kind"] == "internal"
    assert info["failure"]["stage"] == "world"
    assert info["failure"]["message"].startswith(f"{who} raised KeyError (test_own_backends.py, line ")
    assert "hunter2" not in json.dumps(info)


def test_an_answer_without_a_state_is_a_bug():
    class Forgetful:
        def answer(self, state: Any, tool: Tool, call: ToolCall) -> Any:
            return "3"

    failure = env(Forgetful()).step(CALL)[4]["failure"]
    assert failure["message"].startswith(
        "backend 'Forgetful' returned a str; expected the answer and the new"
    )


@pytest.mark.parametrize("backend", [Plain, "https://api.example", None])
def test_what_is_no_backend_is_refused(backend: Any):
    with pytest.raises(ConfigError, match=r"^a backend has a method answer\(state, tool, call\), got "):
        as_backend(backend)


# -- users ------------------------------------------------------------------------------------------


def reply(task: Task, state: Any, text: str) -> str | None:
    return "Three." if text.endswith("?") else None


async def areply(task: Task, state: Any, text: str) -> Said:
    await asyncio.sleep(0)
    return Said(reply(task, state, text), (state or 0) + 1)


class Person:
    def start(self, task: Task, seed: int) -> int:
        return seed

    def reply(self, task: Task, state: int, text: str) -> str | None:
        return reply(task, state, text)


@pytest.mark.parametrize("user", [reply, areply, Person()])
def test_every_form_of_user_is_talked_to(user: Any):
    playing = env(Plain(), user=user)
    observation, *_ = playing.step("How many?")
    assert json.loads(observation["result"])["response"] == "Three."
    assert playing.step("Thank you.")[2]


def test_a_user_that_breaks_ends_the_episode_as_invalid():
    failure = env(Plain(), user=lambda task, state, text: 1 / 0).step("Hello?")[4]["failure"]
    assert (failure["kind"], failure["stage"]) == ("internal", "user")
    failure = env(Plain(), user=lambda task, state, text: 3).step("Hello?")[4]["failure"]
    assert failure["message"] == "the user returned a int; expected text, None or a Said"


def test_what_a_plain_user_is_is_in_the_manifest():
    assert as_user(reply).fingerprint["user"].startswith("reply@")
    with pytest.raises(
        ConfigError, match=r"^a user is a function of task, state and text or has such a method"
    ):
        as_user("Ann")


# -- simulators -------------------------------------------------------------------------------------


def simulate(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"echo": arguments["n"]}


async def asimulate(tool: Tool, arguments: Mapping[str, Any], key: str) -> ToolResult:
    await asyncio.sleep(0)
    return ToolResult.of({"echo": arguments["n"], "key": bool(key)}, source="simulator")


class Settled:
    def __init__(self, plus: int = 0) -> None:
        self.plus = plus

    def simulate(self, tool: Tool, arguments: Mapping[str, Any], **further: Any) -> dict[str, Any]:
        return {"echo": arguments["n"] + self.plus, "further": sorted(further)}


@pytest.mark.parametrize(
    ("simulator", "response"),
    [
        (simulate, {"echo": 3}),
        (asimulate, {"echo": 3, "key": True}),
        (Settled(1), {"echo": 4, "further": ["examples", "key"]}),
        (f"{__name__}:simulate", {"echo": 3}),
        (f"{Path(__file__)}:Settled(plus=2)", {"echo": 5, "further": ["examples", "key"]}),
    ],
)
def test_every_form_of_simulator_answers_in_an_apis_place(simulator: Any, response: Any):
    backend = connect_backend("live", simulator=simulator)
    result, _ = drive(backend.answer(None, ECHO, ToolCall("echo", {"n": 3})))
    assert (result.response, result.source) == (response, "simulator")


def test_the_manifest_knows_the_version_of_a_simulator():
    fingerprint = connect_backend("live", simulator=f"{__name__}:Settled(plus=2)").fingerprint["simulator"]
    assert fingerprint["simulator"].startswith("Settled@")
    assert fingerprint["settings"] == {"plus": 2}


@pytest.mark.parametrize("broken", [lambda tool, arguments: arguments["m"], lambda tool, arguments: object()])
def test_a_simulator_that_breaks_is_a_failure(broken: Any):
    with pytest.raises(
        SimulatorError, match=r"^the simulator raised (KeyError|TypeError) \(.*, which is a bug"
    ):
        drive(as_simulator(broken).simulate(ECHO, {"n": 3}, key="k"))


def test_a_simulator_is_asked_in_the_live_modes_alone():
    with pytest.raises(
        ConfigError, match=r"^real and simulator are asked in the modes live and record alone"
    ):
        connect_backend("offline", simulator=f"{__name__}:simulate")


def test_what_is_no_simulator_is_refused():
    with pytest.raises(ConfigError, match=r"^a simulator is a function of tool and arguments or has such a"):
        VirtualBackend(mode="live", live_simulator="gpt")


def test_failures_of_their_own_pass_unchanged():
    def down(tool: Tool, arguments: Mapping[str, Any]) -> Any:
        raise InfrastructureError("down for maintenance", kind="transport", stage="mine")

    with pytest.raises(InfrastructureError, match=r"^down for maintenance$"):
        drive(as_simulator(down).simulate(ECHO, {"n": 3}, key="k"))
