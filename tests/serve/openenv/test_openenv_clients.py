"""OpenEnv's own clients and its own validator against the server; `.ci/openenv` runs them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stb_env.backend.cache import ResponseCache
from stb_env.serve.openenv.standalone import environment_app
from stb_env.serve.settings import Limits, ServeSettings
from stb_env.tools import ToolCall
from tests.serve.golden_play import plan_of, solve
from tests.serve.served import serving, serving_app

core = pytest.importorskip("openenv.core", reason="OpenEnv is not installed; .ci/openenv runs this")
mcp_types = pytest.importorskip("openenv.core.env_server.mcp_types")
mcp_client = pytest.importorskip("openenv.core.mcp_client")

SANDBOX, GROUP = "stb/Sandbox-v1", "stb/I1Tool-v0"
REFUSAL = {"cannot": {"reason": "missing_detail", "what": ["account"]}}
PLAYED = [SANDBOX, "stb/APIBankCall-v1", "stb/APIBankPlan-v1", "stb/OpenWeather-v1", GROUP]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving(ServeSettings(ids=tuple(PLAYED))) as url:
        yield f"{url}/openenv"


@pytest.fixture
def small_server() -> Iterator[str]:
    with serving(ServeSettings(ids=(SANDBOX,), limits=Limits(sessions=2))) as url:
        yield f"{url}/openenv/{SANDBOX}"


async def tool_client_plays(base: str, env_id: str, index: int) -> Any:
    """Return the last step of a solution that MCPToolClient plays."""
    task, plan = plan_of(env_id, index)
    last: list[Any] = []
    async with mcp_client.MCPToolClient(base_url=f"{base}/{env_id}") as client:
        await client.reset(task_id=task.id)
        offered = {tool.name for tool in await client.list_tools(use_cache=False)}
        assert "Finish" in offered

        async def carry(name: str, arguments: dict[str, Any]) -> str:
            last[:] = [await client.step(mcp_types.CallToolAction(tool_name=name, arguments=arguments))]
            return str(last[0].observation.result)

        await solve(plan, carry)
    return last[0]


async def generic_client_plays(base: str, env_id: str, index: int, *, at_root: bool = False) -> Any:
    """Return the last step of a solution that GenericEnvClient plays."""
    task, plan = plan_of(env_id, index)
    last: list[Any] = []
    url = base if at_root else f"{base}/{env_id}"
    async with core.GenericEnvClient(base_url=url) as client:
        begun = await client.reset(task_id=task.id, episode_id="mine")
        assert begun.observation["query"] == task.query

        async def carry(name: str, arguments: dict[str, Any]) -> str:
            last[:] = [await client.step({"tool_name": name, "arguments": arguments})]
            return str(last[0].observation["result"])

        await solve(plan, carry)
        state = await client.state()
    assert (state["episode_id"], state["over"], state["task_id"]) == ("mine", True, task.id)
    assert state["step_count"] > 0
    return last[0]


@pytest.mark.parametrize("env_id", PLAYED)
def test_both_clients_play_a_solution_to_a_reward_of_one(server: str, env_id: str) -> None:
    for plays in (tool_client_plays, generic_client_plays):
        step = asyncio.run(plays(server, env_id, 0))
        assert (step.done, step.reward) == (True, 1.0)
        assert step.metadata["verdict"]["status"] == "solved"


def test_eight_clients_play_at_the_same_time_each_a_task_of_its_own(server: str) -> None:
    async def all_play() -> list[Any]:
        return await asyncio.gather(*(tool_client_plays(server, SANDBOX, index) for index in range(8)))

    assert [step.reward for step in asyncio.run(all_play())] == [1.0] * 8


def test_who_answers_without_a_look_earns_nothing(server: str) -> None:
    async def cheat() -> Any:
        async with core.GenericEnvClient(base_url=f"{server}/{SANDBOX}") as client:
            await client.reset(seed=1)
            return await client.step({"tool_name": "Finish", "arguments": REFUSAL})

    step = asyncio.run(cheat())
    assert (step.done, step.reward, step.metadata["verdict"]["status"]) == (True, 0.0, "unsolved")


def test_one_client_more_than_the_server_holds_is_refused_and_the_others_play_on(small_server: str) -> None:
    async def crowd() -> str:
        async with (
            core.GenericEnvClient(base_url=small_server) as first,
            core.GenericEnvClient(base_url=small_server) as second,
        ):
            await first.reset(seed=0)
            await second.reset(seed=0)
            with pytest.raises(
                RuntimeError, match=r"Server at capacity: 2 sessions are open .*CAPACITY_REACHED"
            ):
                async with core.GenericEnvClient(base_url=small_server) as third:
                    await third.reset()
            return str((await first.step({"tool_name": "Finish", "arguments": {}})).metadata["status"])

    assert asyncio.run(crowd()) == "2"


def test_a_session_that_its_client_left_makes_room_for_the_next(small_server: str) -> None:
    async def come_and_go() -> None:
        for _ in range(5):
            async with mcp_client.MCPToolClient(base_url=small_server) as client:
                await client.reset(seed=0)
                assert await client.list_tools()

    asyncio.run(come_and_go())


def test_an_unknown_tool_is_the_clients_fault_and_a_call_after_the_end_plays_nothing(server: str) -> None:
    async def play() -> tuple[Any, Any, Any]:
        async with mcp_client.MCPToolClient(base_url=f"{server}/{SANDBOX}") as client:
            await client.reset(seed=0)
            unknown = await client.step(mcp_types.CallToolAction(tool_name="no_such_tool", arguments={}))
            await client.step(mcp_types.CallToolAction(tool_name="Finish", arguments=REFUSAL))
            late = await client.step(mcp_types.CallToolAction(tool_name="Finish", arguments=REFUSAL))
            return unknown, late, await client.state()

    unknown, late, state = asyncio.run(play())
    assert (unknown.metadata["status"], unknown.done, unknown.observation.error) == (3, False, None)
    assert (late.observation.result, late.done, late.reward) == ("The episode is over.", True, 0.0)
    assert state.step_count == 2


def test_tools_before_a_reset_are_refused_and_the_session_lives_on(server: str) -> None:
    async def early() -> bool:
        async with core.GenericEnvClient(base_url=f"{server}/{SANDBOX}") as client:
            with pytest.raises(RuntimeError, match=r"there is no episode yet.*EXECUTION_ERROR"):
                await client.step({"type": "list_tools"})
            return bool((await client.reset(seed=0)).observation["query"])

    assert asyncio.run(early())


def test_call_tool_over_http_plays_in_the_episode_of_the_web_socket(server: str) -> None:
    async def play() -> Any:
        async with mcp_client.MCPToolClient(base_url=f"{server}/{SANDBOX}") as client:
            await client.reset(seed=0)
            return await client.call_tool("Finish", **REFUSAL)

    told = asyncio.run(play())
    assert (told["done"], told["reward"], told["metadata"]["status"]) == (True, 0.0, 6)


def test_openenv_validates_the_running_server(server: str, tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("openenv")
    asked = [str(command), "validate", "--url", f"{server}/{SANDBOX}", "--level", "runtime"]
    done = subprocess.run(asked, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Verdict: PASS" in done.stdout


def test_a_failure_of_the_infrastructure_ends_an_episode_without_a_reward() -> None:
    task, plan = plan_of(GROUP, 0)
    call = next(plan)
    assert isinstance(call, ToolCall)

    async def play(base: str) -> Any:
        async with core.GenericEnvClient(base_url=base) as client:
            await client.reset(task_id=task.id)
            return await client.step({"tool_name": call.name, "arguments": call.arguments})

    # Nothing is recorded, so the first call cannot be answered.
    with serving(ServeSettings(ids=(GROUP,), env={"mode": "replay", "cache": ResponseCache()})) as url:
        step = asyncio.run(play(f"{url}/openenv/{GROUP}"))
    assert (step.done, step.reward, step.metadata["valid"]) == (True, None, False)
    assert step.metadata["failure"]["kind"] == "cache_miss", json.dumps(step.metadata)


def test_the_package_of_an_environment_is_valid_and_its_app_is_played_at_the_root(tmp_path: Path) -> None:
    folder = tmp_path / "package"
    stb_env = Path(sys.executable).with_name("stb-env")
    written = [str(stb_env), "serve", SANDBOX, "--openenv-package", str(folder)]
    subprocess.run(written, check=True, capture_output=True, timeout=120)
    asked = [
        str(Path(sys.executable).with_name("openenv")), "validate", ".", "--level", "static", "--skip-build"
    ]  # fmt: skip
    done = subprocess.run(asked, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    with serving_app(environment_app(SANDBOX)) as url:
        step = asyncio.run(generic_client_plays(url, SANDBOX, 0, at_root=True))
        told = subprocess.run(
            [asked[0], "validate", "--url", url, "--level", "runtime"],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
        )
    assert (step.reward, told.returncode) == (1.0, 0), told.stdout
