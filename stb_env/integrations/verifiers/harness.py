"""A loop of calls in verifiers' own process; its built-in harnesses start a program for each rollout."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import Any

import mcp
import verifiers.v1 as vf
from openai import APIError, AsyncOpenAI

from stb_env.integrations.verifiers.toolset import SAY
from stb_env.jsontypes import JsonObject
from stb_env.tools import FINISH


class StbHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model, makes the calls that it writes, and brings text without a call to the environment.

    So a conversation goes on with what its user says back; elsewhere the text is the answer.

    Tools are listed anew before every turn, so that those which an episode finds on the way are offered.
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
            servers = [await stack.enter_async_context(mcp.Client(url)) for url in mcp_urls.values()]
            model = AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0)
            model = await stack.enter_async_context(model)
            try:
                while asked := await self._turn(model, ctx.model, servers, messages):
                    messages += asked
            except APIError as error:
                # The endpoint refuses once the episode is over, which verifiers knows; else it is a failure.
                return vf.ProgramResult(1, "", str(error))
        return vf.ProgramResult(0, "", "")

    async def _turn(
        self, model: AsyncOpenAI, name: str, servers: list[mcp.Client], messages: list[JsonObject]
    ) -> list[JsonObject]:
        """Return what a turn adds to the conversation; nothing where it was the last."""
        owners = {tool.name: (each, tool) for each in servers for tool in (await each.list_tools()).tools}
        specs: Any = [_spec(tool) for _, tool in owners.values()]
        asked: Any = messages
        completion = await model.chat.completions.create(model=name, messages=asked, tools=specs)
        said = completion.choices[0].message
        added: list[JsonObject] = [said.model_dump(exclude_none=True)]
        if not said.tool_calls:
            if FINISH not in owners:
                return []
            heard = await owners[FINISH][0].call_tool(SAY, {"text": said.content or ""})
            return [*added, {"role": "user", "content": _text(heard)}]
        for call in said.model_dump()["tool_calls"]:
            function = call["function"]
            # A tool that there is not is the environment's to refuse.
            server = owners.get(function["name"], (servers[0],))[0]
            result = await server.call_tool(function["name"], _arguments(function["arguments"]))
            added.append({"role": "tool", "tool_call_id": call["id"], "content": _text(result)})
        return added


def _text(result: Any) -> str:
    return "".join(part.text for part in result.content if part.type == "text")


def _plain(messages: Any) -> list[JsonObject]:
    return [message.model_dump(exclude_none=True) for message in messages or ()]


def _spec(tool: Any) -> JsonObject:
    function = {"name": tool.name, "description": tool.description or "", "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def _arguments(text: str) -> JsonObject:
    """Read a call's arguments; MCP carries nothing but an object, so another text is a parameter of it."""
    try:
        read = json.loads(text)
    except json.JSONDecodeError:
        read = None
    return read if isinstance(read, dict) else {"arguments": text}
