"""``/health``: whether the server can do what it is there for."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import NamedTuple

from fastapi import APIRouter, Response
from pydantic import BaseModel

from stb_env.backend.cache import CallKey, ResponseCache
from stb_env.backend.cache.layers import MANIFEST
from stb_env.errors import STBError
from stb_env.models.preflight import Asked
from stb_env.tools import ToolId

GOOD_FOR, BAD_FOR = 30.0, 3.0
"""Seconds for which a finding holds: asking a model may cost something, and one that came back is wanted."""

SOON = 0.05
"""Seconds that an answer waits for a new finding where there is an old one."""

_LOG = logging.getLogger("stb_env.serve.health")
_FREE = 10_000_000
_NO_CALL = CallKey(ToolId("", "", ""), {})


class Check(NamedTuple):
    """One thing that the server needs.

    Attributes:
        name: What it is, for the operator.
        run: Raises `STBError` or `OSError` where it is not as it must be. May block.
    """

    name: str
    run: Callable[[], None]


class HealthReport(BaseModel):
    """Result of a health check.

    Attributes:
        status: ``ok`` or ``failing``.
        checks: By name ``ok``, or ``failing``.
    """

    status: str
    checks: dict[str, str]


class Health:
    """Runs checks, in a thread and not more often than their findings hold.

    Args:
        checks: What the server needs.
        clock: Seconds that only grow.

    Examples:
        >>> def gone():
        ...     raise OSError("nobody answers")
        >>> health = Health([Check("cache", lambda: None), Check("model", gone)])
        >>> asyncio.run(health.report()).checks
        {'cache': 'ok', 'model': 'failing'}
    """

    def __init__(
        self,
        checks: Sequence[Check],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._checks, self._clock = checks, clock
        self._report = HealthReport(status="ok", checks={})
        self._until = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    async def report(self) -> HealthReport:
        """Return what is found now, or was a moment ago."""
        if self._clock() >= self._until:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._look())
            # What was found before will do where it takes long to look again.
            known = self._until > float("-inf")
            await asyncio.wait([self._looking], timeout=SOON if known else None)
        return self._report

    async def _look(self) -> None:
        # A thread of its own: the others may all be at work.
        with ThreadPoolExecutor(1, "stb-env-health") as thread:
            self._report = await asyncio.get_running_loop().run_in_executor(thread, self._find)
        good = self._report.status == "ok"
        self._until = self._clock() + (GOOD_FOR if good else BAD_FOR)

    def _find(self) -> HealthReport:
        found = {check.name: self._state(check) for check in self._checks}
        good = all(state == "ok" for state in found.values())
        return HealthReport(status="ok" if good else "failing", checks=found)

    def _state(self, check: Check) -> str:
        try:
            check.run()
        except (STBError, OSError) as error:
            # What is wrong is for the operator; clients hear that something is.
            _LOG.warning("failing", extra={"fields": {"check": check.name, "problem": str(error)}})
            return "failing"
        return "ok"


def cache_checks(cache: ResponseCache | None) -> list[Check]:
    """Return the checks of a response cache: that it can be read, and in record mode be written."""
    if cache is None:
        return []
    checks = [Check("cache", lambda: _read(cache))]
    if not cache.read_only and cache.folder is not None:
        checks.append(Check("disk", lambda: _write(cache)))
    return checks


def asked_checks(asked: Sequence[Asked]) -> list[Check]:
    """Return a check of every model and real API that is asked, each place once."""
    places = {each.place: each for each in asked}
    return [Check(f"endpoint {number}", each.check) for number, each in enumerate(places.values(), 1)]


def routes(health: Health) -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["operations"])

    @router.get("/health", responses={503: {"model": HealthReport, "description": "Something is failing"}})
    async def found(response: Response) -> HealthReport:
        """Say whether cache, disk, models and real APIs are as they must be."""
        report = await health.report()
        response.status_code = 200 if report.status == "ok" else 503
        return report

    return router


def _read(cache: ResponseCache) -> None:
    if cache.folder is None or not (cache.read_only or (cache.folder / MANIFEST).exists()):
        return
    # Opened anew: a handle that is open outlives its file.
    with closing(ResponseCache(cache.folder, read_only=True)) as opened:
        opened.get(_NO_CALL)


def _write(cache: ResponseCache) -> None:
    folder = cache.folder
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"0")
        file.flush()
    free = shutil.disk_usage(folder).free
    if free < _FREE:
        raise OSError(f"{free} bytes are free in {folder}, less than {_FREE}")
