"""Live answers and their failures as an episode sees them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest

from stb_env.backend.cache import ResponseCache
from stb_env.backend.real_api import RemoteServer
from stb_env.backend.virtual import VirtualBackend
from stb_env.core.request import Slow
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import SimulatorError
from stb_env.judges.heuristic import HeuristicJudge
from stb_env.models import Clock
from stb_env.tasks import Task, TaskSet
from stb_env.tools import Tool, ToolId, ToolResult
from tests.fakes.api_server import answered
from tests.fakes.openai_server import Answer

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = (
    Tool("forecast", "Weather.", CITY, ToolId("Weather", "sky", "forecast")),
    Tool("films", "", CITY, ToolId("Data", "films", "films")),
)


class Mute:
    """A simulator that has no answer."""

    fingerprint: ClassVar[dict[str, Any]] = {"model": "mute"}

    def simulate(self, tool: Tool, arguments: Any, *, key: str, examples: Any = ()) -> Slow[ToolResult]:
        raise SimulatorError("no usable output")
        yield


@pytest.fixture
def env(server) -> Iterator[Callable[..., ToolEnv]]:
    made = []

    def build(backend: VirtualBackend | None = None, **settings: Any) -> ToolEnv:
        if backend is None:
            backend = VirtualBackend(
                mode="live", real=RemoteServer(server.url(), **{"retries": 0, **settings})
            )
        made.append(ToolEnv(TaskSet([Task("1", "Rain?", TOOLS)]), backend, HeuristicJudge()))
        made[-1].reset(seed=0)
        return made[-1]

    yield build
    for each in made:
        each.close()


def step(env: ToolEnv, name: str = "forecast") -> Any:
    return env.step({"name": name, "arguments": {"city": "Oslo"}})


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (Answer(dropped=True), "transport", "the connection failed"),
        (Answer("", 500), "transport", "HTTP 500 (attempts: 1; deadline of 60 s)"),
        (Answer("", 429), "rate_limit", "HTTP 429 (attempts: 1; deadline of 60 s)"),
        (Answer("", 504), "timeout", "HTTP 504"),
        (answered("Service unavailable", error="HTTP 503"), "internal", "the answer was not accepted"),
    ],
)
def test_a_failure_of_the_real_api_ends_the_episode_as_invalid(server, env, answer, kind, said):
    server.script(answer)
    obs, reward, terminated, truncated, info = step(env())
    assert (int(obs["status"]), reward, terminated, truncated, info["valid"]) == (7, 0.0, False, True, False)
    assert "verdict" not in info
    assert (info["failure"]["kind"], info["failure"]["stage"]) == (kind, "real")
    assert said in info["failure"]["message"]


def test_a_stuck_endpoint_ends_its_episode_with_layer_and_deadline_named(server, env):
    server.script(Answer(hold=server.hold()))
    failure = step(env(timeout=0.1, deadline=9.0, clock=Clock()))[-1]["failure"]
    assert failure["kind"] == "timeout"
    assert failure["message"].startswith("the remote server at http://127.0.0.1:")
    assert failure["message"].endswith(
        "no answer within the time-out of 0.1 s (attempts: 1; deadline of 9 s)"
    )


@pytest.mark.parametrize(
    ("backend", "kind", "stage"),
    [
        (VirtualBackend(ResponseCache(), mode="replay"), "cache_miss", "cache"),
        (
            VirtualBackend(mode="live", live_simulator=Mute()),
            "simulator",
            "simulator",
        ),
    ],
)
def test_every_layer_names_itself_where_it_fails(env, backend, kind, stage):
    info = step(env(backend))[-1]
    assert (info["failure"]["kind"], info["failure"]["stage"], info["valid"]) == (kind, stage, False)


def test_an_application_error_of_the_real_api_is_an_observation(server, env):
    server.script(answered("", error="no such city"))
    obs, _, terminated, truncated, info = step(env())
    assert (int(obs["status"]), terminated, truncated, info["valid"]) == (1, False, False, True)
    assert info["calls"][0]["source"] == "real"


def test_a_fork_keeps_what_was_answered_and_goes_its_own_way(server, env):
    server.script(answered("first"), answered("left"), answered("right"))
    trunk = env()
    step(trunk)
    branch = trunk.fork()
    assert [json.loads(step(each)[0]["result"])["response"] for each in (trunk, branch)] == ["first", "first"]
    assert [json.loads(step(each, "films")[0]["result"])["response"] for each in (trunk, branch)] == [
        "left",
        "right",
    ]


def test_an_episode_that_is_stuck_stops_no_other(server, env):
    hold = server.hold()
    server.default = lambda seen: Answer(hold=hold) if seen.body["api_name"] == "forecast" else answered("ok")
    backend = VirtualBackend(mode="live", real=RemoteServer(server.url(), concurrency=2, retries=0))
    action = {"arguments": {"city": "Oslo"}}

    async def play() -> None:
        stuck = [asyncio.create_task(env(backend).astep({"name": "forecast", **action})) for _ in range(4)]
        async with asyncio.timeout(10):
            for _ in range(3):
                assert (await env(backend).astep({"name": "films", **action}))[-1]["valid"]
        assert not any(task.done() for task in stuck)
        hold.set()
        await asyncio.gather(*stuck)
        await backend.real.aclose()

    asyncio.run(play())
