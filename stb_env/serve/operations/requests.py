"""Records of answered requests, passed to the figures and the log a few times a second."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from functools import lru_cache

from stb_env.serve.operations.metrics import Answered, Metrics

_PATIENCE = 0.2


class Requests:
    """Takes note of requests, for the figures and for a line of the log each.

    To count and to write each at once would take as long as a hit of the cache.

    Args:
        metrics: Takes the figures.
        logger: Takes the lines, several as one message.
    """

    def __init__(self, metrics: Metrics, logger: logging.Logger | None = None) -> None:
        self._metrics = metrics
        self._logger = logger or logging.getLogger("stb_env.serve.requests")
        self._answered: list[Answered] = []

    def add(self, method: str, route: str, status: int, seconds: float, client: str) -> None:
        """Take note of a request; must be called on an event loop."""
        if not self._answered:
            asyncio.get_running_loop().call_later(_PATIENCE, self.flush)
        self._answered.append((method, route, status, seconds, client, time.time()))

    def flush(self) -> None:
        """Count and write what was taken note of."""
        answered, self._answered = self._answered, []
        self._metrics.requests(answered)
        if answered and self._logger.isEnabledFor(logging.INFO):
            self._logger.info("%s", "\n".join([_line(*each) for each in answered]))


def _line(method: str, route: str, status: int, seconds: float, client: str, ended: float) -> str:
    return _form(method, route, status, client) % (_second(int(ended)), ended % 1 * 1000, seconds * 1000)


@lru_cache(maxsize=4096)
def _form(method: str, route: str, status: int, client: str) -> str:
    return (
        '{"time": "%s.%03d+00:00", "level": "info", '
        f'"event": "request", "method": {_quoted(method)}, "route": {_quoted(route)}, '
        f'"status": {status}, "ms": %.3f, "client": {_quoted(client)}}}'
    )


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _quoted(text: str) -> str:
    return json.dumps(text).replace("%", "%%")
