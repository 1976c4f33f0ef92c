"""Stopping without losing anything."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time

import uvicorn

_QUIET = 0.5
_LOOK = 0.02
_LAST = 1.5
"""Seconds that a stop may take beside those that the operator gives it."""
_LOG = logging.getLogger("stb_env.serve")


class Stop:
    """Flag of a stopping server.

    Attributes:
        began: From then on every answer is the last of its connection.
    """

    def __init__(self) -> None:
        self.began = False


class StoppingServer(uvicorn.Server):
    """uvicorn's server, which closes no connection on which a request may be on its way.

    uvicorn closes idle connections at once; what a client has just sent on one of them would be lost. Here
    connections that are kept alive have a moment in which to bring their next request. Its answer tells the
    client that it is the last.

    Args:
        config: uvicorn's own.
        stop: Told when it begins.
    """

    def __init__(self, config: uvicorn.Config, stop: Stop) -> None:
        super().__init__(config)
        self._stop = stop

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, answer what is on its way, and stop."""
        self._stop.began = True
        self._leave_in(_LAST + (self.config.timeout_graceful_shutdown or 0))
        for server in self.servers:
            server.close()
        until = time.monotonic() + _QUIET
        while self.server_state.connections and time.monotonic() < until:
            await asyncio.sleep(_LOOK)
        await super().shutdown(sockets)

    def _leave_in(self, seconds: float) -> None:
        """End the process then, although threads of it are still at work: what they do has not happened."""

        def leave() -> None:
            _LOG.warning("steps were still being played, and are lost")
            os._exit(0)

        timer = threading.Timer(seconds, leave)
        timer.daemon = True
        timer.start()
