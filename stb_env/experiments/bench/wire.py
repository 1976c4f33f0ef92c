"""Share of the latency bound that clients of a slow endpoint reach on one core, with many calls in flight."""

from __future__ import annotations

import asyncio
import gc
import os
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress

from stb_env.core.background import new_loop
from stb_env.core.jsontypes import JsonObject
from stb_env.experiments.bench.measurement import Measurement
from stb_env.experiments.bench.processes import beside
from stb_env.models import ChatRequest, ModelConfig, OpenAIModel
from stb_env.models.config import Client

CALLS = 4
"""Calls of an episode, each with the history of those before."""

ROUNDS = 3
"""Episodes one after the other in each place."""

_TOOLS = 6
_UNLIMITED = 1_000_000

Ask = Callable[[int], Awaitable[object]]
"""Asks the call of that number in an episode."""


def wire_measurements(
    in_flight: Sequence[int] = (16, 64, 256, 1024), latency: float = 0.2
) -> Iterator[Measurement]:
    """Measure the clients beside a bare loop on the lean one's connections.

    Args:
        in_flight: Number of episodes played at once.
        latency: Seconds that the endpoint takes for an answer.
    """
    with endpoint(latency) as url:
        for episodes in in_flight:
            plays = {
                "bare loop": _bare(url, episodes, latency),
                "lean": _model(url, "lean", episodes, latency),
                "openai": _model(url, "openai", episodes, latency),
            }
            for name, play in plays.items():
                share, cost = _run(play)
                yield Measurement(
                    f"{name}, {episodes:,} in flight", share, "of the bound", f"{cost:.0f} us/call"
                )


@contextmanager
def endpoint(latency: float) -> Iterator[str]:
    """Run an endpoint in a process of its own, on another core where there is one; yield its base URL."""
    with beside("stb_env.experiments.bench.endpoint", str(latency)) as (port, pid), _apart(pid):
        yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def _apart(other: int) -> Iterator[None]:
    """Keep this process to one core and another one to the rest, where the system can."""
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        yield
        return
    mine = os.sched_getaffinity(0)
    first = min(mine)
    with suppress(ProcessLookupError):
        os.sched_setaffinity(other, mine - {first})
    os.sched_setaffinity(0, {first})
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)


def _run(play: Coroutine[None, None, tuple[float, float]]) -> tuple[float, float]:
    gc.collect()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(play)


async def _bare(url: str, episodes: int, latency: float, rounds: int = ROUNDS) -> tuple[float, float]:
    """Ask with no more than connections and a JSON writer."""
    from stb_env.http.connection import Pool
    from stb_env.http.wire import Response
    from stb_env.models.request_body import encoded

    pool = Pool("127.0.0.1", int(url.split(":")[2].partition("/")[0]), secure=False)
    bodies = [{"model": "fake", **request.to_dict()} for request in REQUESTS]

    async def ask(number: int) -> bytes:
        content = encoded(bodies[number])
        connection = await pool.take(latency + 60)
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
        response: Response = await connection.ask(head % len(content) + content)
        answer = b"".join([piece async for piece in response.pieces])
        pool.give_back(connection)
        return answer

    try:
        return await _measured(ask, episodes, latency, rounds)
    finally:
        pool.close()


async def _model(url: str, client: Client, episodes: int, latency: float) -> tuple[float, float]:
    config = ModelConfig("agent", "fake", base_url=url, max_tokens=256, concurrency=_UNLIMITED, client=client)
    model = OpenAIModel(config)
    try:
        return await _measured(lambda number: model.acomplete(REQUESTS[number]), episodes, latency)
    finally:
        await model.aclose()


async def _measured(ask: Ask, episodes: int, latency: float, rounds: int = ROUNDS) -> tuple[float, float]:
    """Return the share of the latency bound that is reached, and the CPU time of a call in microseconds."""

    async def play(times: int) -> None:
        for number in range(times * CALLS):
            await ask(number % CALLS)

    # Connecting is no part of it: connections are kept.
    await asyncio.gather(*(play(1) for _ in range(episodes)))
    spent, begun = time.process_time(), time.perf_counter()
    # Whoever is done begins the next episode, as in a run, and waits for nobody.
    await asyncio.gather(*(play(rounds) for _ in range(episodes)))
    took, spent = time.perf_counter() - begun, time.process_time() - spent
    calls = rounds * CALLS
    return calls * latency / took, 1e6 * spent / (calls * episodes)


def _tool(number: int) -> dict[str, object]:
    properties = {
        f"field_{index}": {"type": "string", "description": "Which of them, in words of at most one line."}
        for index in range(4)
    }
    parameters = {"type": "object", "properties": properties, "required": ["field_0"]}
    about = "Finds what fits and returns the first of it, by name, price and stock. " * 3
    return {
        "type": "function",
        "function": {"name": f"tool_{number}", "description": about, "parameters": parameters},
    }


def _request(turns: int) -> ChatRequest:
    messages: list[JsonObject] = [
        {"role": "system", "content": "You are an assistant with tools. " * 20},
        {"role": "user", "content": "Find green tea that costs less than coffee. " * 6},
    ]
    for turn in range(turns):
        function = {"name": "tool_1", "arguments": '{"field_0": "tea"}'}
        call = {"id": f"call_{turn}", "type": "function", "function": function}
        result = '{"error": "", "response": [{"name": "tea", "price": 3.5}]}' * 7
        messages += [
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": result},
        ]
    return ChatRequest(tuple(messages), tools=TOOLS)


TOOLS = tuple(_tool(number) for number in range(_TOOLS))
REQUESTS = tuple(_request(turns) for turns in range(CALLS))


def bare_share(url: str, episodes: int, latency: float, rounds: int = ROUNDS) -> float:
    """Return the share of the latency bound that a bare loop reaches, for others to stand beside."""
    return _run(_bare(url, episodes, latency, rounds))[0]
