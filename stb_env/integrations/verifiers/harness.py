"""A loop of calls in verifiers' own process; its built-in harnesses start a program for each rollout."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from typing import Any

import httpx2
import mcp
import verifiers.v1 as vf
from mcp.client.streamable_http import streamable_http_client
from openai import APIError, AsyncOpenAI, DefaultAsyncHttpxClient

from stb_env.core.jsontypes import JsonObject
from stb_env.integrations.verifiers.toolset import BROKEN, OFFERS_CHANGED, SAY
from stb_env.tools import FINISH

_TIMEOUT = httpx2.Timeout(30.0, read=300.0)
"""Seconds; those that `mcp.Client` has by itself."""


class StbHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model, makes the calls that it writes, and brings text without a call to the environment.

    So a conversation goes on with what its user says back. Elsewhere it is the answer, or, where answers
    are typed, a lost turn.

    Tools are listed anew where a call may have changed them, so that those which an episode finds on the way
    are offered.
    """

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
        tool_interception_url: str | None = None,
    ) -> vf.ProgramResult:
        """Play one rollout."""
        del trace, runtime, tool_interception_url
        system, prompt = self.resolve_prompt(data)
        messages: list[JsonObject] = [{"role": "system", "content": system}] if system else []
        messages += [{"role": "user", "content": prompt}] if isinstance(prompt, str) else _plain(prompt)
        async with AsyncExitStack() as stack:
            tools = _Tools([await stack.enter_async_context(_server(url)) for url in mcp_urls.values()])
            kept = DefaultAsyncHttpxClient(verify=_certificates())
            model = AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0, http_client=kept)
            model = await stack.enter_async_context(model)
            try:
                while asked := await self._turn(model, ctx.model, tools, messages):
                    messages += asked
            except APIError as error:
                # The endpoint refuses once the episode is over, which verifiers knows; else it is a failure.
                return vf.ProgramResult(1, "", str(error))
        return vf.ProgramResult(0, "", "")

    async def _turn(
        self, model: AsyncOpenAI, name: str, tools: _Tools, messages: list[dict[str, object]]
    ) -> list[dict[str, object]]:
        """Return what a turn adds to the conversation; nothing where it was the last."""
        specs: Any = await tools.specs()
        asked: Any = messages
        completion = await model.chat.completions.create(model=name, messages=asked, tools=specs)
        said = completion.choices[0].message
        added: list[JsonObject] = [said.model_dump(exclude_none=True)]
        if not said.tool_calls:
            if FINISH not in tools:
                return []
            return [*added, {"role": "user", "content": await tools.say(said.content or "")}]
        for call in said.model_dump()["tool_calls"]:
            function = call["function"]
            text = await tools.call(function["name"], function["arguments"])
            added.append({"role": "tool", "tool_call_id": call["id"], "content": text})
        return added


class _Tools:
    """The tools of some servers, listed anew where a call may have changed what is offered."""

    def __init__(self, servers: Sequence[mcp.Client]) -> None:
        self._servers = servers
        self._owners: dict[str, mcp.Client] = {}
        self._specs: list[JsonObject] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._owners

    async def specs(self) -> list[dict[str, object]]:
        """Return what may be called now."""
        if self._specs is None:
            listed = [(each, tool) for each in self._servers for tool in (await each.list_tools()).tools]
            self._owners = {tool.name: each for each, tool in listed}
            self._specs = [_spec(tool) for _, tool in listed]
        return self._specs

    async def call(self, name: str, text: str) -> str:
        """Call a tool, and return what it said; what is wrong with a call is the environment's to say.

        Args:
            name: Name of the tool.
            text: Its arguments, as the model wrote them.
        """
        owner, arguments = self._owners.get(name, self._servers[0]), _read(text)
        if arguments is None:
            return await self._called(owner, BROKEN, {"name": name, "text": text})
        return await self._called(owner, name, arguments)

    async def say(self, text: str) -> str:
        """Bring a text that came without a call to the environment, and return what is said back."""
        return await self._called(self._owners[FINISH], SAY, {"text": text})

    async def _called(self, server: mcp.Client, name: str, arguments: dict[str, object]) -> str:
        result = await server.call_tool(name, arguments)
        if (result.meta or {}).get(OFFERS_CHANGED, True):
            self._specs = None
        return "".join(part.text for part in result.content if part.type == "text")


@asynccontextmanager
async def _server(url: str) -> AsyncIterator[mcp.Client]:
    """Connect as `mcp.Client` does with a URL, with certificates that were read before."""
    client = httpx2.AsyncClient(verify=_certificates(), follow_redirects=True, timeout=_TIMEOUT)
    async with client, mcp.Client(streamable_http_client(url, http_client=client)) as server:
        yield server


@cache
def _certificates() -> ssl.SSLContext:
    """Read certificates once: it takes longer than most turns, and a rollout needs them twice."""
    return httpx2.create_ssl_context()


def _plain(messages: Any) -> list[dict[str, object]]:
    return [message.model_dump(exclude_none=True) for message in messages or ()]


def _spec(tool: Any) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.description or "", "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def _read(text: str) -> JsonObject | None:
    """Read a call's arguments; None where they are no JSON object."""
    try:
        read = json.loads(text)
    except json.JSONDecodeError:
        return None
    return read if isinstance(read, dict) else None
