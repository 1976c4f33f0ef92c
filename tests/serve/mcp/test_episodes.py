"""Which episode an HTTP client gets: by a handle in its URL, or by the session of an older protocol."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client, MCPError
from starlette.requests import Request

from stb_env.serve.mcp.episodes import Episodes
from stb_env.serve.sessions.sessions import Sessions
from stb_env.serve.settings import ServeSettings
from stb_env.tools import FINISH
from tests.serve.served import notes_known, serving

NOTES = "test/Notes-v0"
RIGHT = {"return_type": "give_answer", "final_answer": "Tuesday"}


@pytest.fixture(scope="module", autouse=True)
def known() -> Iterator[None]:
    with notes_known():
        yield


@pytest.fixture(scope="module")
def server(known) -> Iterator[str]:
    with serving(ServeSettings(ids=(NOTES, "stb/Sandbox-v1"))) as url:
        yield url


@asynccontextmanager
async def client_of(url: str, mode: str = "auto") -> AsyncIterator[Client]:
    """Connect; an error comes as itself, without the groups around it."""
    try:
        async with Client(url, mode=mode) as client:
            yield client
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


async def answered(url: str, text: str, mode: str = "auto") -> Any:
    """Answer at once, and return the reward."""
    async with client_of(url, mode) as client:
        finished = await client.call_tool(FINISH, RIGHT | {"final_answer": text})
        return finished.meta["episode_reward"]


def post(url: str, body: Any) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def test_clients_with_handles_of_their_own_play_episodes_of_their_own_at_the_same_time(server):
    answers = ["Tuesday", "Friday", "Tuesday", "Friday"]

    async def all_answer() -> list[float]:
        base = f"{server}/mcp?id={NOTES}&task_id=day&episode=own"
        return await asyncio.gather(*(answered(f"{base}{n}", text) for n, text in enumerate(answers)))

    assert asyncio.run(all_answer()) == [1.0, 0.0, 1.0, 0.0]


def test_a_client_of_an_older_protocol_needs_nothing_but_the_url(server):
    async def both() -> list[float]:
        url = f"{server}/mcp?id={NOTES}&task_id=day"
        return [await answered(url, "Friday", "legacy"), await answered(url, "Tuesday", "legacy")]

    assert asyncio.run(both()) == [0.0, 1.0]


def test_a_second_connection_with_the_handle_goes_on_with_the_episode(server):
    url = f"{server}/mcp?id={NOTES}&task_id=day&episode=twice"

    async def use() -> str:
        await answered(url, "Friday")
        async with client_of(f"{server}/mcp?episode=twice") as client:
            return (await client.call_tool(FINISH, RIGHT)).content[0].text

    assert asyncio.run(use()) == "The episode is over."


def test_a_session_that_was_opened_over_http_is_played_by_its_key(server):
    key = post(f"{server}/sessions", {"id": NOTES})["session"]
    assert asyncio.run(answered(f"{server}/mcp?episode={key}&task_id=day", "Tuesday")) == 1.0


def test_a_session_that_is_played_over_http_is_not_begun_anew(server):
    key = post(f"{server}/sessions", {"id": NOTES, "reset": {"seed": 0}})["session"]
    with pytest.raises(MCPError, match=f"^the session '{key}' is played by other means; open one, and let"):
        asyncio.run(answered(f"{server}/mcp?episode={key}", "Tuesday"))


@pytest.mark.parametrize(
    ("query", "mode", "kind", "told"),
    [
        ("?id=test/Notes-v0", "auto", "no_episode", "the request names no episode, and this version of the"),
        ("", "legacy", "no_environment", "the URL does not say which of 2 environments to play; add ?id="),
        (
            "?episode=nobodys",
            "auto",
            "unknown_session",
            "no session 'nobodys' is open; it was closed, or idle",
        ),
        ("?id=test/Note-v0&episode=a", "auto", "unknown_environment", "'test/Note-v0' is not served here"),
        ("?id=os:stb/X-v0&episode=b", "auto", "unknown_environment", "'os:stb/X-v0' is not served here"),
        (
            "?id=test/Notes-v0&episode=c&task_id=dya",
            "auto",
            "bad_request",
            "no task 'dya' among the 3 of notes",
        ),
        ("?id=test/Notes-v0&episode=d&data=/etc", "auto", "not_allowed", "a client may set split, compat, "),
        (
            "?id=test/Notes-v0&episode=e&seed=-1",
            "auto",
            "bad_request",
            "seed must be a whole number from 0, got",
        ),
    ],
)
def test_what_names_no_episode_of_the_client_is_refused_with_the_reason(server, query, mode, kind, told):
    with pytest.raises(MCPError, match=f"^{re.escape(told)}") as caught:
        asyncio.run(answered(f"{server}/mcp{query}", "Tuesday", mode))
    assert caught.value.data["kind"] == kind


def test_a_handle_stands_for_one_episode_only(server):
    asyncio.run(answered(f"{server}/mcp?id={NOTES}&task_id=day&episode=taken", "Tuesday"))
    with pytest.raises(
        MCPError, match=r"^the episode 'taken' was started with another id, task, seed or sett"
    ):
        asyncio.run(answered(f"{server}/mcp?id={NOTES}&task_id=drop&episode=taken", "Tuesday"))


# -- without a server: the order of requests is the test's ------------------------------------------------


def context(query: str) -> Any:
    scope = {"type": "http", "query_string": query.encode(), "headers": []}
    return SimpleNamespace(request=Request(scope))


async def finish(episodes: Episodes, handle: str) -> None:
    async with episodes.find(context(f"id={NOTES}&episode={handle}")) as episode:
        await episode.acall(FINISH, RIGHT)


def test_two_first_requests_at_once_start_one_episode():
    async def use() -> tuple[bool, int]:
        sessions = Sessions([NOTES])
        episodes = Episodes(sessions)

        async def lend() -> Any:
            async with episodes.find(context(f"id={NOTES}&episode=one")) as episode:
                return episode

        first, second = await asyncio.gather(lend(), lend())
        return first is second, len(sessions)

    assert asyncio.run(use()) == (True, 1)


def test_of_episodes_that_are_over_the_last_are_kept_and_a_spent_handle_starts_no_other():
    async def use() -> int:
        sessions = Sessions([NOTES])
        episodes = Episodes(sessions, kept=1)
        await finish(episodes, "first")
        await finish(episodes, "second")
        with pytest.raises(MCPError, match=r"^no session 'first' is open; it was closed, or idle for 900 s"):
            await finish(episodes, "first")
        return len(sessions)

    assert asyncio.run(use()) == 1


def test_a_start_that_failed_can_be_tried_again():
    async def use() -> str:
        episodes = Episodes(Sessions([NOTES]))
        with pytest.raises(MCPError, match=r"^no task 'dya'"):
            async with episodes.find(context(f"id={NOTES}&episode=again&task_id=dya")):
                pass
        async with episodes.find(context(f"id={NOTES}&episode=again&task_id=day")) as episode:
            return episode.task_id

    assert asyncio.run(use()) == "day"


def test_on_stdio_there_is_no_url_to_name_an_episode():
    async def use() -> None:
        async with Episodes(Sessions([])).find(SimpleNamespace(request=None)):  # type: ignore[arg-type]
            pass

    with pytest.raises(MCPError, match=r"^the request has no URL that could name an episode$"):
        asyncio.run(use())
