"""A resources server whose sessions are episodes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from fastapi import Body, FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse
from nemo_gym import failure_kinds
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseSeedSessionRequest,
    BaseSeedSessionResponse,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)
from nemo_gym.server_utils import SESSION_ID_KEY
from pydantic import Field, PrivateAttr

from stb_env.integrations.nemo_gym.failure import masked
from stb_env.integrations.roots import forked
from stb_env.runs import DrivenEpisode

HEAR = "/conversation/hear"
"""Where an agent brings a text without a call; no tool is called at a path of two parts."""


class EpisodesConfig(BaseResourcesServerConfig):
    """Configuration of the server.

    Attributes:
        env_id: The environment, of any suite.
        settings: Its settings.
        sessions: How many episodes are kept; a session that nobody verifies is dropped when it is the oldest.
    """

    env_id: str = "stb/Sandbox-v1"
    settings: dict[str, Any] = Field(default_factory=dict)
    sessions: int = 4096


class SeedRequest(BaseSeedSessionRequest):
    """A row, as far as an episode needs it to start."""

    task_id: str
    seed: int


class VerifyRequest(BaseVerifyRequest):
    """A row, and what the agent's model wrote."""

    task_id: str
    # As text: NeMo Gym averages every number.
    seed: str


class VerifyResponse(VerifyRequest, BaseVerifyResponse):
    """Result of an episode."""

    verdict: dict[str, Any] | None = None


@dataclass
class Held:
    """An episode of a session; calls of one turn may come together, and take turns."""

    episode: DrivenEpisode
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class EpisodesServer(SimpleResourcesServer):
    """Plays an episode for each session; tools are called at ``/NAME``."""

    ray_enabled = False
    config: EpisodesConfig
    _held: OrderedDict[str, Held] = PrivateAttr(default_factory=OrderedDict)

    def setup_webserver(self) -> FastAPI:
        """Return NeMo Gym's application, with a route for all tools."""
        app: FastAPI = super().setup_webserver()
        app.post(HEAR)(self.hear)
        app.post("/{tool}")(self.call)
        return app

    async def seed_session(self, request: Request, body: SeedRequest) -> BaseSeedSessionResponse:
        """Start the episode of a row."""
        episode = DrivenEpisode(forked(self.config.env_id, self.config.settings))
        await episode.astart(task_id=body.task_id, seed=body.seed)
        self._held[request.session[SESSION_ID_KEY]] = Held(episode)
        while len(self._held) > self.config.sessions:
            self._held.popitem(last=False)
        return BaseSeedSessionResponse()

    async def call(self, request: Request, tool: str) -> PlainTextResponse:
        """Call a tool; the body is its arguments, the answer the text that a model reads."""
        held = self._of(request)
        given = (await request.body()).decode("utf-8", "replace")
        async with held.turn:
            reply = await held.episode.acall(tool, given)
        return PlainTextResponse(reply.text, media_type="application/json")

    async def hear(
        self, request: Request, text: Annotated[str, Body(embed=True)]
    ) -> dict[Literal["words"], str | None]:
        """Have a text without a call heard, see `DrivenEpisode.say`. No words come back where it is over."""
        held = self._of(request)
        async with held.turn:
            reply = await held.episode.asay(text)
        return {"words": None if reply.over else reply.text}

    async def verify(self, request: Request, body: VerifyRequest) -> VerifyResponse:
        """Take a last text without a call as the answer, and say what the episode earned."""
        held = self._held.pop(request.session[SESSION_ID_KEY], None)
        if held is None:
            lost = {"kind": failure_kinds.SESSION_LOST, "message": "no episode was started in this session"}
            return VerifyResponse(**body.model_dump(), reward=0.0, **masked(lost))
        episode = held.episode
        async with held.turn:
            if (text := last_text(body.response.output)) is not None:
                await episode.aconclude(text)
        failed = masked(episode.failure or {}) if episode.reward is None else {}
        reward = episode.reward or 0.0
        return VerifyResponse(**body.model_dump(), reward=reward, verdict=episode.verdict, **failed)

    def _of(self, request: Request) -> Held:
        held = self._held.get(request.session[SESSION_ID_KEY])
        if held is None:
            told = "this session has no episode; POST a row to /seed_session first, and keep its cookie"
            raise HTTPException(409, told)
        return held


def last_text(output: list[Any]) -> str | None:
    """Return the text that a model ended with; None where the last that it wrote is a call."""
    last = output[-1] if output else None
    if last is None or last.type != "message":
        return None
    return "".join(part.text for part in last.content if part.type == "output_text")
