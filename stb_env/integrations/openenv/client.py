"""A client that knows what our server observes and how an episode stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server import mcp_types
from openenv.core.env_server.types import Observation, State

from stb_env.core.jsontypes import JsonObject

Action: TypeAlias = mcp_types.CallToolAction | mcp_types.ListToolsAction
Observed: TypeAlias = mcp_types.CallToolObservation | mcp_types.ListToolsObservation


class TaskGiven(Observation):
    """Observation of `EpisodeClient.reset`: the task, and the opening messages."""

    task_id: str
    query: str
    messages: list[dict[str, Any]]


class EpisodeState(State):
    """State of an episode; ``reward`` is the sum so far, None after an infrastructure failure."""

    env_id: str
    task_id: str | None = None
    over: bool = False
    reward: float | None = None


class EpisodeClient(EnvClient[Action, TaskGiven | Observed, EpisodeState]):
    """Plays episodes over one connection; ``.sync()`` blocks, as every client of OpenEnv.

    Args:
        base_url: Such as ``http://127.0.0.1:8000/openenv/stb/Sandbox-v1``.
        **settings: What `openenv.core.EnvClient` takes, ``headers`` with a token among them.
    """

    async def list_tools(self) -> list[mcp_types.Tool]:
        """Return what may be called now; tools belong to the task, so reset first."""
        listed: list[mcp_types.Tool] = (await self._step_async(mcp_types.ListToolsAction())).observation.tools
        return listed

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> StepResult[Observed]:
        """Call a tool; its text is the observation's ``result``."""
        action = mcp_types.CallToolAction(tool_name=name, arguments=dict(arguments))
        return await self._step_async(action)

    def _step_payload(self, action: Action) -> dict[str, object]:
        payload: JsonObject = action.model_dump()
        return payload

    def _parse_result(self, payload: JsonObject) -> StepResult[TaskGiven | Observed]:
        reward, done = payload.get("reward"), payload.get("done", False)
        metadata = payload.get("metadata") or {}
        fields = {**payload["observation"], "reward": reward, "done": done, "metadata": metadata}
        kind: type[TaskGiven | Observed] = mcp_types.CallToolObservation
        if "messages" in fields:
            kind = TaskGiven
        elif "tools" in fields:
            kind = mcp_types.ListToolsObservation
        return StepResult(kind.model_validate(fields), reward, done, metadata)

    def _parse_state(self, payload: Mapping[str, object]) -> EpisodeState:
        state: EpisodeState = EpisodeState.model_validate(payload)
        return state
