"""One client's play: episode after episode in one session of the server."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from stb_env.runs.driven import DrivenEpisode
from stb_env.serve import toolbox
from stb_env.serve.openenv.messages import (
    CallTool,
    ListTools,
    Observed,
    Reset,
    State,
    TaskGiven,
    ToolCalled,
    ToolsListed,
    ToolSpec,
)
from stb_env.serve.operations.refusals import Refusal
from stb_env.serve.sessions.refusals import UnknownSession
from stb_env.serve.sessions.sessions import Sessions


class Play:
    """Answers what a client asks of its environment.

    Args:
        sessions: Where its session lives.
        env_id: Id of the environment.
        key: Key of the session.

    Attributes:
        attached: Whether a WebSocket holds it.
        closing: Whether it ends when that lets go.
    """

    def __init__(self, sessions: Sessions, env_id: str, key: str) -> None:
        self.key = key
        self.attached = self.closing = False
        self._sessions, self._env_id = sessions, env_id
        self._split: str | None = None
        self._state = State(env_id=env_id)

    async def reset(self, wanted: Reset) -> TaskGiven:
        """Start an episode."""
        if wanted.split not in (None, self._split):
            await self._choose(str(wanted.split))
        async with self._episode() as episode:
            await episode.astart(task_id=wanted.task_id, seed=wanted.seed)
            episode_id = wanted.episode_id or secrets.token_hex(8)
            self._state = State(episode_id=episode_id, env_id=self._env_id, task_id=episode.task_id)
            return TaskGiven(
                task_id=episode.task_id,
                query=episode.query,
                messages=episode.messages,
                metadata={"episode_id": episode_id, "task_id": episode.task_id},
            )

    async def step(self, action: CallTool | ListTools) -> Observed:
        """Call a tool, or list them; after the end nothing is called."""
        async with self._started() as episode:
            if isinstance(action, ListTools):
                return ToolsListed(tools=_specs(episode), done=episode.over)
            counted = not episode.over
            reply = await toolbox.call(episode, action.tool_name, action.arguments)
            self._state.step_count += counted
            return ToolCalled(
                tool_name=action.tool_name,
                result=reply.text,
                reward=reply.reward if episode.valid else None,
                done=reply.over,
                metadata={"status": reply.status, "valid": episode.valid, **_end(episode)},
            )

    async def state(self) -> State:
        """Return how the episode stands."""
        async with self._episode() as episode:
            if episode.started:
                self._state.over, self._state.reward = episode.over, episode.reward
            return self._state

    async def close(self) -> None:
        """End the session."""
        with suppress(UnknownSession):
            await self._sessions.close(self.key)

    async def _choose(self, split: str) -> None:
        """Go on in the environment of another split, under the same key."""
        # First what may be refused: the session must outlive a mistake.
        await self._sessions.served.prototype(self._env_id, {"split": split})
        await self.close()
        await self._sessions.create(self._env_id, {"split": split}, self.key)
        self._split = split

    @asynccontextmanager
    async def _episode(self) -> AsyncIterator[DrivenEpisode]:
        session = self._sessions.get(self.key)
        async with session.lock:
            yield session.episode

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[DrivenEpisode]:
        async with self._episode() as episode:
            if not episode.started:
                raise Refusal(
                    "there is no episode yet, and tools belong to one; reset first", kind="not_reset"
                )
            yield episode


class Plays:
    """The plays of one environment's clients.

    Args:
        sessions: Where their sessions live.
        env_id: Id of the environment.
        limit: At least as many as sessions can be open, so that only those of closed sessions are forgotten.
    """

    def __init__(self, sessions: Sessions, env_id: str, limit: int) -> None:
        self.env_id = env_id
        self.sessions = sessions
        self._limit = limit
        self._plays: OrderedDict[str, Play] = OrderedDict()

    async def open(self) -> Play:
        """Begin to play.

        Raises:
            NoRoom: Too many do.
        """
        session = await self.sessions.create(self.env_id)
        play = self._plays[session.key] = Play(self.sessions, self.env_id, session.key)
        while len(self._plays) > self._limit:
            self._plays.popitem(last=False)
        return play

    def get(self, key: object) -> Play:
        """Return the play of a key.

        Raises:
            UnknownSession: There is none.
        """
        play = self._plays.get(str(key))
        if play is None:
            raise UnknownSession(f"no session {str(key)!r:.60} of {self.env_id} is open; create one")
        self._plays.move_to_end(play.key)
        return play

    async def close(self, play: Play) -> None:
        """End a play."""
        self._plays.pop(play.key, None)
        await play.close()


def _specs(episode: DrivenEpisode) -> list[ToolSpec]:
    return [
        ToolSpec(name=each["name"], description=each["description"], input_schema=each["parameters"])
        for each in toolbox.functions(episode)
    ]


def _end(episode: DrivenEpisode) -> dict[str, object]:
    if not episode.over:
        return {}
    told = {"episode_reward": episode.reward, "verdict": episode.verdict, "failure": episode.failure}
    return {name: value for name, value in told.items() if value is not None}
