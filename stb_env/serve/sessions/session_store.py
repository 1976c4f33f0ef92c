"""The store of the sessions: what clients may ask for, with plain data in and out, whatever carries it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from gymnasium.error import ResetNeeded

from stb_env.core.jsontypes import JsonMapping, JsonObject
from stb_env.core.settings import check_settings
from stb_env.envs.tool_env import ToolEnv
from stb_env.errors import ConfigError, InfrastructureError
from stb_env.serve.sessions.description import description, summary
from stb_env.serve.sessions.refusals import NotAllowed, NotStarted, OutOfStep
from stb_env.serve.sessions.session import Session
from stb_env.serve.sessions.sessions import Sessions
from stb_env.serve.sessions.solution import next_move
from stb_env.serve.sessions.wire import encoded, read_action, task_data, texts_of

T = TypeVar("T")

MAX_SEED = 2**64

PAGE = 100
"""Tasks in one answer, at most."""


class SessionStore:
    """Serves the environment contract to clients.

    A step may carry a number: the next one, from 1 after a reset. Sent again, because its answer was lost, it
    plays nothing and is answered as before. A client that keeps a mirror of the episode says so, and is sent
    the task and what else the mirror needs, and of what is shown only what is new.

    Args:
        sessions: The open sessions.
        answers: Whether clients may have what solves a task, for gold agents and examinations of the server.
            Who trains on a server must not.
        step_s: Seconds that one step or reset may take.
    """

    def __init__(self, sessions: Sessions, *, answers: bool = False, step_s: float = 300.0) -> None:
        self.sessions = sessions
        self._answers, self._step_s = answers, step_s

    # -- environments --------------------------------------------------------------------------------

    def environments(self) -> dict[str, object]:
        """Return the ids that are served, each with what it is."""
        return {"environments": [summary(env_id) for env_id in self.sessions.served.ids]}

    async def describe(
        self, env_id: str, settings: Mapping[str, object], *, hashed: bool = False
    ) -> dict[str, object]:
        """Return limits and what decides the results of an environment, the hash of its tasks where wanted.

        Raises:
            SessionRefusal: It is not served, or not with these settings.
            ConfigError: A value is none of the setting's.
        """
        env = await self.sessions.served.fork(env_id, settings)
        described = partial(description, env, env_id=env_id, answers=self._answers, hashed=hashed)
        return summary(env_id) | await asyncio.to_thread(described)

    async def tasks(
        self,
        env_id: str,
        settings: Mapping[str, object],
        *,
        task_id: str | None = None,
        index: int = 0,
        count: int = 1,
    ) -> JsonObject:
        """Return a task by its id, or some by their place.

        Raises:
            DataError: There is none of that id.
        """
        source = (await self.sessions.served.prototype(env_id, settings)).tasks
        found = [source.get(task_id)] if task_id is not None else []
        found = found or [source.at(index + n) for n in range(min(count, PAGE))]
        return {"tasks": [task_data(task, answers=self._answers) for task in found]}

    async def solve(
        self,
        env_id: str,
        settings: Mapping[str, object],
        task_id: str,
        results: Sequence[Mapping[str, object]],
    ) -> JsonObject:
        """Return what a task's solution does after these results: ``calls``, ``says`` or the ``answer``.

        Raises:
            NotAllowed: The operator does not give answers away.
        """
        if not self._answers:
            raise NotAllowed(
                "this server keeps its solutions; its operator gives them away with --answers, which no "
                "server should that somebody trains on"
            )
        env = await self.sessions.served.prototype(env_id, settings)
        return await asyncio.to_thread(next_move, env, env.tasks.get(task_id), results)

    # -- sessions ------------------------------------------------------------------------------------

    async def create(
        self, env_id: str, settings: Mapping[str, object], reset: Mapping[str, object] | None = None
    ) -> dict[str, object]:
        """Open a session, and start its first episode where ``reset`` says how."""
        session = await self.sessions.create(env_id, settings)
        opened: JsonObject = {"session": session.key}
        if reset is None:
            return opened
        try:
            return opened | await self._started(session, reset)
        except BaseException:
            # Nobody knows its key.
            self.sessions.drop(session.key)
            raise

    async def reset(
        self,
        key: str,
        *,
        seed: int | None = None,
        options: JsonMapping | None = None,
        mirror: bool = False,
        task: bool = False,
    ) -> JsonObject:
        """Start an episode.

        Args:
            key: The session.
            seed: Seeds the environment's generator.
            options: As `ToolEnv.reset` takes them; ``index`` names a task by its place.
            mirror: Whether the client keeps a mirror.
            task: Whether it wants the task, too.

        Raises:
            ConfigError: An option is unknown.
            DataError: There is no such task.
        """
        session = self._playable(key)
        async with session.lock:
            env = session.env
            observation, info = await self._in_time(
                env.areset(seed=_seed("seed", seed), options=_options(env, dict(options or {})))
            )
            session.steps, session.last_reply, session.shown = 0, b"", observation["tools"]
            reply: JsonObject = {"observation": observation, "info": info}
            if mirror:
                reply["seed"] = env.snapshot().seed
            if task:
                reply["task"] = task_data(env.task, answers=self._answers)
            return reply

    async def step(self, key: str, data: Mapping[str, object]) -> bytes:
        """Play one action: ``action`` of the data, with ``number`` and ``mirror`` where the client has them.

        Returns:
            The answer as JSON: what is kept of it is small so.

        Raises:
            OutOfStep: The number is not that of the next step or of the last.
            NotStarted: No episode is running.
        """
        session = self._playable(key)
        number = data.get("number")
        action = read_action(data)
        async with session.lock:
            if number is not None and number == session.steps and session.last_reply:
                return session.last_reply
            if number is not None and number != session.steps + 1:
                raise OutOfStep(
                    f"the next step of this episode is {session.steps + 1}, got number {number!r:.50}"
                )
            try:
                transition = await self._in_time(session.env.astep(action))
            except ResetNeeded as error:
                raise NotStarted(str(error)) from None
            session.steps += 1
            reply = _transition(session, transition, mirror=bool(data.get("mirror")))
            body = encoded(reply)
            # Without a number nobody can ask for it again.
            session.last_reply = b"" if number is None else body
            return body

    async def fork(self, key: str) -> JsonObject:
        """Open a session that goes on from where another stands."""
        async with self.sessions.get(key).lock:
            return {"session": self.sessions.fork(key).key}

    async def snapshot(self, key: str) -> dict[str, object]:
        """Keep the state of a session under a name of its own; it takes room as a session does.

        Raises:
            NotStarted: No episode was started.
        """
        session = self.sessions.get(key)
        async with session.lock:
            _state(session)
            kept = self.sessions.fork(key)
            kept.frozen = True
            return {"snapshot": kept.key}

    async def restore(self, key: str, snapshot: str) -> JsonObject:
        """Put a session into a state that was kept, of any session of an equal environment.

        Raises:
            ConfigError: The environments differ.
        """
        session, kept = self._playable(key), self.sessions.get(snapshot)
        async with session.lock:
            if (session.env_id, session.env.rules) != (kept.env_id, kept.env.rules):
                raise ConfigError(
                    f"the snapshot is of a session of {kept.env_id}, made with other settings or another id "
                    f"than this one of {session.env_id}; restore it in an equal one"
                )
            session.env.restore(_state(kept))
            session.steps, session.last_reply, session.shown = kept.steps, b"", ""
            return {"number": session.steps}

    async def close(self, key: str) -> JsonObject:
        """Close a session."""
        await self.sessions.close(key)
        return {"closed": key}

    def look(self, key: str) -> JsonObject:
        """Return what a session is, and how far its episode has come."""
        session = self.sessions.get(key)
        about: JsonObject = {"session": key, "id": session.env_id, "number": session.steps}
        try:
            state = session.env.snapshot()
        except ResetNeeded:
            return about | {"started": False}
        return about | {"started": True, "task_id": state.task_id, "turn": state.turn, "over": state.over}

    async def forget(self, keys: Sequence[str]) -> JsonObject:
        """Close the sessions of these keys that are there and not in use."""
        return {"closed": sum(self.sessions.drop(key) for key in keys if isinstance(key, str))}

    # -- inside --------------------------------------------------------------------------------------

    def _playable(self, key: str) -> Session:
        session = self.sessions.get(key)
        if session.frozen:
            raise OutOfStep("this is a snapshot, which plays nothing; restore it in a session, or fork it")
        return session

    async def _started(self, session: Session, reset: JsonMapping) -> dict[str, object]:
        check_settings(self.reset, {"key": session.key, **reset}, "a reset")
        return await self.reset(session.key, **reset)

    async def _in_time(self, work: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._step_s):
                return await work
        except TimeoutError:
            # What was cancelled has left the session as it was.
            raise InfrastructureError(
                f"the server gave up after {self._step_s:g} s", kind="timeout", stage="server", retryable=True
            ) from None


def _seed(name: str, seed: object) -> int | None:
    if seed is not None and (not isinstance(seed, int) or not 0 <= seed < MAX_SEED):
        raise ConfigError(f"{name} must be a whole number from 0 and below 2**64, got {seed!r:.50}")
    return seed


def _options(env: ToolEnv, options: JsonObject) -> dict[str, object]:
    """Check what no environment checks, since its caller is a program on the same machine."""
    for name in ("seed", "index"):
        _seed(f"the reset option {name}", options.get(name))
    shard = options.get("shard", [0, 1])
    if not (isinstance(shard, list) and len(shard) == 2 and all(isinstance(part, int) for part in shard)):
        raise ConfigError(f"the reset option shard must be two whole numbers, got {shard!r:.50}")
    options = {name: value for name, value in options.items() if value is not None}
    index = options.pop("index", None)
    return options if index is None else {**options, "task_id": env.tasks.at(index).id}


def _state(session: Session) -> Any:
    try:
        return session.env.snapshot()
    except ResetNeeded as error:
        raise NotStarted(str(error)) from None


def _transition(session: Session, transition: Any, *, mirror: bool) -> dict[str, object]:
    observation, reward, terminated, truncated, info = transition
    reply: JsonObject = {
        "observation": observation,
        "reward": reward,
        "terminated": terminated,
        "truncated": truncated,
        "info": info,
    }
    shown, session.shown = session.shown, observation["tools"]
    if not mirror:
        return reply
    if observation["tools"] == shown:
        del observation["tools"]
    del observation["query"]
    state = session.env.snapshot()
    texts = texts_of(state.steps[-1].calls)
    if texts is not None:
        reply["texts"] = texts
    return reply | ({"potential": state.potential} if state.potential else {})
