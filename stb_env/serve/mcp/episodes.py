"""The episodes of HTTP clients: found by handle, started when a URL first names them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import mcp_types as types
from gymnasium.error import ResetNeeded
from mcp import MCPError
from starlette.requests import Request

from stb_env.errors import STBError
from stb_env.runs.driven import DrivenEpisode
from stb_env.serve.mcp.address import Address
from stb_env.serve.mcp.server import Context
from stb_env.serve.operations.refusals import Refusal, refusal
from stb_env.serve.sessions.refusals import UnknownSession
from stb_env.serve.sessions.session import Session
from stb_env.serve.sessions.sessions import Sessions

SESSION_HEADER = "mcp-session-id"


class Episodes:
    """Lends each request the episode that its URL or its session id names.

    Since its version 2026-07-28 the protocol has no sessions, so the handle stands in the URL,
    ``?episode=KEY``. Where the URL says of which environment (``?id=stb/Sandbox-v1&episode=mine``), the
    episode starts when it is first named; without, the key must be that of an open session. Clients of older
    versions need no handle: theirs is the session id. A request without any is refused, since nobody may play
    another's episode by accident.

    Args:
        sessions: Where the episodes live.
        kept: How many of its episodes that are over can still be read.
        remembered: How many handles are known to be spent: such a one is refused, and starts nothing new.
    """

    def __init__(self, sessions: Sessions, *, kept: int = 64, remembered: int = 10_000) -> None:
        self._sessions = sessions
        self._remembered, self._kept = remembered, kept
        self._started: OrderedDict[str, tuple[Address, asyncio.Task[None]]] = OrderedDict()
        self._over: deque[str] = deque()

    @asynccontextmanager
    async def find(self, ctx: Context) -> AsyncIterator[DrivenEpisode]:
        """Lend the episode of a request.

        Raises:
            MCPError: The request names none, or one that cannot be had.
        """
        try:
            address = _address(ctx)
            session = await self._session(address)
        except STBError as error:
            raise _refused(error) from error
        async with session.lock:
            before = session.episode.over
            yield session.episode
            ended = session.episode.over and not before
        if ended and address.key in self._started:
            await self._retire(address.key)

    async def _session(self, address: Address) -> Session:
        if not address.key:
            raise Refusal(
                "the request names no episode, and this version of the protocol has no sessions; put a name "
                "of your own into the URL, such as ?id=stb/Sandbox-v1&episode=NAME",
                kind="no_episode",
            )
        known = self._started.get(address.key)
        if address.named and not address.env_id:
            if known is not None:
                await asyncio.shield(known[1])
            return await self._opened(address)
        if known is None:
            known = self._start(address)
        elif known[0] != address:
            raise Refusal(
                f"the episode {address.key!r} was started with another id, task, seed or setting; take "
                "another name, or the same URL as before",
                kind="episode_exists",
                status=409,
            )
        # A client that leaves must not leave half a start to the others.
        await asyncio.shield(known[1])
        return self._sessions.get(address.key)

    async def _opened(self, address: Address) -> Session:
        """Return a session that was opened by other means, and start its first episode."""
        try:
            session = self._sessions.get(address.key)
        except UnknownSession as error:
            raise UnknownSession(f"{error}, or say what to start: ?id=ENVIRONMENT&episode=NAME") from error
        async with session.lock:
            if not session.episode.started:
                if _is_reset(session):
                    raise Refusal(
                        f"the session {address.key!r:.60} is played by other means; open one, and let its "
                        "first request be one of this protocol",
                        kind="in_use",
                        status=409,
                    )
                await session.episode.astart(task_id=address.task_id, seed=address.seed)
        return session

    def _start(self, address: Address) -> tuple[Address, asyncio.Task[None]]:
        while len(self._started) >= self._remembered:
            self._started.popitem(last=False)
        begun = self._started[address.key] = address, asyncio.create_task(self._begin(address))
        return begun

    async def _begin(self, address: Address) -> None:
        try:
            session = await self._sessions.create(self._env_id(address), address.settings, address.key)
            try:
                async with session.lock:
                    await session.episode.astart(task_id=address.task_id, seed=address.seed)
            except BaseException:
                await self._sessions.close(address.key)
                raise
        except BaseException:
            # Another try may do better.
            self._started.pop(address.key, None)
            raise

    def _env_id(self, address: Address) -> str:
        ids = self._sessions.served.ids
        if address.env_id or len(ids) == 1:
            return address.env_id or ids[0]
        raise Refusal(
            f"the URL does not say which of {len(ids)} environments to play; add ?id=ENVIRONMENT, "
            f"such as {ids[0] if ids else 'stb/Sandbox-v1'}",
            kind="no_environment",
        )

    async def _retire(self, key: str) -> None:
        self._over.append(key)
        while len(self._over) > self._kept:
            # It may have been closed by its client, or for its age.
            with suppress(UnknownSession):
                await self._sessions.close(self._over.popleft())


def _is_reset(session: Session) -> bool:
    try:
        session.env.snapshot()
    except ResetNeeded:
        return False
    return True


def _address(ctx: Context) -> Address:
    request = ctx.request
    if not isinstance(request, Request):
        raise Refusal("the request has no URL that could name an episode", kind="no_episode")
    return Address.read(request.query_params, request.headers.get(SESSION_HEADER))


def _refused(error: STBError) -> MCPError:
    found = refusal(error)
    code = types.INVALID_PARAMS if found.status < 500 else types.INTERNAL_ERROR
    return MCPError(code, str(found), data={"kind": found.kind, "message": str(found)})
