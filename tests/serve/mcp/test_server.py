"""What a client of the Model Context Protocol sees of one episode, in this process."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from mcp import Client, MCPError

from stb_env.backend.cache import ResponseCache
from stb_env.runs.driven import DrivenEpisode
from stb_env.serve.mcp.server import EpisodeServer
from stb_env.serve.mcp.stdio import lent
from stb_env.serve.toolbox import SAY
from stb_env.tools import FINISH
from tests.serve.golden_play import plan_of, solve

T = TypeVar("T")
pytestmark = pytest.mark.usefixtures("forgotten")

NOTES = "stb_env.testing.notes:test/Notes-v0"
RIGHT = {"return_type": "give_answer", "final_answer": "Tuesday"}


def played(
    use: Callable[[Client], Awaitable[T]], env_id: str = NOTES, *, mode: str = "auto", **start: Any
) -> T:
    """Return what a client's use of one episode comes to."""
    episode = DrivenEpisode(env_id)
    episode.start(**(start or {"task_id": "day"}))

    async def connect() -> T:
        async with Client(EpisodeServer(lent(episode)).server(), mode=mode) as client:
            return await use(client)

    return asyncio.run(connect())


async def solved(client: Client, env_id: str, index: int) -> Any:
    """Play a solution and return the result of its last call."""
    last: list[Any] = []

    async def carry(name: str, arguments: dict[str, Any]) -> str:
        last[:] = [await client.call_tool(name, arguments)]
        return str(last[0].content[0].text)

    await solve(plan_of(env_id, index)[1], carry)
    return last[0]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_tools_are_those_of_the_task_with_their_schemas_and_finish(mode):
    async def use(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in played(use, mode=mode)}
    assert list(tools) == ["add_note", "find_notes", "delete_note", FINISH]
    assert tools["find_notes"].input_schema["required"] == ["word"]


def test_the_task_is_a_prompt_and_a_resource():
    async def use(client):
        prompts = (await client.list_prompts()).prompts
        resources = [resource.uri for resource in (await client.list_resources()).resources]
        said = (await client.get_prompt("task")).messages[-1].content.text
        return [each.name for each in prompts], resources, said, await client.read_resource("stb-env://task")

    prompts, resources, said, read = played(use)
    assert (prompts, resources) == (["task"], ["stb-env://task", "stb-env://verdict"])
    assert said == read.contents[0].text == "On which day do I see the dentist? Answer with the day alone."


def test_the_right_answer_is_judged_solved_and_the_model_sees_no_reward():
    async def use(client):
        open_ = await client.read_resource("stb-env://verdict")
        finished = await client.call_tool(FINISH, RIGHT)
        return open_, finished, await client.read_resource("stb-env://verdict")

    before, finished, after = played(use)
    assert json.loads(before.contents[0].text) == {"task_id": "day", "over": False}
    assert (finished.meta["status"], finished.meta["over"], finished.meta["episode_reward"]) == (6, True, 1.0)
    assert finished.meta["verdict"]["status"] == "solved"
    assert json.loads(finished.content[0].text) == {"error": "", "response": "answer given"}
    assert json.loads(after.contents[0].text)["reward"] == 1.0


def test_who_reads_the_verdict_of_a_wrong_answer_does_not_learn_the_right_one():
    async def use(client):
        finished = await client.call_tool(FINISH, {"answer": {"balance": 0.5}})
        return finished.meta["verdict"], (await client.read_resource("stb-env://verdict")).contents[0].text

    told, read = played(use, "stb/Sandbox-v1", task_id="test-account_balance-0")
    assert told["parts"]["answer:balance"] is False
    assert told["votes"][0]["reason"]
    assert json.loads(read)["verdict"] == {"status": "unsolved", "score": 0.0, "judge": "exact"}


def test_parameters_that_may_be_left_out_are_marked_for_clients_that_know_no_required():
    async def use(client):
        return (await client.list_tools()).tools

    for tool in played(use, "stb/Sandbox-v1", task_id="test-account_balance-0"):
        schema = tool.input_schema
        marked = {name for name, one in schema["properties"].items() if one.get("nullable")}
        assert marked == schema["properties"].keys() - set(schema.get("required", ()))


