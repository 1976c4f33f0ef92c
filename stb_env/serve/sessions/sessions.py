"""The open sessions of a process: found by key, given up when nobody comes back."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from itertools import takewhile

from stb_env.envs.tool_env import ToolEnv
from stb_env.serve.sessions.refusals import NoRoom, SessionExists, UnknownSession
from stb_env.serve.sessions.served_environments import Served
from stb_env.serve.sessions.session import Session

_KEY_BYTES = 16


class Sessions:
    """Opens sessions, finds them again by key, and closes those that nobody uses.

    A session is a fork of the one environment that all sessions of its id share, so it costs what its episode
    holds. Who comes back within ``idle_s`` finds their session, unless there was no room for others: then
    the one that has been idle longest goes, if that is longer than ``spare_s``.

    Args:
        served: The environments; all that are registered by default. A collection of ids will do.
        limit: Open sessions at once.
        memory: Bytes that all sessions together may hold, about.
        idle_s: Seconds after which a session that nobody used is closed.
        spare_s: Seconds for which an idle session is kept even where room is needed.
        clock: Seconds that only grow.

    Examples:
        >>> from stb_env.testing.notes import SUITE
        >>> _ = SUITE.register()
        >>> async def open_one():
        ...     sessions = Sessions(["test/Notes-v0"])
        ...     session = await sessions.create("test/Notes-v0")
        ...     await session.episode.astart(task_id="day")
        ...     return session.episode.query, sessions.get(session.key) is session, len(sessions)
        >>> asyncio.run(open_one())
        ('On which day do I see the dentist? Answer with the day alone.', True, 1)
    """

    def __init__(
        self,
        served: Served | Collection[str] | None = None,
        *,
        limit: int = 4_096,
        memory: int = 1 << 30,
        idle_s: float = 900.0,
        spare_s: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.served = served if isinstance(served, Served) else Served(served)
        self._limit, self._memory = limit, memory
        self._idle_s, self._spare_s = idle_s, spare_s
        self._clock = clock
        # In order of use: the first has been idle longest.
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._held = 0

    def __len__(self) -> int:
        return len(self._open)

    @property
    def held(self) -> int:
        """Bytes that the sessions hold, about."""
        return self._held

    async def create(
        self, env_id: str, settings: Mapping[str, object] | None = None, key: str | None = None
    ) -> Session:
        """Open a session.

        Args:
            env_id: An id that is served.
            settings: What the client chooses; see `Served`.
            key: The session's key; one that nobody can guess by default.

        Raises:
            NotServed: The id is not.
            NotAllowed: A setting is the operator's alone, or beyond what they allow.
            ConfigError: A value is none of the setting's.
            NoRoom: Too many sessions are open and in use.
            SessionExists: The key is taken.
        """
        self._make_room()
        return self._add(env_id, await self.served.fork(env_id, settings), key)

    def fork(self, key: str) -> Session:
        """Open a session in the state of another.

        Raises:
            UnknownSession: There is none of that key.
            NoRoom: Too many sessions are open and in use.
        """
        session = self.get(key)
        self._make_room()
        branch = self._add(session.env_id, session.env.fork(), None)
        branch.steps, branch.shown = session.steps, session.shown
        return branch

    def get(self, key: str) -> Session:
        """Return the session of a key, which is in use from now.

        Raises:
            UnknownSession: There is none.
        """
        session = self._open.get(key)
        if session is None:
            raise UnknownSession(
                f"no session {key!r:.60} is open; it was closed, or idle for {self._idle_s:g} s. Create one"
            )
        self._note(session)
        return session

    async def close(self, key: str) -> None:
        """Close a session; a step that is being played ends first.

        Raises:
            UnknownSession: There is none.
        """
        session = self.get(key)
        async with session.lock:
            self._drop(key)

    async def aclose(self) -> None:
        """Close every session, once the steps that are being played have ended, and the environments."""
        for key, session in list(self._open.items()):
            async with session.lock:
                self._drop(key)
        self.served.close()

    def sweep(self) -> int:
        """Close the sessions that have been idle for too long, and return how many they were."""
        return self._evict(self._idle_s, lambda: True)

    async def tend(self, every_s: float = 15.0) -> None:
        """Sweep until cancelled."""
        while True:
            await asyncio.sleep(every_s)
            self.sweep()

    def _make_room(self) -> None:
        self.sweep()
        self._evict(self._spare_s, self._full)
        if self._full():
            raise NoRoom(
                f"{len(self._open)} sessions are open and hold {self._held / 1e6:.0f} MB; close those that "
                "are done, or try again later"
            )

    def _full(self) -> bool:
        return len(self._open) >= self._limit or self._held >= self._memory

    def _evict(self, idle_s: float, wanted: Callable[[], bool]) -> int:
        """Close sessions that were idle for so long, those first that were so longest, while it is wanted."""
        before = self._clock() - idle_s
        # The copy ends where the first that is fresh stands, so that opening many costs no more each.
        old = list(takewhile(lambda session: session.last_used <= before, self._open.values()))
        closed = 0
        for session in old:
            if not wanted():
                break
            if session.idle:
                self._drop(session.key)
                closed += 1
        return closed

    def _add(self, env_id: str, env: ToolEnv, key: str | None) -> Session:
        key = secrets.token_urlsafe(_KEY_BYTES) if key is None else key
        if key in self._open:
            raise SessionExists(f"a session has the key {key!r:.60} already; close it or take another key")
        session = self._open[key] = Session(key, env_id, env)
        self._note(session)
        return session

    def _note(self, session: Session) -> None:
        """Take note that a session is used, and of what it holds by now."""
        session.last_used = self._clock()
        self._open.move_to_end(session.key)
        size = session.measure()
        self._held += size - self._sizes.get(session.key, 0)
        self._sizes[session.key] = size

    def drop(self, key: str) -> bool:
        """Close a session at once where there is one that nobody uses now, and return whether there was."""
        session = self._open.get(key)
        if session is None or not session.idle:
            return False
        self._drop(key)
        return True

    def _drop(self, key: str) -> None:
        # Its environment shares the backend's handles with all others; they are the prototype's to close.
        if self._open.pop(key, None) is not None:
            self._held -= self._sizes.pop(key)
