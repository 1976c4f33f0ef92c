"""Fuzzes a running server over its WebSocket, MCP and OpenEnv, and opens many sessions and sockets.

``python -m tests.fuzz.server URL [MESSAGES [SESSIONS [SOCKETS [SEED]]]]``: every answer must be one of the
protocol's and none a fault of the server, the server must know every session
afterwards, and its memory is told where ``STB_SERVER_PID`` says which process it is.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import httpx2
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.fuzz.steps import Writer

ENV = "stb/Sandbox-v1"
VERBS = (
    "describe",
    "tasks",
    "solve",
    "create",
    "reset",
    "step",
    "fork",
    "snapshot",
    "restore",
    "close",
    "forget",
)
WORDS = (
    *(
        "do",
        "n",
        "id",
        "session",
        "settings",
        "reset",
        "action",
        "number",
        "mirror",
        "seed",
        "options",
        "task_id",
    ),
    *(
        "type",
        "data",
        "method",
        "params",
        "jsonrpc",
        "name",
        "arguments",
        "message",
        "tool_name",
        "index",
        "count",
    ),
)
METHODS = (
    "tools/list",
    "tools/call",
    "initialize",
    "ping",
    "openenv/session/create",
    "openenv/session/close",
    "x",
)
TYPES = ("reset", "step", "state", "mcp", "x", None)
CLIENTS, AT_ONCE, _FORGOTTEN = 8, 32, 1_000


class Messages:
    """Writes messages of the protocols, each with faults.

    Args:
        seed: Seeds them.
    """

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self._writer = Writer(self._rng, {"x": ["a"], "list_tools": []}, [])

    def session(self, key: str) -> dict[str, Any]:
        """Write a request of the WebSocket of sessions."""
        return {
            "do": self._rng.choice((*VERBS, *VERBS, self._writer.value(1))),
            "session": key,
            **self._more(),
        }

    def openenv(self) -> dict[str, Any]:
        """Write a message of OpenEnv."""
        data = self._rng.choice((self._more(), self._writer.action(), self._writer.value()))
        return {
            "type": self._rng.choice(TYPES),
            "data": data,
            **(self._more() if self._rng.random() < 0.2 else {}),
        }

    def rpc(self) -> dict[str, Any]:
        """Write a request of JSON-RPC."""
        params = self._rng.choice((self._more(), self._writer.action(), self._writer.value(), {}))
        call = {
            "jsonrpc": "2.0",
            "id": self._writer.value(1),
            "method": self._rng.choice(METHODS),
            "params": params,
        }
        return {**call, **(self._more() if self._rng.random() < 0.2 else {})}

    def text(self, message: object) -> str:
        """Write a message as text, one in eight damaged."""
        text = json.dumps(message)
        at = self._rng.randint(0, len(text))
        return (
            text if self._rng.randrange(8) else text[:at] + self._rng.choice('{}[]",:0\0é') + text[at + 1 :]
        )

    def _more(self) -> dict[str, Any]:
        return {self._rng.choice(WORDS): self._writer.value() for _ in range(self._rng.randrange(4))}


def memory() -> float:
    """Return the megabytes that the server's process holds; 0 where its process id is not told."""
    number = os.environ.get("STB_SERVER_PID")
    if number is None:
        return 0.0
    status = Path(f"/proc/{number}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmRSS"))


async def over_socket(url: str, count: int, write: Callable[[], str]) -> int:
    """Send messages over a WebSocket, opened anew where the server closes it; returns its faults."""
    faults = sent = 0
    while sent < count:
        try:
            async with connect(url, max_size=None) as socket:
                while sent < count:
                    sent += 1
                    await socket.send(write())
                    faults += '"kind":"internal"' in str(await asyncio.wait_for(socket.recv(), 60))
        except ConnectionClosed as closed:
            faults += closed.code in (1006, 1011)
    return faults


async def over_http(client: httpx2.AsyncClient, path: str, count: int, write: Callable[[], str]) -> int:
    """Post messages; returns the faults of the server."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    faults = 0
    for _ in range(count):
        answer = await client.post(path, content=write().encode("utf-8", "replace"), headers=headers)
        faults += answer.status_code == 500
    return faults


class Figures(dict[str, float]):
    """Figures that are printed as they come."""

    def __setitem__(self, name: str, value: float) -> None:
        super().__setitem__(name, value)
        sys.stdout.write(f"{name}: {value}\n")
        sys.stdout.flush()


async def attack(url: str, messages: int, sessions: int, sockets: int, seed: int) -> Figures:
    """Do all of it, and return the figures."""
    figures = Figures()
    ws = "ws" + url.removeprefix("http")
    async with httpx2.AsyncClient(base_url=url, timeout=120) as client:
        figures["MB before"] = memory()
        keys: list[str] = []
        for begin in range(0, sessions, AT_ONCE):
            asked = [
                client.post("/sessions", json={"id": ENV}) for _ in range(min(AT_ONCE, sessions - begin))
            ]
            keys += [answer.json()["session"] for answer in await asyncio.gather(*asked)]
        figures["MB with idle sessions"] = memory()
        opened = [await connect(f"{ws}/sessions/socket") for _ in range(sockets)]
        figures["MB with sockets"] = memory()
        draw = Messages(seed)
        key = (await client.post("/sessions", json={"id": ENV, "reset": {"seed": 0}})).json()["session"]
        share = messages // (4 * CLIENTS)
        works: list[Awaitable[int]] = []
        for _ in range(CLIENTS):
            works += [
                over_socket(f"{ws}/sessions/socket", share, lambda: draw.text(draw.session(key))),
                over_socket(f"{ws}/openenv/{ENV}/ws", share, lambda: draw.text(draw.openenv())),
                over_socket(f"{ws}/openenv/{ENV}/mcp", share, lambda: draw.text(draw.rpc())),
                over_http(client, f"/mcp?id={ENV}", share, lambda: draw.text(draw.rpc())),
            ]
        figures["faults"] = sum(await asyncio.gather(*works))
        figures["MB after the messages"] = memory()
        for each in opened:
            await each.close()
        closed = 0
        for begin in range(0, sessions, _FORGOTTEN):
            answer = await client.post("/sessions/forget", json={"keys": keys[begin : begin + _FORGOTTEN]})
            closed += answer.json()["closed"]
        figures["sessions lost"] = sessions - closed
        figures["health"] = (await client.get("/health")).status_code
    return figures


def main(words: list[str]) -> int:
    """Attack by the words of a command line; returns 1 where the server was at fault."""
    url, numbers = words[0], [int(word) for word in words[1:]]
    messages, sessions, sockets, seed = (*numbers, *(4_000, 1_000, 200, 0)[len(numbers) :])
    figures = asyncio.run(attack(url, messages, sessions, sockets, seed))
    return int(bool(figures["faults"] or figures["sessions lost"] or figures["health"] != 200))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
