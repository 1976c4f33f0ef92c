"""The tools of all rollouts of a run, each with its own, from one server process."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any, cast

import verifiers.v1 as vf
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, Tool
from pydantic import Field

from stb_env.core.jsontypes import JsonMapping
from stb_env.integrations.roots import forked
from stb_env.runs import DrivenEpisode
from stb_env.runs.driven import OVER, Reply

SAY = "stb_env/say"
"""What a text without a call is brought as; no model is offered it, and no tool can have its name."""

BROKEN = "stb_env/broken"
"""What a call is brought as whose arguments are no JSON object, which MCP cannot carry: by name and text."""

OFFERS_CHANGED = "stb_env/offers_changed"
"""Under which a result says, beside what a model reads, whether other tools are offered from now on."""


class StbState(vf.State):
    """State of a rollout that verifiers and the tool server share.

    Attributes:
        episode: Id of the rollout.
        env_id: The environment.
        settings: Its settings.
        task_id: The task.
        seed: Seed of the episode.
        calls: Name and arguments of every call so far.
        over: Whether the episode is over.
        reward: The sum of the rewards; None where the episode is not valid.
        verdict: The judge's decision, at the end.
        failure: What failed, where the episode is not valid.
    """

    episode: str = ""
    env_id: str = ""
    settings: dict[str, Any] = Field(default_factory=dict)
    task_id: str = ""
    seed: int = 0
    calls: list[tuple[str, dict[str, Any]]] = Field(default_factory=list)
    over: bool = False
    reward: float | None = 0.0
    verdict: dict[str, Any] | None = None
    failure: dict[str, Any] | None = None

    async def begun(self) -> DrivenEpisode:
        """Return a new episode of this rollout."""
        episode = DrivenEpisode(forked(self.env_id, self.settings))
        await episode.astart(task_id=self.task_id, seed=self.seed)
        return episode

    def note(self, episode: DrivenEpisode) -> None:
        """Write down how an episode stands."""
        self.over, self.reward = episode.over, episode.reward
        self.verdict, self.failure = episode.verdict, episode.failure


class StbToolset(vf.Toolset[vf.SharedToolsetConfig, StbState]):
    """Plays the episodes of all rollouts; a rollout's state says which is its own."""

    TOOL_PREFIX = None

    def __init__(self, config: vf.SharedToolsetConfig) -> None:
        super().__init__(config)
        self._episodes: dict[str, DrivenEpisode] = {}
        self._locks: defaultdict[object, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._listed = self._with_state(self._list)
        self._called = self._with_state(self._call)

    def register(self, mcp: MCPServer) -> None:
        """Answer for the server: its own tools would be the same for all rollouts."""
        server = cast(Any, mcp)
        server.list_tools, server.call_tool = self.list_tools, self.call_tool

    async def list_tools(self) -> list[Tool]:
        """Return what the calling rollout may call now."""
        tools: list[Tool] = await self._in_turn(self._listed)
        return tools

    async def call_tool(self, name: str, arguments: dict[str, Any], context: object = None) -> CallToolResult:
        """Call a tool in the calling rollout's episode."""
        del context
        result: CallToolResult = await self._in_turn(self._called, name, arguments)
        return result

    async def _in_turn(self, function: Any, *arguments: Any) -> Any:
        # The state is replaced as a whole, so of one rollout only one call may hold it at a time. What
        # leads to the state tells rollouts apart; asking for the state itself would be a request more.
        async with self._locks[self._state_channel()]:
            return await function(*arguments)

    async def _list(self) -> list[Tool]:
        if self.state.over:
            return []
        functions = [tool["function"] for tool in (await self._episode()).tools]
        return [
            Tool(name=each["name"], description=each["description"], input_schema=each["parameters"])
            for each in functions
        ]

    async def _call(self, name: str, arguments: dict[str, object]) -> CallToolResult:
        if self.state.over:
            return _result(Reply(OVER, 0, 0.0, over=True), changed=True)
        episode = await self._episode()
        before = episode.tools
        reply = await played(episode, name, arguments)
        self.state.calls.append((name, arguments))
        self.state.note(episode)
        if reply.over:
            del self._episodes[self.state.episode]
        return _result(reply, changed=reply.over or episode.tools != before)

    async def _episode(self) -> DrivenEpisode:
        """Return the calling rollout's episode, which begins with its first call."""
        state = self.state
        if state.episode not in self._episodes:
            self._episodes[state.episode] = await state.begun()
        return self._episodes[state.episode]


async def played(episode: DrivenEpisode, name: str, arguments: JsonMapping) -> Reply:
    """Make a call, or have a text heard that came without one."""
    if name == SAY:
        return await episode.asay(arguments["text"])
    if name == BROKEN:
        return await episode.acall(arguments["name"], arguments["text"])
    return await episode.acall(name, arguments)


def _result(reply: Reply, *, changed: bool) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=reply.text)],
        is_error=reply.error,
        _meta={OFFERS_CHANGED: changed},
    )


if __name__ == "__main__":
    StbToolset.run()
