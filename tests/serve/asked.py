"""Asks an application without a network, and a real server as a stranger would: with sockets and JSON."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from starlette.types import ASGIApp

LOCAL = "http://127.0.0.1:8000"

FIELDS = {
    "category": "Net",
    "tool_name": "icmp",
    "api_name": "ping",
    "tool_input": "{}",
    "strip": "truncate",
    "toolbench_key": "",
}


def asked(
    app: ASGIApp, method: str, path: str, url: str = LOCAL, address: str = "127.0.0.1", **more: Any
) -> httpx2.Response:
    """Return what an application answers."""

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app, client=(address, 1))
        async with httpx2.AsyncClient(transport=transport, base_url=url) as client:
            return await client.request(method, path, **more)

    return asyncio.run(ask())


def fields(**changes: Any) -> dict[str, Any]:
    """Return the six fields of a request to ``/virtual``."""
    return {**FIELDS, **changes}


@contextmanager
def serving(folder: Path, *words: object, env: dict[str, str] | None = None) -> Iterator[Serving]:
    """Run ``stb-env serve`` on a free port until the end of the block."""
    log = folder / "serve.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "stb_env", "serve", "--port", "0", *map(str, words)],
            stderr=out,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
        )
    try:
        yield Serving(process, log)
    finally:
        process.kill()
        process.wait()


class Serving:
    """A server that runs.

    Attributes:
        url: Where it is asked.
    """

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process, self.log = process, log
        self.url = f"http://127.0.0.1:{self._port()}"

    def lines(self) -> list[dict[str, Any]]:
        """Return what it has logged."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]

    def _port(self) -> int:
        while self.process.poll() is None:
            started = [line for line in self.lines_so_far() if line.get("event") == "listening"]
            if started:
                return int(started[0]["port"])
            try:
                self.process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        raise AssertionError(self.log.read_text())

    def lines_so_far(self) -> list[dict[str, Any]]:
        """Return the lines that are whole."""
        whole, _, _ = self.log.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines() if line.startswith("{")]
