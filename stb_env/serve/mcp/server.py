"""MCP server of an episode: tools, the task, the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from stb_env import __version__
from stb_env.core.jsontypes import JsonObject
from stb_env.runs.driven import DrivenEpisode, Reply
from stb_env.serve import toolbox
from stb_env.tools import FINISH

Context = ServerRequestContext[Any, Any]
Find = Callable[[Context], AbstractAsyncContextManager[DrivenEpisode]]
"""Lends the episode that a request is about, started, to nobody else meanwhile."""

PROMPT = "task"
TASK, VERDICT = "stb-env://task", "stb-env://verdict"

INSTRUCTIONS = (
    f"One task and the tools to solve it. The prompt `{PROMPT}` (also the resource {TASK}) says what is "
    f"wanted. Call {FINISH} with the answer when it is solved; that ends the episode and has it judged."
)

_OPEN = ("status", "score", "judge")
_ROLES: dict[str, types.Role] = {"assistant": "assistant"}


class EpisodeServer:
    """Answers the protocol's requests with what an episode has.

    A server is shared: each request says which episode it is about, and `find` lends it.

    Args:
        find: Lends the episode of a request.
    """

    def __init__(self, find: Find) -> None:
        self._find = find

    def server(self, instructions: str = INSTRUCTIONS) -> Server[Any]:
        """Return the protocol's side, ready for a transport.

        Args:
            instructions: What clients tell the model of the server as a whole.
        """
        return _Server(
            "stb-env",
            version=__version__,
            instructions=instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=_list_prompts,
            on_get_prompt=self._get_prompt,
            on_list_resources=_list_resources,
            on_read_resource=self._read_resource,
        )

    async def _list_tools(self, ctx: Context, _: object) -> types.ListToolsResult:
        async with self._find(ctx) as episode:
            tools = [_tool(**function) for function in toolbox.functions(episode)]
        return types.ListToolsResult(
            tools=tools,
            # They belong to this episode alone.
            cache_scope="private",
        )

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        async with self._find(ctx) as episode:
            late, offered = episode.over, episode.tools
            reply = await toolbox.call(episode, params.name, params.arguments or {})
            if episode.tools != offered:
                # What was found may now be called.
                await ctx.session.send_tool_list_changed()
            if not episode.valid:
                failure = episode.failure or {}
                raise MCPError(types.INTERNAL_ERROR, str(failure.get("message", "")), data=failure)
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=reply.text)],
                is_error=late or reply.error,
                _meta=outcome(episode, reply),
            )

    async def _get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(
                types.INVALID_PARAMS, f"there is no prompt {params.name!r:.100}; ask for {PROMPT!r}"
            )
        async with self._find(ctx) as episode:
            messages = episode.messages
        return types.GetPromptResult(
            description="The task of this episode.",
            messages=[
                types.PromptMessage(
                    # The protocol knows no system messages.
                    role=_ROLES.get(str(message["role"]), "user"),
                    content=types.TextContent(type="text", text=str(message["content"])),
                )
                for message in messages
            ],
        )

    async def _read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri not in (TASK, VERDICT):
            raise MCPError(
                types.INVALID_PARAMS, f"there is no resource {uri!r:.100}; there are {TASK} and {VERDICT}"
            )
        async with self._find(ctx) as episode:
            text, kind = (
                (episode.query, "text/plain")
                if uri == TASK
                else (json.dumps(standing(episode)), "application/json")
            )
        contents = types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        return types.ReadResourceResult(contents=[contents], cache_scope="private")


class _Server(Server[Any]):
    """Tells clients that the tools of an episode may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, object]] | None = None,
        extensions: dict[str, dict[str, object]] | None = None,
    ) -> InitializationOptions:
        """Return what clients are told at first."""
        told = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(told, experimental_capabilities, extensions)


def _tool(name: str, description: str, parameters: JsonObject) -> types.Tool:
    # Some clients (smolagents) take every parameter for required that is not marked so; JSON Schema knows no
    # such keyword, and other clients pass over it.
    required = parameters.get("required", ())
    properties = {
        name: schema if name in required else {**schema, "nullable": True}
        for name, schema in parameters.get("properties", {}).items()
    }
    return types.Tool(
        name=name, description=description, input_schema={**parameters, "properties": properties}
    )


async def _list_prompts(ctx: Context, _: object) -> types.ListPromptsResult:
    del ctx
    task = types.Prompt(name=PROMPT, description="What the user wants, and how to work.")
    return types.ListPromptsResult(prompts=[task])


async def _list_resources(ctx: Context, _: object) -> types.ListResourcesResult:
    del ctx
    return types.ListResourcesResult(
        resources=[
            types.Resource(name="task", uri=TASK, description="What the user wants.", mime_type="text/plain"),
            types.Resource(
                name="verdict",
                uri=VERDICT,
                description="How the episode was judged, once it is over.",
                mime_type="application/json",
            ),
        ]
    )


def outcome(episode: DrivenEpisode, reply: Reply) -> JsonObject:
    """Return what a client is told of a call beside its text, which alone models see."""
    ended = {"episode_reward": episode.reward, "verdict": episode.verdict} if episode.over else {}
    return {"status": reply.status, "reward": reply.reward, "over": episode.over, **ended}


def standing(episode: DrivenEpisode) -> dict[str, object]:
    """Return how an episode stands: whether it is over, and if so how it was judged.

    Models can read it, and play the task again; so it says nothing of the reasons, which name what is right.
    """
    if not episode.over:
        return {"task_id": episode.task_id, "over": False}
    verdict = {name: value for name, value in (episode.verdict or {}).items() if name in _OPEN}
    judged = {"reward": episode.reward, "valid": episode.valid, "verdict": verdict}
    return {"task_id": episode.task_id, "over": True, **judged, "failure": episode.failure}