def test_finish_has_the_schema_of_the_tasks_answer_and_refuses_another_form():
    async def use(client):
        finish = next(tool for tool in (await client.list_tools()).tools if tool.name == FINISH)
        refused = await client.call_tool(FINISH, {"answer": {"balance": "much"}})
        text = await client.call_tool(FINISH, {"final_answer": "It holds 12 AUR."})
        return finish.input_schema["properties"], refused, text

    takes, refused, text = played(use, "stb/Sandbox-v1", task_id="test-account_balance-0")
    assert list(takes) == ["answer", "cannot", "final_answer"]
    assert list(takes["answer"]["properties"]) == ["balance"]
    for result, problem in ((refused, "'answer.balance' must be a number"), (text, "Finish needs answer")):
        assert (result.is_error, result.meta["status"], result.meta["over"]) == (True, 2, False)
        assert json.loads(result.content[0].text)["error"].startswith(problem)


def test_a_guess_without_a_look_earns_nothing():
    async def use(client):
        return await client.call_tool(FINISH, RIGHT | {"final_answer": "Monday, Tuesday or Friday"})

    finished = played(use)
    assert (finished.meta["episode_reward"], finished.meta["verdict"]["status"]) == (0.0, "unsolved")


def test_what_a_model_does_wrong_is_a_result_marked_as_an_error():
    async def use(client):
        unknown = await client.call_tool("find_note", {"word": "dentist"})
        return unknown, await client.call_tool("find_notes", {"wort": "dentist"})

    unknown, invalid = played(use)
    assert (unknown.is_error, unknown.meta["status"]) == (True, 3)
    assert "find_notes" in unknown.content[0].text
    assert (invalid.is_error, invalid.meta["status"]) == (True, 2)


def test_a_call_after_the_end_plays_nothing():
    async def use(client):
        first = await client.call_tool(FINISH, RIGHT)
        return first, await client.call_tool(FINISH, RIGHT | {"final_answer": "Friday"})

    first, late = played(use)
    assert (late.content[0].text, late.is_error) == ("The episode is over.", True)
    assert late.meta["verdict"] == first.meta["verdict"]


def test_a_failure_of_the_infrastructure_is_an_error_of_the_protocol_and_no_result():
    env_id = "stb/I1Tool-v0"
    task, plan = plan_of(env_id, 0)
    call: Any = next(plan)
    episode = DrivenEpisode(env_id, mode="replay", cache=ResponseCache(), judge="heuristic")
    episode.start(task_id=task.id)

    async def use() -> MCPError:
        async with Client(EpisodeServer(lent(episode)).server()) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool(call.name, call.arguments)
            return caught.value

    error = asyncio.run(use())
    assert (error.code, error.data["kind"], error.data["retryable"]) == (-32603, "cache_miss", False)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda client: client.get_prompt("tusk"), "there is no prompt 'tusk'; ask for 'task'"),
        (
            lambda client: client.read_resource("stb-env://answer"),
            "there is no resource 'stb-env://answer'; there are stb-env://task and stb-env://verdict",
        ),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(ask, told):
    async def use(client):
        with pytest.raises(MCPError, match=f"^{re.escape(told)}$"):
            await ask(client)

    played(use)


def test_tools_that_a_search_found_may_be_called_and_clients_hear_of_them():
    env_id, heard = "stb/APIBankPlan-v1", []
    episode = DrivenEpisode(env_id)
    task, _ = plan_of(env_id, 0)
    episode.start(task_id=task.id)

    async def hear(message: Any) -> None:
        heard.append(getattr(message, "method", ""))

    async def use() -> tuple[Any, Any]:
        server = EpisodeServer(lent(episode)).server()
        async with Client(server, mode="legacy", message_handler=hear) as client:
            before = len((await client.list_tools()).tools)
            finished = await solved(client, env_id, 0)
            return finished.meta["episode_reward"], len((await client.list_tools()).tools) > before

    assert asyncio.run(use()) == (1.0, True)
    assert "notifications/tools/list_changed" in heard


def test_in_a_conversation_there_is_a_tool_to_say_something_with():
    env_id = "stb/APIBankCall-v1"
    task, _ = plan_of(env_id, 0)

    async def use(client):
        named = [tool.name for tool in (await client.list_tools()).tools]
        return named, (await solved(client, env_id, 0)).meta["episode_reward"]

    named, reward = played(use, env_id, task_id=task.id)
    assert (named[-1], reward) == (SAY, 1.0)


def test_without_a_user_nobody_is_spoken_to():
    async def use(client):
        return await client.call_tool(SAY, {"text": "Hello?"})

    assert played(use).meta["status"] == 3
