"""Load of a session server: many sessions open at once, their memory, and the latency of a step."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import numpy as np

from stb_env import ToolEnv
from stb_env.core.background import new_loop
from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.bench.measurement import TURNS, Measurement
from stb_env.experiments.bench.processes import resident, session_server
from stb_env.http.connection import Pool
from stb_env.runs.make import make_env
from stb_env.tools import FINISH

ENV = "stb/Sandbox-v1"
IN_FLIGHT = 64
_CONNECTIONS = 8

Ask = Callable[[str, JsonObject], Awaitable[JsonObject]]
"""Sends a verb with its body to the server."""

Connect = Callable[[int], AbstractAsyncContextManager[Ask]]
"""Connects to a port."""


def session_measurements(sessions: int = 1_000, env_id: str = ENV) -> Iterator[Measurement]:
    """Open sessions on a server in a process of its own, and play all of them at once.

    Args:
        sessions: Number of sessions open at the same time.
        env_id: The environment.
    """
    yield Measurement("a local environment", _local_rate(env_id), "/s", f"steps of {env_id} in this process")
    for name, connect in (("WebSocket", _socket), ("HTTP", _http)):
        with session_server(env_id) as (port, pid):
            with asyncio.Runner(loop_factory=new_loop) as runner:
                played = runner.run(_played(connect, port, pid, sessions, env_id))
            fresh, kept, rate, times = played
            open_at_once = f"{sessions:,} sessions open"
            yield Measurement(f"{name}: steps", rate, "/s", f"{open_at_once}, {IN_FLIGHT} steps at once")
            for share in (50, 99):
                value = 1e3 * float(np.percentile(times, share))
                yield Measurement(f"{name}: p{share} of a step", value, "ms", open_at_once)
            if kept:
                yield Measurement(f"{name}: memory a session", fresh, "kB", "after its reset")
                yield Measurement(f"{name}: memory a session", kept, "kB", f"after {TURNS} steps each")


async def _played(
    connect: Callable[[int], AbstractAsyncContextManager[Ask]],
    port: int,
    pid: int,
    sessions: int,
    env_id: str,
) -> tuple[float, float, float, Sequence[float]]:
    """Return the kB of a session at its start and its end, steps a second, and the seconds of each step."""
    async with connect(port) as ask:
        # The first makes the environment that all others share.
        await ask("create", {"id": env_id, "reset": {"options": {"index": 0}}})
        before = resident(pid)
        options = [{"options": {"index": 0, "seed": seed}} for seed in range(1, sessions + 1)]
        opened = await asyncio.gather(*(ask("create", {"id": env_id, "reset": one}) for one in options))
        keys = [str(reply["session"]) for reply in opened]
        fresh = (resident(pid) - before) / sessions / 1e3
        actions = itertools.cycle(_actions(env_id))
        plays = iter([(key, next(actions)) for _ in range(TURNS) for key in keys])
        times: list[float] = []

        async def player() -> None:
            for key, action in plays:
                begun = time.perf_counter()
                reply = await ask("step", {"session": key, "action": action, "mirror": True})
                times.append(time.perf_counter() - begun)
                assert "reward" in reply, reply  # noqa: S101 (a refusal is no step)

        begun = time.perf_counter()
        await asyncio.gather(*(player() for _ in range(IN_FLIGHT)))
        took = time.perf_counter() - begun
        kept = (resident(pid) - before) / sessions / 1e3
    return fresh, kept, len(times) / took, times


def _actions(env_id: str) -> list[str]:
    env = make_env(env_id, {})
    env.reset(seed=0, options=_task(env))
    env.action_space.seed(0)
    samples = (str(env.action_space.sample()) for _ in range(64))
    return [action for action in samples if f'"{FINISH}"' not in action]


def _task(env: ToolEnv) -> dict[str, str]:
    return {"task_id": env.tasks.at(0).id}


def _local_rate(env_id: str) -> float:
    env, actions = make_env(env_id, {}), itertools.cycle(_actions(env_id))
    rounds = 100
    begun = time.perf_counter()
    for seed in range(rounds):
        env.reset(seed=seed, options=_task(env))
        for _ in range(TURNS):
            env.step(next(actions))
    return rounds * TURNS / (time.perf_counter() - begun)


@asynccontextmanager
async def _socket(port: int) -> AsyncIterator[Ask]:
    import websockets

    waiting: dict[int, asyncio.Future[JsonObject]] = {}
    numbers = itertools.count()
    url = f"ws://127.0.0.1:{port}/sessions/socket"
    sockets = [await websockets.connect(url, max_size=None) for _ in range(_CONNECTIONS)]

    async def listen(socket: Any) -> None:
        async for text in socket:
            reply = json.loads(text)
            waiting.pop(reply["n"]).set_result(reply)

    async def ask(verb: str, body: Mapping[str, object]) -> dict[str, object]:
        number = next(numbers)
        answer = waiting[number] = asyncio.get_running_loop().create_future()
        await sockets[number % _CONNECTIONS].send(json.dumps({"do": verb, "n": number, **body}))
        reply: JsonObject = await answer
        return reply

    listening = [asyncio.create_task(listen(socket)) for socket in sockets]
    try:
        yield ask
    finally:
        for socket, task in zip(sockets, listening, strict=True):
            task.cancel()
            await socket.close()


@asynccontextmanager
async def _http(port: int) -> AsyncIterator[Ask]:
    pool = Pool("127.0.0.1", port, secure=False)
    room = asyncio.Semaphore(IN_FLIGHT)

    async def ask(verb: str, body: Mapping[str, object]) -> dict[str, object]:
        body = dict(body)
        path = f"/sessions/{body.pop('session')}/step" if verb == "step" else "/sessions"
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        async with room:
            connection = await pool.take(60)
            response = await connection.ask(
                f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
            )
            answer = b"".join([piece async for piece in response.pieces])
            pool.give_back(connection)
        found: JsonObject = json.loads(answer)
        return found

    try:
        yield ask
    finally:
        pool.close()
